/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of system calls that a program puts on itself (seccomp). */
#ifndef HYB_CORE_PROCESS_SECCOMP_H
#define HYB_CORE_PROCESS_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>

/*
 * Whether a process with that filter can go on recording: no system call of the library's ends it, stops it or sends it a
 * signal. One that merely fails is a loss, which is counted. The filter is run here, as the kernel runs it.
 */
bool hyb_seccomp_lets_record(const struct sock_fprog *filter);

#endif
