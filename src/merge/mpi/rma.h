/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided operations that are under way: one thread's that are not complete yet, in the order of their
 * numbers, and those that one thread completes of another's.
 */
#ifndef HYB_MERGE_MPI_RMA_H
#define HYB_MERGE_MPI_RMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_rma_pending {
	uint64_t id;
	uint32_t win; /* in the model */
	uint32_t target;
	bool puts;  /* data goes to the target, so that it is complete there later */
	bool local; /* complete here: that was written */
};

struct hyb_rma_queue {
	struct hyb_rma_pending *ops;
	size_t count;
	size_t room;
	size_t settled; /* so many at the beginning are complete here, and wait for their targets only */
	size_t handed;	/* the place in the process's list of the next that this thread completes of another's */
};

/* What a thread's flush, or its like, completes of another's. */
struct hyb_rma_handed {
	uint64_t number; /* in the order of time */
	uint64_t id;
	int64_t time;	 /* when the call that completes it was left, ns */
	uint32_t thread; /* which completes it: its stream */
	uint32_t win;	 /* in the model */
	bool remote;	 /* at its target; else for its origin */
};

#endif
