/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clocks of nodes, set against each other by messages, the program's or measured ones: none is received before it
 * is sent. This knows numbers of nodes and times in nanoseconds, and nothing of streams or of MPI.
 *
 * The way from observations to corrections, and the files of this folder in reading order:
 *
 * - Each message bounds the difference of two clocks. Of the bounds of each pair of nodes those are kept that others
 *   do not imply, in windows of time, in bounded memory (envelope.h, offsets.c).
 * - At any time the bounds about it leave a range for the difference; a narrower one is likely (band.h).
 * - A pair with messages in one direction gets bounds for the other one by way of other nodes (circles.c).
 * - Where bounds contradict each other within a short time, a clock has made a step (steps.c).
 * - Pairs with bounds on both sides tie nodes together to parts. At knots in time the bounds of all pairs, by way of
 *   all others, leave each node a range for its correction to the part's reference; the middles of what is likely keep
 *   all bounds (part.c, graph.h). A loose pair bounds nothing that others do not bound better.
 * - Parts are tied together by CLOCK_REALTIME, and moved where messages in one direction contradict that (ties.c).
 * - What is left is moved: order.h, which has what waits for what, and logical.h, the method.
 *
 * A correction is good to half the smallest round trip to the reference within about 20 seconds, by way of others too,
 * as nobody knows which part of a round trip either direction takes. Stated errors are bounds, as long
 * as no clock changes its rate by more than 1e-8 a second: twice what a quartz does while its machine warms up by
 * some degrees a minute. The method is that of Duda (1987) and of LTTng's viewers (Poirier, Roy, Dagenais 2010;
 * Jabbarifar 2013: the spanning tree of the smallest errors), but over all pairs and piece by piece, since clocks are
 * not steady for hours (Doleschal, Knuepfer, Mueller, Nagel 2008; Becker, Rabenseifner, Wolf 2008).
 */
#ifndef HYB_MERGE_CLOCK_OFFSETS_H
#define HYB_MERGE_CLOCK_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/clock/correction.h"

struct hyb_offsets;

/* For nodes 0 to nodes - 1. 0 or -ENOMEM. */
int hyb_offsets_new(uint32_t nodes, struct hyb_offsets **offsets);
void hyb_offsets_free(struct hyb_offsets *o);

/*
 * Observations, in any order; what is sent and received on one node says nothing and is passed over. Each in its
 * node's own time, which rises as long as the node runs: a counter that went back has to be unfolded, by adding the
 * same amount to all later times of the node. 0 or -ENOMEM.
 *
 * A message: sent is when the call to send was entered, received when the call by which it was received came back.
 */
int hyb_offsets_message(struct hyb_offsets *o, uint32_t from, int64_t sent, uint32_t to, int64_t received);

/*
 * What binds several nodes at once: on those that take something every end is after every begin on those that give
 * something. A message's sender gives and its receiver takes; of a broadcast the root gives and all others take; in a
 * barrier all do both. Each node once.
 */
struct hyb_member {
	uint32_t node;
	bool gives;
	bool takes;
	int64_t begin; /* the last one there that gives */
	int64_t end;   /* the first one there that takes */
};

int hyb_offsets_operation(struct hyb_offsets *o, const struct hyb_member *m, size_t count);

/*
 * At that time of the node CLOCK_REALTIME was `ahead` more than the time, and is right to `error` ns. Any number of
 * them; without any, the node's time is taken for CLOCK_REALTIME, right to HYB_REALTIME_ERROR.
 */
void hyb_offsets_realtime(struct hyb_offsets *o, uint32_t node, int64_t at, int64_t ahead, int64_t error);

#define HYB_REALTIME_ERROR INT64_C(10000000) /* a clock kept by NTP, at its worst */

/* Finds the corrections. Once, after all observations. 0 or -ENOMEM. */
int hyb_offsets_solve(struct hyb_offsets *o);

enum hyb_tie {			  /* by what a node's clock is set */
	       HYB_TIE_REFERENCE, /* it is the reference: the others of its part are set by its clock */
	       HYB_TIE_MESSAGES,  /* by messages in both directions, or around a circle of nodes */
	       HYB_TIE_REALTIME,  /* it is the reference of another part, which is set by CLOCK_REALTIME */
};

/* What is found of a node. Corrections are in hyb_offsets_correction. */
struct hyb_node_clock {
	enum hyb_tie tie;
	uint32_t reference; /* of its part; messages relate all nodes of a part, and no others */
	int64_t offset;	    /* correction in the middle, ns, less that of the reference's */
	double drift;	    /* by which the clock is slower than the reference, ns a ns */
	int64_t error;	    /* of the correction at its worst knot, within the part, ns */
	int64_t tie_error; /* of the part's place among the parts, ns; 0 for the first part */
	uint32_t steps;	   /* of the clock, that were found */
	bool pushed;	   /* a part whose place CLOCK_REALTIME gave had to be moved, since messages contradict it */
};

struct hyb_offsets_totals {
	uint64_t observations; /* that say something: between nodes */
	uint64_t backward;     /* of them, received before they were sent by the nodes' own times */
	uint32_t pairs;	       /* of nodes */
	uint32_t one_way;      /* of them, such as have messages in one direction only and no way back over others */
	uint64_t left_out;     /* observations of pairs beyond what memory is spent on */
	uint32_t parts;
	int64_t round_trip; /* the smallest that was seen, ns; INT64_MAX: none */
};

/* Valid until the offsets are freed; a correction that is to live longer can be moved out (set its count to 0). */
struct hyb_correction *hyb_offsets_correction(struct hyb_offsets *o, uint32_t node);
const struct hyb_node_clock *hyb_offsets_node(const struct hyb_offsets *o, uint32_t node);
const struct hyb_offsets_totals *hyb_offsets_totals(const struct hyb_offsets *o);

#endif
