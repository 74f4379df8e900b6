/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the source `self`: the threads, whose rings self.c opens and read.c reads. */
#ifndef HYB_KERNEL_SELF_H
#define HYB_KERNEL_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/map.h"
#include "kernel/output.h"
#include "kernel/ring.h"
#include "kernel/task.h"

#define HYB_SELF_FAULTS	3

struct hyb_self_thread {
	uint32_t tgid;
	uint32_t tid;
	struct hyb_ring main;
	struct hyb_ring side;
	const struct perf_event_header *next;	/* of the main ring, while they are read; NULL: no more */
	uint64_t next_time;
	int faults[HYB_SELF_FAULTS];
	uint64_t ids[HYB_SELF_FAULTS];
	uint64_t told_lost;
	uint64_t last;		/* time of its last record */
	uint64_t exited;	/* when it began to end; 0: it has not */
	struct hyb_task *task;
	bool exit_told;
	struct hyb_self_thread *link;
};

struct hyb_self_state {
	struct hyb_self_thread *threads;	/* newest first */
	struct hyb_map by_tid;
	size_t count;			/* of them */
	struct hyb_output out;		/* of all of them */
	uint32_t groups;
	uint64_t ring_size;
	uint64_t first_size;		/* of a process's first thread */
	uint64_t locked;		/* in rings of that size */
	uint64_t may_lock;
	int poll;
	uint64_t lost;
	unsigned int missed;		/* threads that ended so soon that nothing of them could be had */
	bool said;
	bool counting;			/* there are no events for this user: counts.c */
};

extern struct hyb_self_state hyb_self_state;

/* A thread has begun; it may be known already. */
void hyb_self_begun(uint32_t tgid, uint32_t tid);
/* It has ended, and all of it was taken: it is in the list no more, and gone. */
void hyb_self_ended(struct hyb_self_thread *t);
/* Writes out what the rings have by now; at the end all of it, and what was lost last. */
void hyb_self_drain(bool last);

#endif
