/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes end. What a process can see of its own end it notes itself (exit, _exit, quick_exit). A
 * signal that kills it is seen by its parent only: the launcher, which usually runs under the same
 * LD_PRELOAD, notes it when it collects the status. No signal handler is ever installed.
 */
#ifndef HYB_CORE_PROCESS_EXITS_H
#define HYB_CORE_PROCESS_EXITS_H

#include <limits.h>
#include <stdbool.h>

#define HYB_STATUS_UNKNOWN INT_MIN	/* the parent will know it */

/* Registers for the process's own exit; called when the library is loaded, into any process. */
struct hyb_exits {
	/* Whether there is something to note; otherwise nothing else is called. */
	bool (*is_recording)(void);
	/* The process ends: exit status, or HYB_STATUS_UNKNOWN. On a stack of our own. */
	void (*end)(int status);
};
void hyb_exits_start(const struct hyb_exits *exits);
/* What else is to be done when the process exits normally, before its end is noted, on a stack of our own, if due. */
void hyb_exits_also(bool (*is_due)(void), void (*end)(bool normal));
/* Lets the parent find this process's manifest, in `directory`, should it die; and no longer. */
void hyb_exits_announce(const char *directory);
void hyb_exits_withdraw(void);

#endif
