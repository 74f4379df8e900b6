/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of a recorded process (HYBMON_COUNTERS): looked up, defined, and handed to the threads' streams. */
#ifndef HYB_CORE_COUNTERS_COUNTERS_H
#define HYB_CORE_COUNTERS_COUNTERS_H

#include <stdbool.h>

/*
 * Looks up the names. Takes the dynamic linker's lock and may call the program's malloc, so it is to be called where no
 * lock of ours is held; by one thread, once.
 */
void hyb_counters_look(void);
/*
 * The process's files are there: from when this and the above have been called, by whichever thread comes last, threads
 * are counted. speaks: whether this process says what cannot be counted. note: tells the manifest how they are read.
 */
void hyb_counters_start(bool speaks, void (*note)(const char *text));

#endif
