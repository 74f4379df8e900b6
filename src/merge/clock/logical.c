/* SPDX-License-Identifier: BSD-3-Clause */
/* The controlled logical clock; see logical.h. */
#include "merge/clock/logical.h"

#include <errno.h>
#include <stdlib.h>

#include "merge/clock/saturate.h"

#define JUMP_MAX (INT64_C(1) << 62)

struct event {
	int64_t input;
	int64_t time;
	int64_t limit;
};

/* Where the line bends by which events before a jump are moved. */
struct corner {
	int64_t at;
	int64_t shift;
};

struct hyb_logical {
	struct event *events; /* a ring */
	struct corner *corners;
	uint32_t corner_count;
	uint32_t window;
	uint32_t first; /* the oldest */
	uint32_t count;
	int64_t shift; /* of the last event */
	int64_t owed;  /* time gone by that has not made up for a nanosecond of it */
	int64_t input; /* of the last event */
	int64_t last;  /* and as it was given back */
	bool begun;
	struct hyb_logical_totals totals;
};

int hyb_logical_new(uint32_t window, struct hyb_logical **logical)
{
	struct hyb_logical *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->window = window ? window : 1;
	l->events = malloc(l->window * sizeof(*l->events));
	l->corners = malloc((l->window + (size_t)2) * sizeof(*l->corners));
	if (!l->events || !l->corners) {
		hyb_logical_free(l);
		return -ENOMEM;
	}
	*logical = l;
	return 0;
}

void hyb_logical_free(struct hyb_logical *l)
{
	if (!l)
		return;
	free(l->events);
	free(l->corners);
	free(l);
}

bool hyb_logical_full(const struct hyb_logical *l)
{
	return l->count == l->window;
}

/* Counted from the oldest one. */
static struct event *event_at(const struct hyb_logical *l, uint32_t i)
{
	return &l->events[(l->first + (uint64_t)i) % l->window];
}

/* One more point, not before those so far, of what events may be moved by: the lower hull is kept. */
static void add_corner(struct hyb_logical *l, int64_t at, int64_t shift)
{
	struct corner *c = l->corners;

	if (l->corner_count && c[l->corner_count - 1].at == at) {
		if (c[l->corner_count - 1].shift <= shift)
			return;
		l->corner_count--;
	}
	while (l->corner_count > 1) {
		const struct corner *p = &c[l->corner_count - 2], *q = &c[l->corner_count - 1];
		__int128 run = (__int128)at - p->at, gone = (__int128)q->at - p->at;

		if ((q->shift - p->shift) * run < (shift - p->shift) * gone)
			break;
		l->corner_count--;
	}
	c[l->corner_count].at = at;
	c[l->corner_count++].shift = shift;
}

/* On the line from a corner to the next one. */
static int64_t shift_at(const struct corner *p, int64_t at)
{
	__int128 gone = (__int128)at - p->at, run = (__int128)p[1].at - p->at;

	return gone >= run ? p[1].shift : p->shift + (int64_t)((p[1].shift - p->shift) * gone / run);
}

/*
 * Spreads a jump of the newest event from `at` over the events before it: along straight lines that rise from nothing
 * as steeply as the decay, or more steeply where a send may not be moved so far.
 */
static void amortise(struct hyb_logical *l, int64_t jump, int64_t at)
{
	uint32_t last = l->count - 1, begin = last, c = 0;

	while (begin > 0 && hyb_sat_sub(at, event_at(l, begin - 1)->time) / HYB_LOGICAL_DECAY < jump)
		begin--;
	if (begin == last)
		return;
	l->corner_count = 0;
	add_corner(l, event_at(l, begin)->time, 0);
	for (uint32_t i = begin + 1; i < last; i++) {
		const struct event *e = event_at(l, i);
		int64_t room = e->limit == HYB_NO_LIMIT ? jump : hyb_sat_sub(e->limit, e->time);

		if (room < jump)
			add_corner(l, e->time, room > 0 ? room : 0);
	}
	add_corner(l, at, jump);
	for (uint32_t i = begin; i < last; i++) {
		struct event *e = event_at(l, i);
		const struct corner *p;

		while (c + 2 < l->corner_count && l->corners[c + 1].at <= e->time)
			c++;
		if (l->corner_count < 2)
			return;
		p = &l->corners[c];
		e->time = hyb_sat_add(e->time, shift_at(p, e->time));
	}
}

/* What is left of the last event's shift after so much time. */
static int64_t decayed(struct hyb_logical *l, int64_t gone)
{
	int64_t back;

	if (l->shift <= 0)
		return 0;
	l->owed = hyb_sat_add(l->owed, gone);
	back = l->owed / HYB_LOGICAL_DECAY;
	l->owed %= HYB_LOGICAL_DECAY;
	/* Of an interval something has to be left. */
	if (back > gone - 1)
		back = gone > 0 ? gone - 1 : 0;
	return l->shift > back ? l->shift - back : 0;
}

int64_t hyb_logical_push(struct hyb_logical *l, int64_t time, int64_t bound, int64_t limit)
{
	struct event *e;
	int64_t jump = 0, at;

	if (l->begun && time < l->input)
		time = l->input;
	l->shift = l->begun ? decayed(l, hyb_sat_sub(time, l->input)) : 0;
	at = hyb_sat_add(time, l->shift);
	/* Where shifts are as large as numbers can be. */
	if (l->begun && at < l->last)
		at = l->last;
	if (bound != HYB_NO_BOUND) {
		l->totals.bounds++;
		if (time < bound) {
			int64_t early = hyb_sat_sub(bound, time);

			l->totals.early++;
			l->totals.worst = early > l->totals.worst ? early : l->totals.worst;
		}
		if (at < bound)
			jump = hyb_sat_clamp(hyb_sat_sub(bound, at), JUMP_MAX);
	}
	e = event_at(l, l->count);
	e->input = time;
	e->time = hyb_sat_add(at, jump);
	e->limit = limit;
	l->count++;
	l->input = time;
	l->last = e->time;
	l->begun = true;
	if (jump) {
		l->shift = hyb_sat_sub(e->time, time);
		l->owed = 0;
		amortise(l, jump, at);
	}
	return e->time;
}

bool hyb_logical_pop(struct hyb_logical *l, int64_t *input, int64_t *time)
{
	const struct event *e = event_at(l, 0);
	int64_t moved;

	if (!l->count)
		return false;
	moved = hyb_sat_sub(e->time, e->input);
	l->totals.moved += moved > 0;
	if (moved > l->totals.most_moved)
		l->totals.most_moved = moved;
	*input = e->input;
	*time = e->time;
	l->first = (l->first + 1) % l->window;
	l->count--;
	return true;
}

const struct hyb_logical_totals *hyb_logical_totals(const struct hyb_logical *l)
{
	return &l->totals;
}
