/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the difference of two clocks has to be; see band.h. */
#include "merge/clock/band.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REACH INT64_C(20000000000) /* points so far away (20 s) are looked at; their bounds are 2 us wider */
#define WINDOWS 8		   /* on either side at least, however far away */
#define TOO_STEEP (0.999 * HYB_DRIFT_MAX)
#define LIKELY 0.7	   /* of the most room that a line has at any rate, it has at the true one */
#define CLOSE 0.1	   /* of the time over which one side has points: the other side's tell no rate */
#define HALVINGS 40 /* of the range of rates: to 1e-15 */

void hyb_band_room_free(struct hyb_band_room *room)
{
	for (int side = 0; side < 2; side++) {
		free(room->x[side]);
		free(room->y[side]);
	}
	memset(room, 0, sizeof(*room));
}

static int make_room(struct hyb_band_room *room, uint32_t points)
{
	for (int side = 0; side < 2; side++) {
		double *x, *y;

		room->count[side] = 0;
		if (points <= room->room[side])
			continue;
		x = realloc(room->x[side], points * sizeof(*x));
		if (x)
			room->x[side] = x;
		y = realloc(room->y[side], points * sizeof(*y));
		if (y)
			room->y[side] = y;
		if (!x || !y)
			return -ENOMEM;
		room->room[side] = points;
	}
	return 0;
}

/* One more point, in the order of time: the hull below those so far. */
static void push(struct hyb_band_room *room, int side, double x, double y)
{
	double *xs = room->x[side], *ys = room->y[side];
	uint32_t n = room->count[side];

	while (n > 1 && (ys[n - 1] - ys[n - 2]) * (x - xs[n - 2]) >= (y - ys[n - 2]) * (xs[n - 1] - xs[n - 2]))
		n--;
	xs[n] = x;
	ys[n] = y;
	room->count[side] = n + 1;
}

/* The hulls of the windows' points, as seen from `at`, each point's bound widened by the distance. */
static int gather(struct hyb_band_room *room, const struct hyb_band_query *q, uint32_t first, uint32_t last,
		  int64_t at, double wander)
{
	int err = make_room(room, (last - first + 1) * HYB_ENVELOPE_POINTS);

	if (err)
		return err;
	for (uint32_t i = first; i <= last; i++) {
		const struct hyb_window *w = &q->envelope->windows[i];

		for (int side = 0; side < 2; side++) {
			for (uint32_t j = 0; j < w->count[side]; j++) {
				const struct hyb_point *p = &w->points[side][j];
				double x = (double)p->at - (double)at;

				if (p->at > q->from && p->at < q->to)
					push(room, side, x, (double)p->ahead + wander / 2 * x * x);
			}
		}
	}
	return 0;
}

/*
 * The lowest line of a side at the rate s: where the point nearest to it puts the difference. *turn: how that changes
 * with s. On the lower side all is negated.
 */
static double lowest(const struct hyb_band_room *room, int side, double s, double *turn)
{
	double sign = side == HYB_UPPER ? 1 : -1, best = HUGE_VAL;

	*turn = 0;
	for (uint32_t i = 0; i < room->count[side]; i++) {
		double v = room->y[side][i] - sign * s * room->x[side][i];

		if (v < best) {
			best = v;
			*turn = -sign * room->x[side][i];
		}
	}
	return best;
}

/*
 * The room between the sides, or above or below where only one is asked for, as a function of the rate; it is
 * concave.
 */
static double room_at(const struct hyb_band_room *room, unsigned int sides, double s, double *turn)
{
	double sum = 0;

	*turn = 0;
	for (int side = 0; side < 2; side++) {
		double t;

		if (!(sides & 1u << side))
			continue;
		sum += lowest(room, side, s, &t);
		*turn += t;
	}
	return sum;
}

/* The rate between low and high at which there is the most room: where that ceases to rise. */
static double peak(const struct hyb_band_room *room, unsigned int sides, double low, double high)
{
	double turn;

	room_at(room, sides, low, &turn);
	if (turn <= 0)
		return low;
	room_at(room, sides, high, &turn);
	if (turn >= 0)
		return high;
	for (int i = 0; i < HALVINGS; i++) {
		double s = low + (high - low) / 2;

		room_at(room, sides, s, &turn);
		if (turn > 0)
			low = s;
		else
			high = s;
	}
	return low + (high - low) / 2;
}

/* How far from s, where there is so much room for a line, to `end` there is. */
static double last_with_room(const struct hyb_band_room *room, double s, double end, double least)
{
	double turn;

	if (room_at(room, 3, end, &turn) >= least)
		return end;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = s + (end - s) / 2;

		if (room_at(room, 3, middle, &turn) >= least)
			s = middle;
		else
			end = middle;
	}
	return s;
}

/* Where the difference may be if the rate is between these. */
static void find_range(const struct hyb_band_room *room, double from, double to, double range[2])
{
	double turn;

	range[0] = -lowest(room, HYB_LOWER, peak(room, 2, from, to), &turn);
	range[1] = lowest(room, HYB_UPPER, peak(room, 1, from, to), &turn);
}

static double extent(const struct hyb_band_room *room, int side)
{
	return room->x[side][room->count[side] - 1] - room->x[side][0];
}

/* The side whose points alone tell of the rate, since those of the other one lie close together; or -1. */
static int telling_side(const struct hyb_band_room *room)
{
	for (int side = 0; side < 2; side++)
		if (room->count[side] > 1 && extent(room, !side) < CLOSE * extent(room, side))
			return side;
	return -1;
}

/* The rate of a side's hull half way between its ends, where its edges are longest. */
static double middle_rate(const struct hyb_band_room *room, int side)
{
	const double *x = room->x[side], *y = room->y[side];
	double middle = x[0] + extent(room, side) / 2;
	uint32_t i = 1;

	while (i + 1 < room->count[side] && x[i] < middle)
		i++;
	return (side == HYB_UPPER ? 1 : -1) * (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
}

/*
 * Messages went one way, and at one time only there were some the other way: the quickest of that way are thought to
 * have taken the same time all along. What leaves most room would be as steep as is allowed.
 */
static void follow_side(const struct hyb_band_room *room, const struct hyb_band_query *q, int side,
			struct hyb_band *band)
{
	double s = middle_rate(room, side), turn;

	s = s < band->rates[0] ? band->rates[0] : s > band->rates[1] ? band->rates[1] : s;
	band->slope = s;
	band->gap = room_at(room, 3, s, &turn);
	band->likely[0] = -lowest(room, HYB_LOWER, s, &turn);
	band->likely[1] = lowest(room, HYB_UPPER, s, &turn);
	band->ahead = band->likely[1] - q->share * band->gap;
}

static void fill_band(const struct hyb_band_room *room, const struct hyb_band_query *q, struct hyb_band *band)
{
	double least = q->rates[0], most = q->rates[1], share = q->share, from, to, turn;
	double s = peak(room, 3, least, most);
	int side;

	band->gap = room_at(room, 3, s, &turn);
	if (band->gap < 0) {
		least = -HYB_DRIFT_MAX;
		most = HYB_DRIFT_MAX;
		s = peak(room, 3, least, most);
		band->gap = room_at(room, 3, s, &turn);
	}
	if (band->gap < 0) {
		band->slope = s;
		band->ahead = lowest(room, HYB_UPPER, s, &turn) - share * band->gap;
		band->likely[0] = band->sure[0] = band->ahead + band->gap;
		band->likely[1] = band->sure[1] = band->ahead - band->gap;
		band->rates[0] = least;
		band->rates[1] = most;
		return;
	}
	side = telling_side(room);
	from = band->rates[0] = last_with_room(room, s, least, 0);
	to = band->rates[1] = last_with_room(room, s, most, 0);
	find_range(room, from, to, band->sure);
	if (side >= 0) {
		follow_side(room, q, side, band);
		return;
	}
	find_range(room, last_with_room(room, s, from, LIKELY * band->gap),
		   last_with_room(room, s, to, LIKELY * band->gap), band->likely);
	band->slope = s;
	band->ahead = band->sure[1] - share * (band->sure[1] - band->sure[0]);
	if (s > -TOO_STEEP && s < TOO_STEEP)
		return;
	/* So few points tell no rate: then none, as far as that is possible. */
	band->slope = from > 0 ? from : to < 0 ? to : 0;
	band->gap = room_at(room, 3, band->slope, &turn);
	band->ahead = lowest(room, HYB_UPPER, band->slope, &turn) - share * band->gap;
}

/* The windows between two times. False: there are none. */
static bool choose_all(const struct hyb_envelope *e, int64_t from, int64_t to, uint32_t *first, uint32_t *last)
{
	if (!e->count)
		return false;
	*first = from <= -HYB_TIME_LIMIT ? 0 : hyb_envelope_find(e, from);
	*last = to >= HYB_TIME_LIMIT ? e->count - 1 : hyb_envelope_find(e, to);
	if (*last >= e->count)
		*last = e->count - 1;
	return *first <= *last;
}

/* The windows to look at: those in reach of `at`, and some of those next to it. False: there are none. */
static bool choose(const struct hyb_envelope *e, int64_t from, int64_t to, int64_t at, uint32_t *first, uint32_t *last)
{
	uint32_t middle, begin, end;

	if (!choose_all(e, from, to, &begin, &end))
		return false;
	middle = hyb_envelope_find(e, at);
	if (middle > end)
		middle = end;
	if (middle < begin)
		middle = begin;
	*first = hyb_envelope_find(e, at - REACH);
	*last = hyb_envelope_find(e, at + REACH);
	if (*first + WINDOWS > middle)
		*first = middle > WINDOWS ? middle - WINDOWS : 0;
	if (*last < middle + WINDOWS)
		*last = middle + WINDOWS;
	*first = *first < begin ? begin : *first;
	*last = *last > end ? end : *last;
	return true;
}

int hyb_band_at(struct hyb_band_room *room, const struct hyb_band_query *q, int64_t at, struct hyb_band *band)
{
	uint32_t first, last;
	double turn;
	int err;

	memset(band, 0, sizeof(*band));
	band->rates[0] = q->rates[0];
	band->rates[1] = q->rates[1];
	band->sure[0] = band->likely[0] = -HUGE_VAL;
	band->sure[1] = band->likely[1] = HUGE_VAL;
	if (at > HYB_TIME_LIMIT)
		at = HYB_TIME_LIMIT;
	if (at < -HYB_TIME_LIMIT)
		at = -HYB_TIME_LIMIT;
	if (!choose(q->envelope, q->from, q->to, at, &first, &last))
		return 0;
	err = gather(room, q, first, last, at, HYB_WANDER);
	/* Bounds on one side only: those of the other one may be further away. */
	if (!err && !(room->count[HYB_UPPER] && room->count[HYB_LOWER]) &&
	    choose_all(q->envelope, q->from, q->to, &first, &last))
		err = gather(room, q, first, last, at, HYB_WANDER);
	if (err)
		return err;
	for (int side = 0; side < 2; side++)
		band->sides[side] = room->count[side];
	if (band->sides[HYB_UPPER] && band->sides[HYB_LOWER]) {
		fill_band(room, q, band);
	} else if (band->sides[HYB_UPPER]) {
		band->sure[1] = band->likely[1] = lowest(room, HYB_UPPER, peak(room, 1, q->rates[0], q->rates[1]), &turn);
		band->ahead = lowest(room, HYB_UPPER, (q->rates[0] + q->rates[1]) / 2, &turn);
	} else if (band->sides[HYB_LOWER]) {
		band->sure[0] = band->likely[0] = -lowest(room, HYB_LOWER, peak(room, 2, q->rates[0], q->rates[1]), &turn);
		band->ahead = -lowest(room, HYB_LOWER, (q->rates[0] + q->rates[1]) / 2, &turn);
	}
	return 0;
}

int hyb_band_gap(struct hyb_band_room *room, const struct hyb_band_query *q, uint32_t first, uint32_t last,
		 double *gap)
{
	const struct hyb_envelope *e = q->envelope;
	int64_t at = (e->windows[first].index + e->windows[last].index) / 2 * ((int64_t)1 << e->shift);
	double turn;
	int err = gather(room, q, first, last, at, 0);

	if (err)
		return err;
	*gap = HUGE_VAL;
	if (room->count[0] && room->count[1])
		*gap = room_at(room, 3, peak(room, 3, q->rates[0], q->rates[1]), &turn);
	return 0;
}

int hyb_band_rate(struct hyb_band_room *room, const struct hyb_envelope *e, enum hyb_side side, int64_t at,
		  double *rate)
{
	const struct hyb_band_query q = { .envelope = e, .from = INT64_MIN, .to = INT64_MAX };
	uint32_t first, last;
	int err;

	*rate = 0;
	if (!choose(e, q.from, q.to, at, &first, &last))
		return 0;
	err = gather(room, &q, first, last, at, HYB_WANDER);
	if (err || room->count[side] < 2)
		return err;
	/* The line that is nearest to the envelope here; seen from its end it would be the steepest possible one. */
	*rate = peak(room, 1u << side, -HYB_DRIFT_MAX, HYB_DRIFT_MAX);
	if (*rate <= -HYB_DRIFT_MAX || *rate >= HYB_DRIFT_MAX)
		*rate = 0;
	return 0;
}
