/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps of a clock. No line passes between the envelopes of a pair about the time of a step, however short that time
 * is; what clocks do slowly needs longer to become so visible. The windows that contradict each other most closely
 * are looked for, at several lengths. When in them the step was, points say that belong to the time before it or
 * after it only.
 */
#include <math.h>
#include <string.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define LEAST 1000.0 /* ns: smaller steps are not looked for */
/*
 * Clocks that change their rate by up to 1e-6 a second, here in 1/ns, are not taken for stepping: HYB_WANDER is what is
 * expected of clocks, this is what they are able to.
 */
#define BEND 1e-15

static const uint32_t lengths[] = { 1, 2, 4, 16, 64, 256, 1024 }; /* of runs of windows */

/* Windows of the pair between two steps. */
struct stretch {
	struct hyb_band_query query;
	uint32_t first;
	uint32_t last;
};

static int64_t begin_of(const struct hyb_envelope *e, uint32_t window)
{
	return e->windows[window].index * ((int64_t)1 << e->shift);
}

static int64_t end_of(const struct hyb_envelope *e, uint32_t window)
{
	return begin_of(e, window) + ((int64_t)1 << e->shift);
}

/* After so many of the pair's steps; false: there are no windows. */
static bool stretch_of(const struct hyb_pair *p, uint32_t steps, struct stretch *s)
{
	const struct hyb_envelope *e = &p->envelope;

	s->query = (struct hyb_band_query){
		.envelope = e,
		.from = INT64_MIN,
		.to = INT64_MAX,
		.share = 0.5,
		.rates = { -HYB_DRIFT_MAX, HYB_DRIFT_MAX },
	};
	s->first = 0;
	s->last = e->count;
	if (steps) {
		s->query.from = p->steps[steps - 1].after - 1;
		s->first = hyb_envelope_find(e, p->steps[steps - 1].after);
	}
	if (steps < p->step_count) {
		s->query.to = p->steps[steps].before + 1;
		s->last = hyb_envelope_find(e, p->steps[steps].before);
		s->last += s->last < e->count && begin_of(e, s->last) <= p->steps[steps].before;
	}
	return s->first < s->last--;
}

/* No clocks that are only unsteady have what is known in these windows. */
static int contradicts(struct hyb_offsets *o, const struct stretch *s, uint32_t first, uint32_t last, bool *yes)
{
	double span = (double)end_of(s->query.envelope, last) - (double)begin_of(s->query.envelope, first), gap;
	int err = hyb_band_gap(&o->room, &s->query, first, last, &gap);

	*yes = !err && gap < -2 * (LEAST + BEND / 8 * span * span);
	return err;
}

/* The least windows from `first` to `last` that contradict each other. */
static int shrink(struct hyb_offsets *o, const struct stretch *s, uint32_t *first, uint32_t *last)
{
	uint32_t low = *first, high = *last, end;
	bool yes;
	int err = 0;

	while (!err && low < high) { /* the last first window that does */
		uint32_t middle = low + (high - low + 1) / 2;

		err = contradicts(o, s, middle, *last, &yes);
		if (yes)
			low = middle;
		else
			high = middle - 1;
	}
	*first = low;
	end = *last;
	while (!err && low < end) { /* the first last one */
		uint32_t middle = low + (end - low) / 2;

		err = contradicts(o, s, *first, middle, &yes);
		if (yes)
			end = middle;
		else
			low = middle + 1;
	}
	*last = end;
	return err;
}

/* What is known of the time before and after the step, and when they were. */
struct sides {
	struct hyb_band left;
	struct hyb_band right;
	int64_t left_at;
	int64_t right_at;
};

static double on(const struct hyb_band *band, int64_t band_at, int64_t at)
{
	return band->ahead + band->slope * ((double)at - (double)band_at);
}

/* Narrows *before and *after by a point that can only be before, or after, the step. */
static void narrow(const struct sides *s, int side, const struct hyb_point *p, double least, int64_t *before,
		   int64_t *after)
{
	double sign = side == HYB_UPPER ? 1 : -1, ahead = (double)p->ahead;
	double left = sign * on(&s->left, s->left_at, p->at), right = sign * on(&s->right, s->right_at, p->at);

	if (ahead < right - least && ahead >= left - least && p->at > *before)
		*before = p->at;
	if (ahead < left - least && ahead >= right - least && p->at < *after)
		*after = p->at;
}

/* When in the windows the step was. */
static int locate(struct hyb_offsets *o, const struct stretch *s, uint32_t first, uint32_t last, struct hyb_step *step)
{
	const struct hyb_envelope *e = s->query.envelope;
	struct hyb_band_query left = s->query, right = s->query;
	int64_t begin = begin_of(e, first), end = end_of(e, last), before = begin - 1, after = end;
	struct sides sides = { .left_at = begin, .right_at = end };
	double least;
	int err;

	left.to = begin;
	right.from = end - 1;
	err = hyb_band_at(&o->room, &left, begin, &sides.left);
	if (!err)
		err = hyb_band_at(&o->room, &right, end, &sides.right);
	if (err)
		return err;
	least = (sides.left.sure[1] - sides.left.sure[0] + sides.right.sure[1] - sides.right.sure[0]) / 2;
	if (least < LEAST)
		least = LEAST;
	for (uint32_t i = first; isfinite(least) && i <= last; i++) {
		for (int side = 0; side < 2; side++) {
			for (uint32_t j = 0; j < e->windows[i].count[side]; j++)
				narrow(&sides, side, &e->windows[i].points[side][j], least, &before, &after);
		}
	}
	if (before >= after) {
		before = after + (before - after) / 2;
		after = before + 1;
	}
	step->before = before;
	step->after = after;
	return 0;
}

/* The first run of so many windows with a step in it. */
static int look(struct hyb_offsets *o, const struct stretch *s, uint32_t length, struct hyb_step *step, bool *found)
{
	uint32_t stride = length > 4 ? length / 4 : 1;
	int err;

	*found = false;
	for (uint32_t first = s->first; first <= s->last; first += stride) {
		uint32_t last = s->last - first < length ? s->last : first + length - 1;

		err = contradicts(o, s, first, last, found);
		if (err)
			return err;
		if (*found) {
			uint32_t from = first;

			err = shrink(o, s, &from, &last);
			return err ? err : locate(o, s, from, last, step);
		}
		if (last == s->last)
			break;
	}
	return 0;
}

static bool within(const struct stretch *s, const struct hyb_step *step)
{
	return step->before > s->query.from && step->after < s->query.to &&
	       step->before >= begin_of(s->query.envelope, s->first) &&
	       step->after < end_of(s->query.envelope, s->last);
}

static int find(struct hyb_offsets *o, struct hyb_pair *p)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (uint32_t k = 0; k <= p->step_count && p->step_count < HYB_STEPS_MAX; k++) {
			struct stretch s;
			struct hyb_step step = { .number = 0 };
			bool found;
			int err;

			if (!stretch_of(p, k, &s))
				continue;
			err = look(o, &s, lengths[i], &step, &found);
			if (err)
				return err;
			if (!found || !within(&s, &step))
				continue;
			memmove(p->steps + k + 1, p->steps + k, (p->step_count - k) * sizeof(step));
			p->steps[k] = step;
			p->step_count++;
			k--; /* the part before it is looked at again, then the part after it */
		}
	}
	return 0;
}

static void any_rate(struct hyb_pair *p)
{
	for (uint32_t k = 0; k <= p->step_count; k++) {
		p->rates[k][0] = -HYB_DRIFT_MAX;
		p->rates[k][1] = HYB_DRIFT_MAX;
	}
}

/*
 * A step changes what a clock shows, not how fast it runs: all stretches together tell the rate, which alone are
 * short.
 */
static int share_rate(struct hyb_offsets *o, struct hyb_pair *p)
{
	double low = -HYB_DRIFT_MAX, high = HYB_DRIFT_MAX, wander;
	int64_t first, last;

	if (!p->step_count || !hyb_envelope_span(&p->envelope, &first, &last))
		return 0;
	for (uint32_t k = 0; k <= p->step_count; k++) {
		int64_t from = k ? p->steps[k - 1].after : first, to = k < p->step_count ? p->steps[k].before : last;
		struct hyb_band band;
		int err = hyb_pair_band(o, p, hyb_sat_add(from + (to - from) / 2, p->origin), k, &band);

		if (err)
			return err;
		if (!band.sides[HYB_UPPER] || !band.sides[HYB_LOWER] || band.gap < 0)
			continue;
		low = fmax(low, band.rates[0]);
		high = fmin(high, band.rates[1]);
	}
	wander = ((double)last - (double)first) * HYB_WANDER;
	if (low - wander >= high + wander)
		return 0;
	for (uint32_t k = 0; k <= p->step_count; k++) {
		p->rates[k][0] = fmin(low, high) - wander;
		p->rates[k][1] = fmax(low, high) + wander;
	}
	return 0;
}

int hyb_steps_find(struct hyb_offsets *o, struct hyb_pair *p)
{
	int err;

	p->step_count = 0;
	err = find(o, p);
	any_rate(p);
	return err ? err : share_rate(o, p);
}
