/* SPDX-License-Identifier: BSD-3-Clause */
/* Corrections of a node's time; see correction.h. */
#include "merge/clock/correction.h"

#include <stdlib.h>

#include "containers/search.h"
#include "merge/clock/saturate.h"

#define RISE_MAX (INT64_C(1) << 62) /* from knot to knot */
#define STEEP 1000		    /* a line that rises by more than the 1000th part is a step somewhere between */

/* The knot that begins the line which serves this time. */
static const struct hyb_knot *knot_for(const struct hyb_correction *c, int64_t time)
{
	return c->knots + HYB_SEARCH(i, c->count - 2, c->knots[i + 1].at <= time);
}

int64_t hyb_correction_apply(const struct hyb_correction *c, int64_t time)
{
	const struct hyb_knot *k;
	__int128 rise, run, gone, sum;

	if (!c->count)
		return time;
	if (c->count == 1)
		return hyb_sat_add(time, c->knots[0].ahead);
	k = knot_for(c, time);
	/* At most 2^62, 2^64 and 2^64: settled knots are so. */
	rise = k[1].ahead - k->ahead;
	run = (__int128)k[1].at - k->at;
	gone = (__int128)time - k->at;
	sum = (__int128)time + k->ahead + rise * gone / run;
	if (sum > INT64_MAX)
		return INT64_MAX;
	return sum < INT64_MIN ? INT64_MIN : (int64_t)sum;
}

int64_t hyb_correction_error(const struct hyb_correction *c, int64_t time)
{
	const struct hyb_knot *k;
	int64_t error, rise;

	if (!c->count)
		return 0;
	if (c->count == 1)
		return c->knots[0].error;
	k = knot_for(c, time);
	error = k[0].error > k[1].error ? k[0].error : k[1].error;
	rise = llabs(k[1].ahead - k[0].ahead);
	return rise > hyb_sat_sub(k[1].at, k[0].at) / STEEP ? hyb_sat_add(error, rise) : error;
}

void hyb_correction_settle(struct hyb_correction *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct hyb_knot k = c->knots[i];

		if (n) {
			const struct hyb_knot *last = &c->knots[n - 1];
			int64_t least;

			if (k.at <= last->at && k.ahead <= last->ahead)
				continue;
			/* A clock that went back: from here on the new correction serves. */
			if (k.at <= last->at)
				k.at = hyb_sat_add(last->at, 1);
			least = hyb_sat_sub(last->ahead, hyb_sat_sub(k.at, last->at));
			if (k.ahead < least)
				k.ahead = least;
			if (k.ahead < hyb_sat_sub(last->ahead, RISE_MAX))
				k.ahead = hyb_sat_sub(last->ahead, RISE_MAX);
			if (k.ahead > hyb_sat_add(last->ahead, RISE_MAX))
				k.ahead = hyb_sat_add(last->ahead, RISE_MAX);
			if (k.at == last->at)
				continue;
		}
		c->knots[n++] = k;
	}
	c->count = n;
}
