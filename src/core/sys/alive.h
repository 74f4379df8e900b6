/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a process that left something behind is still there. A number alone does not tell: numbers come again, and
 * each pid namespace has its own.
 */
#ifndef HYB_CORE_SYS_ALIVE_H
#define HYB_CORE_SYS_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_ALIVE_TEXT	128

/* This process's pid namespace, as a number that no other one of this machine has; 0: it cannot be told. */
uint64_t hyb_alive_namespace(void);
/* Parent and start time (clock ticks since boot, as text) of a process of this namespace; false if it is gone. */
bool hyb_alive_look(long pid, long *parent, char *start, size_t size);
/* When a process of this namespace began, in clock ticks since boot; 0: it cannot be told, or is gone. */
uint64_t hyb_alive_started(long pid);
/* Whether process `pid` of this namespace, which began at `started`, is gone. False where that is not sure. */
bool hyb_alive_is_gone(long pid, uint64_t started);
/* The process that traces this one, as a debugger does; 0: none, or one that cannot be seen from here. */
long hyb_alive_tracer(void);
/* This process in a word that no other one has, for hyb_alive_told_is_gone(); empty where it cannot be told. */
void hyb_alive_tell(char buf[HYB_ALIVE_TEXT]);
/* Whether the process of that word is gone. self: the caller's own; of another machine or namespace nothing is sure. */
bool hyb_alive_told_is_gone(const char *word, const char *self);

#endif
