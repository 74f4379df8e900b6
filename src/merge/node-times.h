/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Final times where an experiment is of several nodes, whose clocks differ. Messages and operations that were paired
 * (pairs.h) tell how the clocks lie to each other (clock/offsets.h), and what is still received before it was sent is
 * moved (clock/order.h). Nodes are told apart as clocks are: by their boots, not by their names. Of one node nothing is
 * found, and its times are final as they are.
 */
#ifndef HYB_MERGE_NODE_TIMES_H
#define HYB_MERGE_NODE_TIMES_H

#include "merge/clock/offsets.h"
#include "merge/clock/order.h"
#include "merge/mpi/pairs.h"

struct hyb_merge;

/* How many messages end before they were sent, and members of operations before the others had begun. */
struct hyb_violations {
	uint64_t early;
	uint64_t all;
	int64_t worst; /* ns */
};

struct hyb_nodes {
	uint32_t count; /* as the model has clocks; 0: times are final as they are */
	uint32_t *of_track;
	struct hyb_offsets *offsets;
	struct hyb_order *order; /* NULL: nothing had to be moved */
	struct hyb_violations before;
	struct hyb_violations after;
};

/* Whether processes ran on several nodes. */
bool hyb_nodes_several(const struct hyb_merge *m);
/* All halves are added and sorted: finds out, and makes the model's times final. 0 or -errno. */
int hyb_nodes_find(struct hyb_merge *m);
/* What earlier readings left of the model's times are final ones then. */
void hyb_nodes_make_final(struct hyb_merge *m);
/* The first and last time of the job, of those of its processes. */
void hyb_nodes_find_span(struct hyb_merge *m);
void hyb_nodes_free(struct hyb_nodes *n);

/* The times of one node. */
static inline struct hyb_final hyb_nodes_final(const struct hyb_nodes *n, size_t clock)
{
	struct hyb_final f = { .corrected = NULL };

	if (!n->count)
		return f;
	f.corrected = hyb_offsets_correction(n->offsets, (uint32_t)clock);
	if (n->order)
		f.moved = hyb_order_correction(n->order, (uint32_t)clock);
	return f;
}

/* For hyb_pairs_join; `merge` is the merge. */
int64_t hyb_nodes_track_time(const void *merge, uint32_t track, int64_t time);

#endif
