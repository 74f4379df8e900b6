/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node's time is corrected by: a line from knot to knot, which goes on beyond the first and the last. It never
 * puts a later time before an earlier one.
 */
#ifndef HYB_MERGE_CLOCK_CORRECTION_H
#define HYB_MERGE_CLOCK_CORRECTION_H

#include <stddef.h>
#include <stdint.h>

#include "merge/clock/saturate.h"

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

/* For many times, of which most follow each other: the line that served last. All zero: none did. */
struct hyb_line {
	int64_t from; /* it serves from here */
	int64_t upto; /* to before here */
	int64_t at;
	int64_t ahead; /* there */
	int64_t slope; /* times 2^52, rounded down, so that it does not end above where the next one begins */
};

#define HYB_LINE_SHIFT 52

/* The line for a time. */
void hyb_correction_line(const struct hyb_correction *c, int64_t time, struct hyb_line *line);

static inline int64_t hyb_line_at(const struct hyb_line *line, int64_t time)
{
	__int128 rise = (__int128)hyb_sat_sub(time, line->at) * line->slope;
	__int128 sum = ((rise + (INT64_C(1) << (HYB_LINE_SHIFT - 1))) >> HYB_LINE_SHIFT) + time + line->ahead;

	if (sum > INT64_MAX)
		return INT64_MAX;
	return sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

/* hyb_correction_apply, fast. */
static inline int64_t hyb_correction_follow(const struct hyb_correction *c, struct hyb_line *line, int64_t time)
{
	if (__builtin_expect(time < line->from || time >= line->upto, 0))
		hyb_correction_line(c, time, line);
	return hyb_line_at(line, time);
}

/* Of one node: from its own times to final ones, fast where they follow each other. All zero: they are the same. */
struct hyb_final {
	const struct hyb_correction *corrected;
	struct hyb_correction moved;
	struct hyb_line lines[2];
};

/* Out of line: where there are several nodes. */
int64_t hyb_final_of_several(struct hyb_final *f, int64_t time);

static inline int64_t hyb_final_time(struct hyb_final *f, int64_t time)
{
	return __builtin_expect(!f->corrected, 1) ? time : hyb_final_of_several(f, time);
}

/*
 * Makes the knots what they have to be, as said above and without differences beyond all sense; knots of one time
 * become one. For who has filled them in, in the order of time, before the correction is used.
 */
void hyb_correction_settle(struct hyb_correction *c);

#endif
