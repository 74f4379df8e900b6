/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel counts of each thread, and shows to every user: switches, page faults, time on CPUs, and time waiting
 * for one. The source `self` records this if its user may have no events.
 */
#ifndef HYB_COLLECTOR_SELF_COUNTS_H
#define HYB_COLLECTOR_SELF_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the stream. 0 or -errno. */
int hyb_counts_open(void);
/* A process of the job: all its threads are looked at from now on. */
void hyb_counts_add_process(uint32_t tgid);
/* Writes what was counted since the last look, if looking now does not take too much of a CPU. */
void hyb_counts_take(void);
/* Writes it for the last time, and closes the stream. */
void hyb_counts_close(void);
/* As struct hyb_source has it. */
bool hyb_counts_stream_name(unsigned int index, char *buf, unsigned int size);

#endif
