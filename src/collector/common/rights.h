/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether this user may look into a process, by the kernel's own rule for ptrace, which perf asks as well: the process
 * has the user's identity, no rights that the user lacks (set-uid, set-gid, capabilities), and a program that the user
 * may read. Root may look into all.
 */
#ifndef HYB_COLLECTOR_COMMON_RIGHTS_H
#define HYB_COLLECTOR_COMMON_RIGHTS_H

#include <stdint.h>

/*
 * 1: the user may; 0: he may not; -ESRCH: the process is gone. *start is set with 1, and differs from program to
 * program, so that who executes another one is noticed; for root it is left as it is.
 */
int hyb_rights_look(uint32_t tgid, uint64_t *start);

#endif
