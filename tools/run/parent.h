/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a command as a child in such a way that nobody need notice that there is a parent: signals, stops, the exit
 * status or deadly signal and the standard input are as if the command had been executed in its place.
 */
#ifndef HYB_TOOLS_RUN_PARENT_H
#define HYB_TOOLS_RUN_PARENT_H

/*
 * Comes back when the command has ended: 0 and its status as waitpid(2) has it, or -errno where it could not be
 * executed. From then on standard input and output of this process are /dev/null, and all signals are blocked.
 */
int hyb_parent_run(char *const argv[], int *status);
/* Ends this process as that status says: by exit or by the same signal. */
_Noreturn void hyb_parent_leave(int status);

#endif
