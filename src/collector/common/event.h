/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of perf: perf_event_open, and what the events of all sources have in common. */
#ifndef HYB_COLLECTOR_COMMON_EVENT_H
#define HYB_COLLECTOR_COMMON_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>

/*
 * Sets what all events have in common: they are disabled, have their times by CLOCK_MONOTONIC_RAW, and each record
 * says its event's number, its task and its time.
 */
void hyb_event_init(struct perf_event_attr *attr, uint32_t type, uint64_t config);
/*
 * Opens an event of task pid (-1: of all) on this CPU (-1: on all). Its records go to the ring of the event `to`, -1:
 * to none yet. What an older kernel lacks is left out. A descriptor or -errno.
 */
int hyb_event_open(struct perf_event_attr *attr, int pid, int cpu, int to);
/* The event's number, which its records have. 0 or -errno. */
int hyb_event_id(int fd, uint64_t *id);
/* How many records of the event had no space, as far as the kernel counts that. */
uint64_t hyb_event_lost(int fd);

#endif
