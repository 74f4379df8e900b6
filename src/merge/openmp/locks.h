/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks that another thread gives up than the one that got them: as a task does that moves, and programs in which one
 * thread lets another go on. Runtimes tell of it when others may have had the lock since, so the record has no number
 * of when the lock was had (0), and readers pair by that number. Here each gets that of what was had and not given up
 * by who got it. Only those are held in memory.
 */
#ifndef HYB_MERGE_OPENMP_LOCKS_H
#define HYB_MERGE_OPENMP_LOCKS_H

#include <stddef.h>
#include <stdint.h>

struct hyb_lock_use {
	int64_t time;
	uint32_t lock;
	uint32_t order;		/* of a release: 0 as long as it is not known */
	uint32_t stream;
};

struct hyb_lock_uses {
	struct hyb_lock_use *uses;
	size_t count;
	size_t room;
};

/* Those of a process; all zero: none. */
struct hyb_locks {
	struct hyb_lock_uses open;	/* had by the thread that is being read */
	struct hyb_lock_uses had;	/* and by threads that were read */
	struct hyb_lock_uses released;	/* by others, in the order in which they are read */
	size_t next;			/* of these, once they are settled */
};

/* Take in what a thread did, one thread after the other, each in its order. 0 or -ENOMEM. */
int hyb_locks_had(struct hyb_locks *l, uint32_t lock, uint32_t order, int64_t time);
int hyb_locks_released(struct hyb_locks *l, uint32_t stream, uint32_t lock, uint32_t order, int64_t time);
/* The thread was read to its end. 0 or -ENOMEM. */
int hyb_locks_thread_end(struct hyb_locks *l);
/* All were. 0 or -ENOMEM. */
int hyb_locks_settle(struct hyb_locks *l);
/* The number of the next release without one, read once more in the same order; 0: it is not known. */
uint32_t hyb_locks_order(struct hyb_locks *l, uint32_t stream, uint32_t lock);
void hyb_locks_free(struct hyb_locks *l);

#endif
