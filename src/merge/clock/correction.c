/* SPDX-License-Identifier: BSD-3-Clause */
/* Corrections of a node's time; see correction.h. */
#include "merge/clock/correction.h"

#include "reader/containers/search.h"

#define RISE_MAX (INT64_C(1) << 62) /* from knot to knot */

void hyb_correction_line(const struct hyb_correction *c, int64_t time, struct hyb_line *line)
{
	const struct hyb_knot *k;
	__int128 rise, run, slope;
	size_t i;

	*line = (struct hyb_line){ .from = INT64_MIN, .upto = INT64_MAX };
	if (!c->count)
		return;
	i = c->count == 1 ? 0 : HYB_SEARCH(n, c->count - 2, c->knots[n + 1].at <= time);
	k = &c->knots[i];
	line->at = k->at;
	line->ahead = k->ahead;
	if (c->count == 1)
		return;
	if (i)
		line->from = k->at;
	if (i + 2 < c->count)
		line->upto = k[1].at;
	rise = (__int128)(k[1].ahead - k->ahead) * (INT64_C(1) << HYB_LINE_SHIFT);
	run = (__int128)k[1].at - k->at;
	slope = rise / run - (rise % run < 0);
	/* A step: it rises at its end. */
	line->slope = slope > INT64_MAX ? INT64_MAX : (int64_t)slope;
}

int64_t hyb_correction_apply(const struct hyb_correction *c, int64_t time)
{
	struct hyb_line line;

	hyb_correction_line(c, time, &line);
	return hyb_line_at(&line, time);
}

int64_t hyb_final_of_several(struct hyb_final *f, int64_t time)
{
	return hyb_correction_follow(&f->moved, &f->lines[1], hyb_correction_follow(f->corrected, &f->lines[0], time));
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
