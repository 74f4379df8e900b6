/* SPDX-License-Identifier: BSD-3-Clause */
/* Envelopes of what is known of two clocks; see envelope.h. */
#include "merge/clock/envelope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"
#include "merge/clock/saturate.h"

#define FIRST_SHIFT 20 /* windows of 1 ms */

void hyb_envelope_init(struct hyb_envelope *e)
{
	memset(e, 0, sizeof(*e));
	e->shift = FIRST_SHIFT;
}

void hyb_envelope_free(struct hyb_envelope *e)
{
	free(e->windows);
	e->windows = NULL;
	e->count = 0;
}

/* How far q lies below what p and r leave for it, ns: the more, the more it says. */
static double depth(const struct hyb_point *p, const struct hyb_point *q, const struct hyb_point *r)
{
	double before = (double)(q->at - p->at), after = (double)(r->at - q->at);
	double chord = ((double)p->ahead * after + (double)r->ahead * before) / (before + after);

	return chord + HYB_WANDER / 2 * before * after - (double)q->ahead;
}

/* q says nothing that p does not. */
static bool implied(const struct hyb_point *p, const struct hyb_point *q)
{
	double distance = (double)(q->at - p->at);

	return (double)q->ahead >= (double)p->ahead + HYB_DRIFT_MAX * (distance < 0 ? -distance : distance);
}

static void drop(struct hyb_point *p, uint32_t *count, uint32_t i)
{
	memmove(p + i, p + i + 1, (*count - i - 1) * sizeof(*p));
	(*count)--;
}

/* Away with the neighbours of point i that say nothing beside it. */
static void prune(struct hyb_point *p, uint32_t *count, uint32_t i)
{
	while (i + 1 < *count &&
	       (implied(&p[i], &p[i + 1]) || (i + 2 < *count && depth(&p[i], &p[i + 1], &p[i + 2]) <= 0)))
		drop(p, count, i + 1);
	while (i > 0 && (implied(&p[i], &p[i - 1]) || (i > 1 && depth(&p[i - 2], &p[i - 1], &p[i]) <= 0))) {
		drop(p, count, i - 1);
		i--;
	}
}

/* Of the inner points the one that says least. */
static uint32_t shallowest(const struct hyb_point *p, uint32_t count)
{
	uint32_t least = 1;

	for (uint32_t i = 2; i + 1 < count; i++) {
		if (depth(&p[i - 1], &p[i], &p[i + 1]) < depth(&p[least - 1], &p[least], &p[least + 1]))
			least = i;
	}
	return least;
}

static void add_point(struct hyb_window *w, enum hyb_side side, const struct hyb_point *q)
{
	struct hyb_point p[HYB_ENVELOPE_POINTS + 1];
	uint32_t count = w->count[side], i = 0;

	memcpy(p, w->points[side], count * sizeof(*p));
	while (i < count && p[i].at < q->at)
		i++;
	if (i < count && p[i].at == q->at) {
		if (q->ahead >= p[i].ahead)
			return;
		p[i] = *q;
	} else {
		if ((i > 0 && implied(&p[i - 1], q)) || (i < count && implied(&p[i], q)) ||
		    (i > 0 && i < count && depth(&p[i - 1], q, &p[i]) <= 0))
			return;
		memmove(p + i + 1, p + i, (count - i) * sizeof(*p));
		p[i] = *q;
		count++;
	}
	prune(p, &count, i);
	if (count > HYB_ENVELOPE_POINTS)
		drop(p, &count, shallowest(p, count));
	memcpy(w->points[side], p, count * sizeof(*p));
	w->count[side] = count;
}

/* Where the window with that index is, or has to be. */
static uint32_t place_of(const struct hyb_envelope *e, int64_t index)
{
	return (uint32_t)HYB_SEARCH(i, e->count, e->windows[i].index < index);
}

/* Windows become twice as wide, again and again until a quarter of the room is free. */
static void coalesce(struct hyb_envelope *e, uint32_t windows)
{
	while (e->count > windows - windows / 4) {
		uint32_t n = 0;

		e->shift++;
		for (uint32_t i = 0; i < e->count; i++) {
			struct hyb_window w = e->windows[i];

			w.index >>= 1;
			if (!n || e->windows[n - 1].index != w.index) {
				e->windows[n++] = w;
				continue;
			}
			for (int side = 0; side < 2; side++) {
				for (uint32_t j = 0; j < w.count[side]; j++)
					add_point(&e->windows[n - 1], (enum hyb_side)side, &w.points[side][j]);
			}
		}
		e->count = n;
	}
	e->last = 0;
}

int hyb_envelope_add(struct hyb_envelope *e, enum hyb_side side, int64_t at, int64_t ahead, uint32_t windows)
{
	struct hyb_point q = { hyb_sat_clamp(at, HYB_TIME_LIMIT), hyb_sat_clamp(ahead, HYB_TIME_LIMIT) };
	struct hyb_window *made;
	uint32_t i = e->last;

	if (i >= e->count || e->windows[i].index != q.at >> e->shift) {
		i = place_of(e, q.at >> e->shift);
		if (e->count >= windows && (i == e->count || e->windows[i].index != q.at >> e->shift)) {
			coalesce(e, windows);
			i = place_of(e, q.at >> e->shift);
		}
	}
	if (i == e->count || e->windows[i].index != q.at >> e->shift) {
		made = hyb_array_room(e->windows, &e->room, e->count, sizeof(*made));
		if (!made)
			return -ENOMEM;
		e->windows = made;
		memmove(e->windows + i + 1, e->windows + i, (e->count - i) * sizeof(*e->windows));
		memset(&e->windows[i], 0, sizeof(*e->windows));
		e->windows[i].index = q.at >> e->shift;
		e->count++;
	}
	e->last = i;
	add_point(&e->windows[i], side, &q);
	return 0;
}

void hyb_envelope_clear(struct hyb_envelope *e, enum hyb_side side)
{
	for (uint32_t i = 0; i < e->count; i++)
		e->windows[i].count[side] = 0;
}

uint32_t hyb_envelope_find(const struct hyb_envelope *e, int64_t at)
{
	return place_of(e, hyb_sat_clamp(at, HYB_TIME_LIMIT) >> e->shift);
}

bool hyb_envelope_span(const struct hyb_envelope *e, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t i = 0; i < e->count; i++) {
		const struct hyb_window *w = &e->windows[i];

		for (int side = 0; side < 2; side++) {
			if (!w->count[side])
				continue;
			if (w->points[side][0].at < *first)
				*first = w->points[side][0].at;
			if (w->points[side][w->count[side] - 1].at > *last)
				*last = w->points[side][w->count[side] - 1].at;
		}
	}
	return *first <= *last;
}
