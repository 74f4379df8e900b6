/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of a track as curves: values, each of which holds until the next one. They lie in the store's file, packed, in
 * stretches; of each of these the least and the greatest value are known in memory, and what values times ns add up to
 * before it. So the mean of any time is the difference of two of these and a look into the stretches at its ends.
 */
#ifndef HYB_TIMELINE_STORE_CURVE_H
#define HYB_TIMELINE_STORE_CURVE_H

#include <stddef.h>
#include <stdint.h>

#define HYB_VIEW_VALUES 2048u /* of a stretch */

struct hyb_view_value {
	uint64_t time; /* ns since the store's start, as all times */
	double value;
};

struct hyb_view_stretch {
	uint64_t offset; /* in the file */
	uint64_t time;	 /* of its first value */
	double least;	 /* of its values */
	double most;
	double area; /* of all before */
	uint32_t size;
	uint32_t count; /* of values; HYB_VIEW_VALUES but in the last one */
};

/* After the last stretch comes one without values, which has the curve's end and its whole area. */
struct hyb_view_curve {
	uint32_t track;
	struct hyb_view_stretch *stretches;
	size_t count; /* without that one; 0: there is no value */
	char *name;   /* NULL: what describes the store has it */
	char *unit;
};

#endif
