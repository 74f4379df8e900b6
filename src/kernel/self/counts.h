/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel counts of each thread whatever a user may: switches, page faults, time on CPUs and time spent waiting
 * for one. That is what is left where nobody may have events. Used by the source `self`.
 */
#ifndef HYB_KERNEL_SELF_COUNTS_H
#define HYB_KERNEL_SELF_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the stream. 0 or -errno. */
int hyb_counts_open(void);
/* A process of the job: its threads are looked at from now on, those that it has later too. */
void hyb_counts_add_process(uint32_t tgid);
/* Writes down what was counted since the last time. Does nothing while that would take too much of a CPU. */
void hyb_counts_take(void);
/* For the last time, and closes the stream. */
void hyb_counts_close(void);
/* As struct hyb_source has it. */
bool hyb_counts_stream_name(unsigned int index, char *buf, unsigned int size);

#endif
