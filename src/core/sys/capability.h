/* SPDX-License-Identifier: BSD-3-Clause */
/* Capabilities of Linux that hybmon-collect makes use of; see capabilities(7). */
#ifndef HYB_CORE_SYS_CAPABILITY_H
#define HYB_CORE_SYS_CAPABILITY_H

#include <linux/capability.h>
#include <stdint.h>

/* newer than some systems' headers */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif
#ifndef CAP_BPF
#define CAP_BPF		39
#endif

#define HYB_CAPABILITY(number) (UINT64_C(1) << (number))

/* To open events, with as much memory as that takes, and to name the kernel's functions in call chains. */
#define HYB_COLLECTOR_CAPABILITIES \
	(HYB_CAPABILITY(CAP_PERFMON) | HYB_CAPABILITY(CAP_BPF) | HYB_CAPABILITY(CAP_IPC_LOCK) | \
	 HYB_CAPABILITY(CAP_SYSLOG))

#endif
