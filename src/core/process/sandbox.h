/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that forbids itself system calls (seccomp): one of the library's could end it. Where that is so recording ends
 * before the program does it.
 */
#ifndef HYB_CORE_PROCESS_SANDBOX_H
#define HYB_CORE_PROCESS_SANDBOX_H

#include <stdbool.h>

/* When the library is loaded. `enter`: recording is to end. */
void hyb_sandbox_start(void (*enter)(void));
/* Whether the library is to make no system calls in this process any more. */
bool hyb_sandboxed(void);

#endif
