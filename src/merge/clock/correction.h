/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node's time is corrected by: a line from knot to knot, which goes on beyond the first and the last. It never
 * puts a later time before an earlier one.
 */
#ifndef HYB_CLOCK_CORRECTION_H
#define HYB_CLOCK_CORRECTION_H

#include <stddef.h>
#include <stdint.h>

struct hyb_knot {
	int64_t at;    /* the node's own time, ns */
	int64_t ahead; /* what is to be added to it */
	int64_t error; /* of that, at most; under which assumptions: offsets.h */
};

struct hyb_correction {
	struct hyb_knot *knots; /* by `at`, which rises strictly; at + ahead never falls */
	size_t count;		/* 0: nothing is to be corrected */
};

/* The node's time, corrected. */
int64_t hyb_correction_apply(const struct hyb_correction *c, int64_t time);

/* How far that may be wrong, ns: between knots the larger one's; where a step is between, its size too. */
int64_t hyb_correction_error(const struct hyb_correction *c, int64_t time);

/*
 * Makes the knots what they have to be, as said above and without differences beyond all sense; knots of one time
 * become one. For who has filled them in, in the order of time, before the correction is used.
 */
void hyb_correction_settle(struct hyb_correction *c);

#endif
