/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs with messages in one direction only. If messages of others lead back, as in a ring, a chain of them is as good
 * as one message back: it took as long as all of them together, less what passed between a receipt and the next send,
 * which one node's clock has measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/search.h"
#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define HOPS_MAX 32    /* a longer way back bounds too little */
#define RATES 32       /* of a pair, found */
#define NEAR_RATE 2e-5 /* rates of one pair differ by no more, but where there is a step */

struct message {
	int64_t sent;
	int64_t received;
	double rate; /* of the receiver's clock against the sender's */
};

struct link { /* messages of one direction of a pair, by time */
	struct message *messages;
	size_t count;
};

struct search {
	struct hyb_incidence in; /* pairs of nodes */
	uint32_t *from;		 /* pair by which a node was reached */
	uint32_t *queue;
	uint32_t *hops;
	uint32_t *turn;
	uint32_t turns;
};

static void search_free(struct search *s)
{
	hyb_incidence_free(&s->in);
	free(s->from);
	free(s->queue);
	free(s->hops);
	free(s->turn);
}

static int search_make(const struct hyb_offsets *o, struct search *s)
{
	struct hyb_edge *edges = malloc((o->pairs.count + (size_t)1) * sizeof(*edges));
	size_t n = (size_t)o->nodes + 1;
	int err = edges ? 0 : -ENOMEM;

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; !err && i < o->pairs.count; i++)
		edges[i] = (struct hyb_edge){ hyb_pair_at(o, i)->a, hyb_pair_at(o, i)->b, 0 };
	if (!err)
		err = hyb_incidence_make(edges, NULL, o->pairs.count, o->nodes, &s->in);
	free(edges);
	s->from = malloc(n * sizeof(*s->from));
	s->queue = malloc(n * sizeof(*s->queue));
	s->hops = malloc(n * sizeof(*s->hops));
	s->turn = calloc(n, sizeof(*s->turn));
	if (!err && s->from && s->queue && s->hops && s->turn)
		return 0;
	search_free(s);
	return -ENOMEM;
}

/* Messages were sent by that node to the other one of the pair; chains do not count. */
static bool sends(const struct hyb_pair *p, uint32_t node)
{
	return p->hops[node == p->a ? HYB_UPPER : HYB_LOWER] == 1;
}

/* The shortest way of messages from one node to another; s->from tells it backwards. Its hops, 0: there is none. */
static uint32_t search(const struct hyb_offsets *o, struct search *s, uint32_t start, uint32_t end)
{
	uint32_t head = 0, tail = 0;

	s->turns++;
	s->turn[start] = s->turns;
	s->hops[start] = 0;
	s->queue[tail++] = start;
	while (head < tail) {
		uint32_t node = s->queue[head++];

		if (node == end)
			return s->hops[node];
		if (s->hops[node] == HOPS_MAX)
			break;
		for (size_t i = s->in.first[node]; i < s->in.first[node + 1]; i++) {
			const struct hyb_pair *p = hyb_pair_at(o, s->in.list[i]);
			uint32_t next = p->a == node ? p->b : p->a;

			if (!sends(p, node) || s->turn[next] == s->turns)
				continue;
			s->turn[next] = s->turns;
			s->hops[next] = s->hops[node] + 1;
			s->from[next] = s->in.list[i];
			s->queue[tail++] = next;
		}
	}
	return 0;
}

static int by_rate(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * Rates of the clocks in each window, as found in some of them. What a step makes of those about it is replaced by
 * the median.
 */
static int find_rates(struct hyb_offsets *o, const struct hyb_envelope *e, enum hyb_side side, double *rates)
{
	double *sorted = malloc((e->count + (size_t)1) * sizeof(*sorted)), median;
	int err = sorted ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < e->count; i++) {
		int64_t at = e->windows[i].index * ((int64_t)1 << e->shift);

		rates[i] = i ? rates[i - 1] : 0;
		if (i % (e->count / RATES + 1) == 0)
			err = hyb_band_rate(&o->room, e, side, at, &rates[i]);
		sorted[i] = rates[i];
	}
	if (!err && e->count) {
		qsort(sorted, e->count, sizeof(*sorted), by_rate);
		median = sorted[e->count / 2];
		for (uint32_t i = 0; i < e->count; i++) {
			if (rates[i] < median - NEAR_RATE || rates[i] > median + NEAR_RATE)
				rates[i] = median;
		}
	}
	free(sorted);
	return err;
}

/* The messages of a pair in one direction that its envelope has kept. */
static int make_link(struct hyb_offsets *o, const struct hyb_pair *p, bool up, struct link *link)
{
	enum hyb_side side = up ? HYB_UPPER : HYB_LOWER;
	const struct hyb_envelope *e = &p->envelope;
	double *rates = malloc((e->count + (size_t)1) * sizeof(*rates));
	int err;

	link->count = 0;
	link->messages = malloc(((size_t)e->count * HYB_ENVELOPE_POINTS + 1) * sizeof(*link->messages));
	err = rates && link->messages ? find_rates(o, e, side, rates) : -ENOMEM;
	for (uint32_t i = 0; !err && i < e->count; i++) {
		const struct hyb_window *w = &e->windows[i];

		for (uint32_t j = 0; j < w->count[side]; j++) {
			const struct hyb_point *q = &w->points[side][j];
			struct message *m = &link->messages[link->count++];
			int64_t at = hyb_sat_add(q->at, p->origin);
			int64_t ahead = hyb_sat_add(p->base, up ? q->ahead : -q->ahead);

			m->sent = up ? at : hyb_sat_add(at, ahead);
			m->received = up ? hyb_sat_add(at, ahead) : at;
			m->rate = up ? rates[i] : -rates[i];
		}
	}
	free(rates);
	return err;
}

static int64_t time_of(const struct message *m, bool received)
{
	return received ? m->received : m->sent;
}

/* The message that was sent, or received, nearest to a time; NULL: there is none. */
static const struct message *nearest(const struct link *link, int64_t time, bool received)
{
	const struct message *m = link->messages;
	size_t i = HYB_SEARCH(k, link->count, time_of(&m[k], received) < time);

	if (i == link->count)
		return i ? &m[i - 1] : NULL;
	if (i && hyb_sat_sub(time, time_of(&m[i - 1], received)) < hyb_sat_sub(time_of(&m[i], received), time))
		i--;
	return &m[i];
}

/* A way of messages over several nodes: link h leads from nodes[h] to nodes[h + 1]. */
struct way {
	struct link links[HOPS_MAX];
	uint32_t nodes[HOPS_MAX + 1];
	uint32_t hops;
	const struct hyb_suspect *suspects;
	size_t count;
};

/* The node's clock cannot measure between these times. */
static bool suspect(const struct way *w, uint32_t node, int64_t time, int64_t other)
{
	int64_t from = time < other ? time : other, to = time < other ? other : time;

	for (size_t i = 0; i < w->count; i++) {
		if (w->suspects[i].node == node && from <= w->suspects[i].to && to >= w->suspects[i].from)
			return true;
	}
	return false;
}

/* The chain with one message in it: before and after it those that are nearest. False: there is none. */
static bool make_chain(const struct way *w, uint32_t pivot, const struct message *of, int64_t *sent, int64_t *received)
{
	*sent = of->sent;
	*received = of->received;
	for (uint32_t h = pivot; h--;) {
		const struct message *m = nearest(&w->links[h], *sent, true);

		if (!m || suspect(w, w->nodes[h + 1], m->received, *sent))
			return false;
		*sent = hyb_sat_add(m->sent, hyb_sat_round((double)hyb_sat_sub(*sent, m->received) / (1 + m->rate)));
	}
	for (uint32_t h = pivot + 1; h < w->hops; h++) {
		const struct message *m = nearest(&w->links[h], *received, false);

		if (!m || suspect(w, w->nodes[h], *received, m->sent))
			return false;
		*received = hyb_sat_sub(m->received,
					hyb_sat_round((double)hyb_sat_sub(m->sent, *received) * (1 + m->rate)));
	}
	return true;
}

/* p has no messages from `start` to `end`; search() has found a way of others. */
static int close(struct hyb_offsets *o, const struct search *s, struct hyb_pair *p, uint32_t start, uint32_t end,
		 struct way *w)
{
	uint32_t node = end;
	int err = 0;

	memset(w->links, 0, sizeof(w->links));
	w->hops = s->hops[end];
	w->nodes[w->hops] = end;
	for (uint32_t h = w->hops; !err && h--;) {
		const struct hyb_pair *q = hyb_pair_at(o, s->from[node]);

		err = make_link(o, q, node == q->b, &w->links[h]);
		node = node == q->b ? q->a : q->b;
		w->nodes[h] = node;
	}
	for (uint32_t h = 0; h < w->hops; h++) {
		for (size_t i = 0; !err && i < w->links[h].count; i++) {
			int64_t sent, received;

			if (make_chain(w, h, &w->links[h].messages[i], &sent, &received))
				err = hyb_pair_add(o, p, start == p->a, sent, received, w->hops);
		}
	}
	for (uint32_t h = 0; h < w->hops; h++)
		free(w->links[h].messages);
	return err;
}

/* The bounds of messages in one direction, and no others. */
static void open_again(struct hyb_pair *p)
{
	for (int side = 0; side < 2; side++) {
		if (p->hops[side] > 1) {
			hyb_envelope_clear(&p->envelope, (enum hyb_side)side);
			p->hops[side] = 0;
		}
	}
	p->chained = false;
	p->two_way = p->hops[HYB_UPPER] && p->hops[HYB_LOWER];
}

int hyb_circles_close(struct hyb_offsets *o, const struct hyb_suspect *suspects, size_t count)
{
	struct way *way = calloc(1, sizeof(*way));
	struct search s;
	int err = way ? search_make(o, &s) : -ENOMEM;

	if (err) {
		free(way);
		return err;
	}
	way->suspects = suspects;
	way->count = count;
	o->totals.one_way = 0;
	for (uint32_t i = 0; !err && i < o->pairs.count; i++) {
		struct hyb_pair *p = hyb_pair_at(o, i);
		uint32_t start, end;

		open_again(p);
		if (p->two_way)
			continue;
		start = p->hops[HYB_UPPER] ? p->b : p->a;
		end = start == p->a ? p->b : p->a;
		if (search(o, &s, start, end)) {
			err = close(o, &s, p, start, end, way);
			p->two_way = p->chained = true;
		} else {
			o->totals.one_way++;
		}
	}
	search_free(&s);
	free(way);
	return err;
}
