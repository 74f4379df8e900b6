/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and operations across nodes put in order; see order.h. */
#include "merge/clock/order.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/heap.h"
#include "reader/containers/keymap.h"
#include "reader/containers/sort.h"
#include "merge/clock/logical.h"
#include "merge/clock/saturate.h"

#define MEMORY (UINT32_C(4) << 20) /* bytes that are sorted in memory */
#define NONE UINT32_MAX

/* The begin of something on a node, or its end. */
struct event {
	int64_t time;
	uint64_t whole; /* number of the message or operation, from 1 */
	uint32_t node;
	uint32_t end;	 /* not a begin */
	uint32_t begins; /* the whole has */
	uint32_t ends;
};

/* A knot as it waits to be sorted. */
struct moved {
	struct hyb_knot knot;
	uint64_t node;
};

/* A message or operation under way. */
struct whole {
	int64_t latest; /* of the begins so far, with the node, and the latest of other nodes' */
	int64_t second;
	uint32_t latest_node;
	uint32_t begun;
	uint32_t ended;
	uint32_t waiting; /* a node that waits for its begins, NONE: none */
};

struct node {
	uint32_t number;
	const struct event *next;
	const struct event *last; /* one after */
	struct hyb_logical logical;
	uint32_t waiting; /* the next one that waits for the same */
	bool waits;
	/* the last event's time and by how much it was moved */
	int64_t at;
	int64_t shift;
	bool begun;
	struct hyb_knot knot; /* not added yet */
	bool has_knot;
};

/* Records of a file, sorted by node. */
struct rows {
	void *map;
	size_t bytes;
	uint64_t *first; /* of each node, and the end */
};

struct hyb_order {
	const char *dir;
	uint32_t count;
	int64_t least;
	uint64_t added;
	struct hyb_sort events;
	struct hyb_sort knots;
	struct rows event_rows;
	struct rows knot_rows;
	struct node *nodes;
	struct hyb_heap heap; /* of nodes that go on */
	struct hyb_key_map map; /* number of a whole -> its place */
	struct whole *wholes;
	size_t whole_count;
	size_t whole_room;
	size_t *free; /* places that are free again */
	size_t free_count;
	size_t free_room;
	int64_t most_moved;
};

/* At one time the ends come first: what moves them moves the begins along, whose time is told others. */
static int by_node_and_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	HYB_SORT_BY(x->node, y->node);
	HYB_SORT_BY(x->time, y->time);
	HYB_SORT_BY(y->end, x->end);
	HYB_SORT_BY(x->whole, y->whole);
	return 0;
}

static int by_node_and_knot(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;

	HYB_SORT_BY(x->node, y->node);
	HYB_SORT_BY(x->knot.at, y->knot.at);
	return 0;
}

int hyb_order_new(uint32_t nodes, int64_t least, const char *dir, struct hyb_order **order)
{
	struct hyb_order *o = calloc(1, sizeof(*o));
	int ret;

	if (!o)
		return -ENOMEM;
	o->dir = dir;
	o->count = nodes;
	o->least = least;
	o->nodes = calloc((size_t)nodes + 1, sizeof(*o->nodes));
	o->heap.items = calloc((size_t)nodes + 1, sizeof(*o->heap.items));
	o->event_rows.first = calloc((size_t)nodes + 1, sizeof(uint64_t));
	o->knot_rows.first = calloc((size_t)nodes + 1, sizeof(uint64_t));
	ret = hyb_sort_init(&o->events, dir, MEMORY, sizeof(struct event), by_node_and_time);
	if (!ret)
		ret = hyb_sort_init(&o->knots, dir, MEMORY, sizeof(struct moved), by_node_and_knot);
	if (!ret && (!o->nodes || !o->heap.items || !o->event_rows.first || !o->knot_rows.first))
		ret = -ENOMEM;
	for (uint32_t i = 0; !ret && i < nodes; i++)
		o->nodes[i].number = i;
	if (ret)
		hyb_order_free(o);
	else
		*order = o;
	return ret;
}

static void rows_free(struct rows *r)
{
	if (r->bytes)
		munmap(r->map, r->bytes);
	free(r->first);
}

void hyb_order_free(struct hyb_order *o)
{
	if (!o)
		return;
	hyb_sort_free(&o->events);
	hyb_sort_free(&o->knots);
	rows_free(&o->event_rows);
	rows_free(&o->knot_rows);
	hyb_key_map_free(&o->map);
	free(o->nodes);
	free(o->heap.items);
	free(o->wholes);
	free(o->free);
	free(o);
}

/* An end that is not after the begin there, by the node's own clock, says nothing. */
static bool waits(const struct hyb_member *m)
{
	return m->takes && !(m->gives && m->begin >= m->end);
}

int hyb_order_add(struct hyb_order *o, const struct hyb_member *m, size_t count)
{
	struct event e = { .whole = ++o->added };
	uint32_t givers = 0, takers = 0;
	int ret = 0;

	for (size_t i = 0; i < count; i++) {
		givers += m[i].gives;
		takers += waits(&m[i]);
	}
	/* A begin for which nobody waits elsewhere does not matter, nor an end that waits for nobody elsewhere. */
	for (size_t i = 0; i < count; i++) {
		e.begins += m[i].gives && takers > waits(&m[i]);
		e.ends += waits(&m[i]) && givers > m[i].gives;
	}
	for (size_t i = 0; !ret && e.begins && e.ends && i < count; i++) {
		e.node = m[i].node;
		e.time = m[i].begin;
		e.end = 0;
		if (m[i].gives && takers > waits(&m[i]))
			ret = hyb_sort_add(&o->events, &e, 1);
		e.time = m[i].end;
		e.end = 1;
		if (!ret && waits(&m[i]) && givers > m[i].gives)
			ret = hyb_sort_add(&o->events, &e, 1);
	}
	return ret;
}

static uint32_t node_of_event(const void *record)
{
	return ((const struct event *)record)->node;
}

static uint32_t node_of_knot(const void *record)
{
	return (uint32_t)((const struct moved *)record)->node;
}

/* Writes the first bytes of each sorted record to a file. */
static int write_rows(const struct hyb_order *o, struct hyb_sort *s, FILE *file, size_t size,
		      uint32_t (*node_of)(const void *record), struct rows *rows)
{
	uint64_t n = 0;
	uint32_t node = 0;
	const void *record;
	int ret = hyb_sort_rewind(s);

	while (!ret && (ret = hyb_sort_next(s, &record)) > 0) {
		while (node <= node_of(record))
			rows->first[node++] = n;
		ret = fwrite(record, size, 1, file) == 1 ? 0 : -errno;
		n++;
	}
	while (node <= o->count)
		rows->first[node++] = n;
	if (!ret && fflush(file))
		ret = -errno;
	rows->bytes = ret ? 0 : (size_t)n * size;
	return ret;
}

static int make_rows(const struct hyb_order *o, struct hyb_sort *s, size_t size,
		     uint32_t (*node_of)(const void *record), struct rows *rows)
{
	int fd = hyb_sort_file(o->dir), ret;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!file) {
		ret = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = write_rows(o, s, file, size, node_of, rows);
	hyb_sort_free(s);
	if (!ret && rows->bytes) {
		rows->map = mmap(NULL, rows->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (rows->map == MAP_FAILED) {
			rows->bytes = 0;
			ret = -errno;
		}
	}
	fclose(file);
	return ret;
}

/* The place of what is under way; it is new if it was not. 0 or -ENOMEM. */
static int find_whole(struct hyb_order *o, uint64_t number, size_t *place)
{
	struct whole *grown;
	int64_t known;

	if (hyb_key_map_take(&o->map, number, &known)) {
		*place = (size_t)known;
	} else if (o->free_count) {
		*place = o->free[--o->free_count];
		o->wholes[*place] = (struct whole){ .latest_node = NONE, .waiting = NONE };
	} else {
		grown = hyb_array_room(o->wholes, &o->whole_room, o->whole_count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		o->wholes = grown;
		*place = o->whole_count++;
		o->wholes[*place] = (struct whole){ .latest_node = NONE, .waiting = NONE };
	}
	return hyb_key_map_put(&o->map, number, (int64_t)*place);
}

/* All its begins and ends are over. */
static int end_whole(struct hyb_order *o, uint64_t number, size_t place)
{
	size_t *grown = hyb_array_room(o->free, &o->free_room, o->free_count, sizeof(*grown));
	int64_t known;

	if (!grown)
		return -ENOMEM;
	o->free = grown;
	o->free[o->free_count++] = place;
	hyb_key_map_take(&o->map, number, &known);
	return 0;
}

static int add_knot(struct hyb_order *o, struct node *n, int64_t at, int64_t shift)
{
	const struct moved moved = { .knot = n->knot, .node = n->number };
	bool more = n->has_knot && at > n->knot.at;

	if (n->has_knot && !more) {
		n->knot.ahead = shift > n->knot.ahead ? shift : n->knot.ahead;
		return 0;
	}
	n->has_knot = true;
	n->knot = (struct hyb_knot){ .at = at, .ahead = shift };
	return more ? hyb_sort_add(&o->knots, &moved, 1) : 0;
}

static int64_t times_decay(int64_t shift)
{
	return shift < INT64_MAX / HYB_LOGICAL_DECAY ? shift * HYB_LOGICAL_DECAY : INT64_MAX;
}

/*
 * An event with its final shift: knots where that is not 0, and where it comes to be so and ceases to, slowly. Knots
 * before the first and after the last one are 0, so that the line goes on there as 0.
 */
static int settle(struct hyb_order *o, struct node *n, int64_t at, int64_t shift)
{
	int64_t down = hyb_sat_add(n->at, times_decay(n->shift)), up = hyb_sat_sub(at, times_decay(shift));
	int ret = 0;

	if (shift > o->most_moved)
		o->most_moved = shift;
	if (shift && !n->shift) {
		if (n->begun && up < n->at)
			up = n->at;
		ret = add_knot(o, n, hyb_sat_sub(up, 1), 0);
		if (!ret)
			ret = add_knot(o, n, up, 0);
	} else if (n->shift && down < up) {
		ret = add_knot(o, n, down, 0);
		if (!ret)
			ret = add_knot(o, n, up, 0);
	}
	if (!ret && (shift || n->shift))
		ret = add_knot(o, n, at, shift);
	n->at = at;
	n->shift = shift;
	n->begun = true;
	return ret;
}

/* The node's last knots. */
static int finish(struct hyb_order *o, struct node *n)
{
	int ret = 0;

	if (!n->has_knot)
		return 0;
	if (n->shift)
		ret = add_knot(o, n, hyb_sat_add(n->at, times_decay(n->shift)), 0);
	/* One to end the line, and one that puts that down. */
	for (int i = 0; !ret && i < 2; i++)
		ret = add_knot(o, n, hyb_sat_add(n->knot.at, 1), 0);
	return ret;
}

static bool comes_first(const void *a, const void *b, const void *unused)
{
	const struct node *x = a, *y = b;

	(void)unused;
	if (x->next->time != y->next->time)
		return x->next->time < y->next->time;
	return x->number < y->number;
}

/* Those that waited for its begins go on. */
static void wake(struct hyb_order *o, struct whole *w)
{
	if (w->waiting == NONE)
		return;
	while (w->waiting != NONE) {
		struct node *n = &o->nodes[w->waiting];

		w->waiting = n->waiting;
		n->waits = false;
		o->heap.items[o->heap.count++] = n;
	}
	hyb_heap_order(&o->heap, comes_first, NULL);
}

static void note_begin(struct whole *w, uint32_t node, int64_t time)
{
	if (w->latest_node == NONE || time > w->latest) {
		w->second = w->latest_node == NONE ? HYB_NO_BOUND : w->latest;
		w->latest = time;
		w->latest_node = node;
	} else if (time > w->second) {
		w->second = time;
	}
	w->begun++;
}

/* When the others had begun it, as far as that is known. */
static int64_t bound_of(const struct hyb_order *o, const struct whole *w, uint32_t node)
{
	int64_t latest = w->latest_node == node ? w->second : w->latest;

	return w->latest_node == NONE || latest == HYB_NO_BOUND ? HYB_NO_BOUND : hyb_sat_add(latest, o->least);
}

/* Takes the node's next event in, which waits for nothing. */
static int take(struct hyb_order *o, struct node *n, size_t place)
{
	const struct event *e = n->next;
	struct whole *w = &o->wholes[place];
	int64_t time = hyb_logical_time(&n->logical, e->time, e->end ? bound_of(o, w, n->number) : HYB_NO_BOUND);
	int ret = settle(o, n, e->time, hyb_sat_sub(time, e->time));
	bool over;

	if (e->end)
		w->ended++;
	else
		note_begin(w, n->number, time);
	over = w->begun >= e->begins && w->ended >= e->ends;
	n->next++;
	hyb_heap_moved(&o->heap, n->next < n->last, comes_first, NULL);
	if (!e->end && w->begun >= e->begins)
		wake(o, w);
	return !ret && over ? end_whole(o, e->whole, place) : ret;
}

/* Nobody can go on: a circle, of damaged files only. Those that wait for one whole do with what is known of it. */
static int break_circle(struct hyb_order *o)
{
	const struct event *e;
	size_t place;
	int ret;

	for (uint32_t i = 0; i < o->count; i++) {
		if (!o->nodes[i].waits)
			continue;
		e = o->nodes[i].next;
		ret = find_whole(o, e->whole, &place);
		if (ret)
			return ret;
		o->wholes[place].begun = e->begins;
		wake(o, &o->wholes[place]);
		break;
	}
	return 0;
}

static int step(struct hyb_order *o)
{
	struct node *n = o->heap.items[0];
	const struct event *e = n->next;
	struct whole *w;
	size_t place;
	int ret = find_whole(o, e->whole, &place);

	if (ret)
		return ret;
	w = &o->wholes[place];
	if (!e->end || w->begun >= e->begins)
		return take(o, n, place);
	n->waiting = w->waiting;
	n->waits = true;
	w->waiting = n->number;
	hyb_heap_moved(&o->heap, false, comes_first, NULL);
	return 0;
}

int hyb_order_solve(struct hyb_order *o)
{
	const struct event *events;
	bool more = true;
	int ret = make_rows(o, &o->events, sizeof(struct event), node_of_event, &o->event_rows);

	events = o->event_rows.map;
	for (uint32_t i = 0; !ret && i < o->count; i++) {
		struct node *n = &o->nodes[i];

		n->next = events + o->event_rows.first[i];
		n->last = events + o->event_rows.first[i + 1];
		if (n->next < n->last)
			o->heap.items[o->heap.count++] = n;
	}
	if (!ret)
		hyb_heap_order(&o->heap, comes_first, NULL);
	while (!ret && more) {
		while (!ret && o->heap.count)
			ret = step(o);
		if (!ret)
			ret = break_circle(o);
		more = o->heap.count;
	}
	for (uint32_t i = 0; !ret && i < o->count; i++)
		ret = finish(o, &o->nodes[i]);
	return ret ? ret : make_rows(o, &o->knots, sizeof(struct hyb_knot), node_of_knot, &o->knot_rows);
}

struct hyb_correction hyb_order_correction(const struct hyb_order *o, uint32_t node)
{
	struct hyb_knot *knots = o->knot_rows.map;
	uint64_t from = o->knot_rows.first[node];

	return (struct hyb_correction){ .knots = knots ? knots + from : NULL,
					.count = o->knot_rows.first[node + 1] - from };
}

int64_t hyb_order_most_moved(const struct hyb_order *o)
{
	return o->most_moved;
}
