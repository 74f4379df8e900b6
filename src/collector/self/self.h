/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the source `self`: the threads, whose rings thread.c opens and read.c reads. */
#ifndef HYB_COLLECTOR_SELF_SELF_H
#define HYB_COLLECTOR_SELF_SELF_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/common/map.h"
#include "collector/common/output.h"
#include "collector/common/ring.h"
#include "collector/common/task.h"

#define HYB_SELF_FAULTS	3

struct hyb_self_thread {
	uint32_t tgid;
	uint32_t tid;
	struct hyb_ring main;
	struct hyb_ring side;
	const struct perf_event_header *next;	/* record of the main ring, while it is read; NULL: there is no more */
	uint64_t next_time;
	int faults[HYB_SELF_FAULTS];
	uint64_t ids[HYB_SELF_FAULTS];
	uint64_t told_lost;
	uint64_t last;		/* time of its last record */
	uint64_t exited;	/* when it began to end, 0: it has not */
	struct hyb_task *task;
	bool exit_told;
	struct hyb_self_thread *link;
};

struct hyb_self_state {
	struct hyb_self_thread *threads;	/* newest first */
	struct hyb_map by_tid;
	size_t count;			/* of threads */
	struct hyb_output out;		/* for all threads */
	uint32_t groups;
	uint64_t ring_size;
	uint64_t first_size;		/* ring of a process's first thread */
	uint64_t locked;		/* bytes in rings of that size */
	uint64_t may_lock;
	int poll;
	uint64_t lost;
	unsigned int missed;		/* threads that had ended before their rings could be opened */
	bool said;
	bool counting;			/* this user may have no events: counts.c */
};

extern struct hyb_self_state hyb_self_state;

/* Whether the kernel lets this user have such events: tries it on the collector. 0 or -errno. */
int hyb_self_try(void);
/* Divides the buffer that was asked for a CPU among threads' rings. */
void hyb_self_share(uint64_t buffer);
/* A thread has begun. It may be known already. */
void hyb_self_begun(uint32_t tgid, uint32_t tid);
/* Frees a thread that has ended, and is not in the list any more. */
void hyb_self_ended(struct hyb_self_thread *t);
/* Writes what the rings have by now into the stream. last: all of it, and what was lost last. */
void hyb_self_drain(bool last);

#endif
