/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that a thread reads with its Enters and Leaves: how their values get into its stream. What they are and how
 * they are read core/counters knows, which is handed in here; this folder makes HYB_METRIC records of them.
 *
 * Before an Enter they are read first and the time second, before a Leave the other way round: so what reading takes
 * lies outside of the call. The record is published by itself, before the Enter or Leave that it belongs to, and in the
 * same chunk. The hot path (record.h) asks hyb_self.counted, no more.
 */
#ifndef HYB_CORE_RECORD_COUNTED_H
#define HYB_CORE_RECORD_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"

struct hyb_thread;

enum hyb_counted {		/* bits of HYBMON_COUNTERS_AT: with whose Enters and Leaves they are read */
	HYB_COUNTED_MPI = 1, HYB_COUNTED_OMP = 2, HYB_COUNTED_USER = 4,
	HYB_COUNTED_KERNEL = 8,		/* no word there: what the kernel did is looked at with all of them; see sums.h */
};

struct hyb_counting {
	uint32_t at;		/* enum hyb_counted */
	uint32_t set;		/* the HYB_DEF_METRIC_SET, which is defined */
	uint32_t count;		/* values, at most HYB_COUNTED_MOST */
	/* Of each value whether it is a sum since the thread began: from these is taken what our slow paths added. */
	const bool *sums;
	/* For the calling thread; NULL: nothing can be counted of it, which has been said. Signals are blocked. */
	void *(*open)(void);
	/* By that thread; false: not now, or no more. Keeps errno. */
	bool (*read)(void *state, uint64_t *values);
	/* By that thread, which ends. */
	void (*close)(void *state);
};

/* So many fit into the smallest chunk. */
#define HYB_COUNTED_MOST 1000

/*
 * From here on threads are counted, those that have a stream already from their next slow path on. What it points to
 * stays. Once.
 */
void hyb_count_by(const struct hyb_counting *counting);

/* A thread has its stream, and room in it: opens its counters, and writes their first values. */
void hyb_counted_begin(struct hyb_thread *t, uint64_t now);
/*
 * Around what takes long, such as a chunk that is put away: the faults, switches and time in between are ours and none of
 * the program's. Nothing where the thread is not counted.
 */
void hyb_counted_stop(struct hyb_thread *t);
void hyb_counted_go(struct hyb_thread *t);
/* The thread ends, or its process. */
void hyb_counted_end(struct hyb_thread *t);

/* An Enter is about to be written, which will not become a CALL: its time is to be read after this. */
HYB_EXPORT void hyb_counted_enter(struct hyb_thread *t) HYB_COLD;
/* A Leave at `now` is about to be written at t->pos. */
HYB_EXPORT void hyb_counted_leave(struct hyb_thread *t, uint64_t now) HYB_COLD;
/* The Enter's group at t->pos, which ends at p and is not published, gets counters only now. Where it ends then. */
HYB_EXPORT uint64_t *hyb_counted_works(struct hyb_thread *t, uint64_t *p) HYB_COLD;

/* Room for a timed record of so many words and for an Enter group after it, in one chunk. False: there is none. */
bool hyb_counted_room(struct hyb_thread *t, size_t words, uint64_t now);

#endif
