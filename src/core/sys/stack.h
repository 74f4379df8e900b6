/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks of our own for what needs more than a call of MPI may take: a thread may have 16 KiB in all, a signal handler
 * 8 KiB. What begins to record, resolves a function, opens files or ends the process runs on one of these.
 */
#ifndef HYB_CORE_SYS_STACK_H
#define HYB_CORE_SYS_STACK_H

#include <stdint.h>

/*
 * Calls function(argument) on a stack of our own, or where we are if that is one already or there is no memory for it.
 * All signals of the thread are blocked meanwhile: a handler with an alternate stack would take it for unused. May
 * change errno if the function does.
 */
void hyb_stack_run(void (*function)(void *), void *argument);
/*
 * For what takes long there: all signals but those that would have ended the program. None of these has a handler, so
 * nothing can run on that stack.
 */
uint64_t hyb_stack_signals(void);

#endif
