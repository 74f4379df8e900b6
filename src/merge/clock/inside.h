/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share beside offsets.h: pairs of nodes, parts of the graph. */
#ifndef HYB_MERGE_CLOCK_INSIDE_H
#define HYB_MERGE_CLOCK_INSIDE_H

#include "reader/containers/table.h"
#include "merge/clock/band.h"
#include "merge/clock/envelope.h"
#include "merge/clock/graph.h"
#include "merge/clock/offsets.h"

#define HYB_STEPS_MAX 16 /* of a pair, found */

/* A step between two times of the pair's first node. */
struct hyb_step {
	int64_t before;	 /* all points up to here are of the time before it */
	int64_t after;	 /* and all from here on of the time after it */
	uint32_t number; /* of the part's steps */
};

/* Two nodes that have exchanged messages, a < b; times are of a, differences of b against a. */
struct hyb_pair {
	uint32_t a;
	uint32_t b;
	int64_t origin; /* what times and differences in the envelope are relative to */
	int64_t base;
	struct hyb_envelope envelope;
	uint32_t hops[2]; /* messages that make up a bound on each side; 0: there is none */
	bool two_way;	  /* bounds on both sides */
	bool chained;	  /* those of one side are of several messages */
	struct hyb_step steps[HYB_STEPS_MAX];
	uint32_t step_count;
	double rates[HYB_STEPS_MAX + 1][2]; /* between which the rate is in each stretch between steps */
	double error;
};

struct hyb_seen {      /* of a node */
	int64_t first; /* times */
	int64_t last;
	bool any;
	/* CLOCK_REALTIME less the node's time, against that time: sums for a line, relative to the first */
	int64_t real_at;
	int64_t real_ahead;
	double n, x, y, xx, xy, yy;
	int64_t real_error;
	uint32_t degree; /* pairs */
};

struct hyb_offsets {
	uint32_t nodes;
	struct hyb_seen *seen;
	uint32_t *joined;  /* union-find over all pairs: are two nodes connected already */
	uint32_t *members; /* room for a number of each node */
	struct hyb_table pairs;
	uint32_t last;	  /* pair used last */
	uint32_t windows; /* a pair may have */
	uint64_t turn;	  /* of operations that choose who tells of whom */
	struct hyb_offsets_totals totals;
	struct hyb_correction *corrections;
	struct hyb_node_clock *clocks;
	struct hyb_band_room room;
};

/* A part of the graph, with numbers of its own for its nodes and edges. */
struct hyb_part {
	uint32_t *nodes; /* their numbers; the first is the reference */
	uint32_t count;
	struct hyb_edge *edges;
	struct hyb_pair **pairs; /* of the edges */
	uint32_t edge_count;
	struct hyb_tree tree;
	struct hyb_step *steps; /* in the reference's time, of all of its pairs; disjoint, in order */
	uint32_t step_count;
	/* knots: in the reference's time, and how many steps are over */
	int64_t *at;
	uint32_t *over;
	uint32_t knots;
};

static inline struct hyb_pair *hyb_pair_at(const struct hyb_offsets *o, uint32_t i)
{
	return hyb_table_at(&o->pairs, i);
}

/* A message between the pair's nodes, made of so many. */
int hyb_pair_add(struct hyb_offsets *o, struct hyb_pair *p, bool up, int64_t sent, int64_t received, uint32_t hops);
/* The difference at a time of a, after so many of the pair's steps. */
int hyb_pair_band(struct hyb_offsets *o, const struct hyb_pair *p, int64_t at, uint32_t steps, struct hyb_band *band);
/* b's time when a's is that, and the other way round, after so many of the pair's steps. 0 or -ENOMEM. */
int hyb_pair_to_b(struct hyb_offsets *o, const struct hyb_pair *p, int64_t a, uint32_t steps, int64_t *b);
int hyb_pair_to_a(struct hyb_offsets *o, const struct hyb_pair *p, int64_t b, uint32_t steps, int64_t *a);

/* A stretch of a node's time in which its clock may have made a step. */
struct hyb_suspect {
	uint32_t node;
	uint32_t pair; /* that shows it */
	int64_t from;
	int64_t to;
};

/*
 * Bounds for pairs with messages in one direction only, by way of others that lead back, in place of those it made
 * before. Nothing is measured by a clock within what is suspect. 0 or -ENOMEM.
 */
int hyb_circles_close(struct hyb_offsets *o, const struct hyb_suspect *suspects, size_t count);
/* The steps of a pair with bounds on both sides, and the rates between them. 0 or -ENOMEM. */
int hyb_steps_find(struct hyb_offsets *o, struct hyb_pair *p);
/* Knots and corrections of a part, relative to its reference, but for node 0 of the part: its time is the part's. */
int hyb_part_solve(struct hyb_offsets *o, struct hyb_part *part);
/* Puts the parts beside each other. 0 or -ENOMEM. */
int hyb_ties_make(struct hyb_offsets *o, struct hyb_part *parts, uint32_t count);

#endif
