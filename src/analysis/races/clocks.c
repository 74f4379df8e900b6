/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes before what: vector clocks. Each thread is followed until it waits for a message or for members of a
 * collective operation that were not followed so far; who waits for ever, since something is missing, goes on without.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/races/races.h"

struct part { /* a message on its way, or a collective operation */
	uint64_t number;
	uint32_t *clock;
	uint64_t missing; /* members that give and have not begun */
	uint32_t *waiting; /* tracks */
	size_t waiting_count;
};

struct course {
	struct hyb_races *r;
	uint32_t *clocks; /* of each track one of track_count numbers: items that come before where it is */
	size_t *at;
	bool *queued;
	uint32_t *ready; /* tracks that may go on */
	size_t ready_count;
	struct hyb_table messages;
	struct hyb_table operations;
	bool forced; /* who waits goes on without */
	const size_t *marks; /* of each track one item, or SIZE_MAX; NULL: nobody asks */
	bool *first;	     /* what came before that of a track is none of the others' */
};

static uint32_t *clock_of(const struct course *c, size_t track)
{
	return c->clocks + track * c->r->track_count;
}

static void merge_clock(const struct course *c, uint32_t *into, const uint32_t *from)
{
	for (size_t i = 0; i < c->r->track_count; i++)
		into[i] = from[i] > into[i] ? from[i] : into[i];
}

static void make_ready(struct course *c, uint32_t track)
{
	if (c->queued[track])
		return;
	c->queued[track] = true;
	c->ready[c->ready_count++] = track;
}

static void wake(struct course *c, struct part *part)
{
	for (size_t i = 0; i < part->waiting_count; i++)
		make_ready(c, part->waiting[i]);
	free(part->waiting);
	part->waiting = NULL;
	part->waiting_count = 0;
}

/* 0 or -ENOMEM. */
static int wait_for(struct part *part, size_t track)
{
	uint32_t *waiting = realloc(part->waiting, (part->waiting_count + 1) * sizeof(*waiting));

	if (!waiting)
		return -ENOMEM;
	part->waiting = waiting;
	waiting[part->waiting_count++] = (uint32_t)track;
	return 0;
}

static int add_clock(struct course *c, struct part *part, size_t track)
{
	if (!part->clock)
		part->clock = calloc(c->r->track_count, sizeof(*part->clock));
	if (!part->clock)
		return -ENOMEM;
	merge_clock(c, part->clock, clock_of(c, track));
	return 0;
}

static int send(struct course *c, size_t track, struct hyb_race_item *item)
{
	struct part *part;
	int err;

	if (!item->number)
		return 0;
	if (item->other < c->r->track_count)
		item->knows = clock_of(c, track)[item->other];
	part = hyb_table_get(&c->messages, &item->number);
	if (!part)
		return -ENOMEM;
	err = add_clock(c, part, track);
	wake(c, part);
	return err;
}

/* 1: it waits; 0: it does not; -ENOMEM. */
static int receive(struct course *c, size_t track, const struct hyb_race_item *item)
{
	struct part *part;

	if (!item->number)
		return 0;
	part = hyb_table_get(&c->messages, &item->number);
	if (!part)
		return -ENOMEM;
	if (!part->clock)
		return c->forced ? 0 : wait_for(part, track) ? -ENOMEM : 1;
	merge_clock(c, clock_of(c, track), part->clock);
	free(part->clock);
	part->clock = NULL;
	return 0;
}

static int begin_join(struct course *c, size_t track, const struct hyb_race_item *item)
{
	struct part *part;
	int err;

	if (!item->number || !item->gives)
		return 0;
	part = hyb_table_get(&c->operations, &item->number);
	if (!part)
		return -ENOMEM;
	err = add_clock(c, part, track);
	part->missing -= part->missing > 0;
	if (!part->missing)
		wake(c, part);
	return err;
}

static int end_join(struct course *c, size_t track, const struct hyb_race_item *item)
{
	struct part *part;

	if (!item->number || !item->takes)
		return 0;
	part = hyb_table_get(&c->operations, &item->number);
	if (!part)
		return -ENOMEM;
	if (part->missing && !c->forced)
		return wait_for(part, track) ? -ENOMEM : 1;
	if (part->clock)
		merge_clock(c, clock_of(c, track), part->clock);
	return 0;
}

/* The track has done the item that is marked, and knows what came before. */
static void look_back(const struct course *c, size_t track)
{
	const uint32_t *clock = clock_of(c, track);

	c->first[track] = true;
	for (size_t i = 0; i < c->r->track_count; i++) {
		if (i != track && c->marks[i] != SIZE_MAX && clock[i] > c->marks[i])
			c->first[track] = false;
	}
}

/* The thread's next item. 1: it waits; 0: it was done; -ENOMEM. */
static int step(struct course *c, size_t track)
{
	struct hyb_race_item *item = &c->r->tracks[track].items[c->at[track]];
	int ret = 0;

	if (item->what == HYB_RACE_RECEIVE)
		ret = receive(c, track, item);
	else if (item->what == HYB_RACE_JOIN_END)
		ret = end_join(c, track, item);
	if (ret)
		return ret;
	c->forced = false;
	if (c->marks && c->marks[track] == c->at[track])
		look_back(c, track);
	clock_of(c, track)[track] = (uint32_t)++c->at[track];
	if (item->what == HYB_RACE_SEND)
		return send(c, track, item);
	return item->what == HYB_RACE_JOIN_BEGIN ? begin_join(c, track, item) : 0;
}

/* Some thread that has not come to its end, or SIZE_MAX. */
static size_t find_stuck(const struct course *c)
{
	for (size_t i = 0; i < c->r->track_count; i++) {
		if (c->at[i] < c->r->tracks[i].count)
			return i;
	}
	return SIZE_MAX;
}

/* All of them; ends when `track` has done item `last`. 0 or -ENOMEM. */
static int run(struct course *c, size_t track, size_t last)
{
	size_t stuck;
	int ret = 0;

	while (ret >= 0) {
		if (!c->ready_count) {
			stuck = find_stuck(c);
			if (stuck == SIZE_MAX)
				return 0;
			c->forced = true;
			make_ready(c, (uint32_t)stuck);
		}
		const uint32_t now = c->ready[--c->ready_count];

		c->queued[now] = false;
		for (ret = 0; !ret && c->at[now] < c->r->tracks[now].count;) {
			ret = step(c, now);
			if (!ret && now == track && c->at[now] > last)
				return 0;
		}
	}
	return ret;
}

/* How many members of each operation give something. */
static int count_members(struct course *c)
{
	for (size_t t = 0; t < c->r->track_count; t++) {
		make_ready(c, (uint32_t)t);
		for (size_t i = 0; i < c->r->tracks[t].count; i++) {
			const struct hyb_race_item *item = &c->r->tracks[t].items[i];
			struct part *part;

			if (item->what != HYB_RACE_JOIN_BEGIN || !item->number || !item->gives)
				continue;
			part = hyb_table_get(&c->operations, &item->number);
			if (!part)
				return -ENOMEM;
			part->missing++;
		}
	}
	return 0;
}

static void free_parts(struct hyb_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct part *part = hyb_table_at(t, i);

		free(part->clock);
		free(part->waiting);
	}
	hyb_table_free(t);
}

/* As hyb_races_clocks. */
static int follow(struct course *c, size_t track, size_t receive_at, uint32_t *items)
{
	const size_t n = c->r->track_count;
	int err = -ENOMEM;

	HYB_TABLE_KEYED(&c->messages, struct part, number);
	HYB_TABLE_KEYED(&c->operations, struct part, number);
	c->clocks = calloc(n * n + 1, sizeof(*c->clocks));
	c->at = calloc(n + 1, sizeof(*c->at));
	c->queued = calloc(n + 1, sizeof(*c->queued));
	c->ready = calloc(n + 1, sizeof(*c->ready));
	if (c->clocks && c->at && c->queued && c->ready)
		err = count_members(c);
	if (!err)
		err = run(c, track, receive_at);
	if (!err && items)
		memcpy(items, clock_of(c, track), n * sizeof(*items));
	free_parts(&c->messages);
	free_parts(&c->operations);
	free(c->clocks);
	free(c->at);
	free(c->queued);
	free(c->ready);
	return err;
}

int hyb_races_clocks(struct hyb_races *r, size_t track, size_t receive_at, uint32_t *items)
{
	struct course c = { .r = r };

	return follow(&c, track, receive_at, items);
}

int hyb_races_first(struct hyb_races *r, const size_t *items, bool *first)
{
	struct course c = { .r = r, .marks = items, .first = first };

	return follow(&c, SIZE_MAX, SIZE_MAX, NULL);
}
