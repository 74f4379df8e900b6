/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the graph that no messages tie together in both directions. CLOCK_REALTIME of their nodes says how they
 * lie; the first part, that of most nodes, keeps its rate, and the others get what is the same by CLOCK_REALTIME.
 * Messages in one direction then move parts by as little as makes none of them arrive before it was sent: the less,
 * the surer the part's place is.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define TURNS 200

struct place { /* of a part: what CLOCK_REALTIME is more than the part's time */
	int64_t anchor;
	double begin; /* beyond the anchor, at the first and the last knot */
	double end;
	int64_t from; /* the part's time there */
	int64_t to;
	double error;
	double shift; /* because of messages */
};

struct order { /* part b is to be later than part a by so much more */
	uint32_t a;
	uint32_t b;
	double least;
	double force;
};

static double real_error(const struct hyb_seen *s)
{
	return s->n > 0 ? (double)s->real_error : (double)HYB_REALTIME_ERROR;
}

/*
 * CLOCK_REALTIME less the node's time at a time of it, relative to real_ahead; how far the readings are off the line.
 */
static double realtime(const struct hyb_seen *s, int64_t at, double *off)
{
	double spread = s->n * s->xx - s->x * s->x, rate = 0, left;

	*off = 0;
	if (s->n <= 0)
		return 0;
	if (spread > 1e-9 * s->n * s->xx && spread > 0)
		rate = (s->n * s->xy - s->x * s->y) / spread;
	if (!(fabs(rate) <= HYB_DRIFT_MAX))
		rate = 0;
	left = s->yy - s->y * s->y / s->n - rate * (s->xy - s->x * s->y / s->n);
	if (left > 0 && isfinite(left))
		*off = sqrt(left / s->n);
	return s->y / s->n + rate * ((double)hyb_sat_sub(at, s->real_at) - s->x / s->n);
}

/* What the node says of the part's place at its knot. */
static double says(const struct hyb_offsets *o, uint32_t node, const struct hyb_knot *k, int64_t anchor, double *off)
{
	const struct hyb_seen *s = &o->seen[node];

	return (double)hyb_sat_sub(hyb_sat_sub(s->real_ahead, k->ahead), anchor) + realtime(s, k->at, off);
}

static void find_place(const struct hyb_offsets *o, const struct hyb_part *part, struct place *p)
{
	const struct hyb_correction *first = &o->corrections[part->nodes[0]];
	const struct hyb_knot *k = first->knots;
	double weights = 0, off_begin, off_end;

	memset(p, 0, sizeof(*p));
	p->anchor = hyb_sat_sub(o->seen[part->nodes[0]].real_ahead, k->ahead);
	p->from = hyb_sat_add(k->at, k->ahead);
	k += first->count - 1;
	p->to = hyb_sat_add(k->at, k->ahead);
	for (uint32_t i = 0; i < part->count; i++) {
		uint32_t node = part->nodes[i];
		const struct hyb_knot *knots = o->corrections[node].knots;
		double begin = says(o, node, knots, p->anchor, &off_begin);
		double end = says(o, node, knots + o->corrections[node].count - 1, p->anchor, &off_end);
		double error = real_error(&o->seen[node]) + off_begin + (double)o->clocks[node].error + 1;

		p->begin += begin / (error * error);
		p->end += end / (error * error);
		weights += 1 / (error * error);
	}
	p->begin /= weights;
	p->end /= weights;
	p->error = sqrt(1 / weights);
}

/*
 * What is to be added to times of a part at its begin and its end: up to its CLOCK_REALTIME, less what that has run
 * away from the first part's time.
 */
static void find_shifts(const struct place *first, const struct place *p, int64_t shift[2])
{
	double middle = (first->begin + first->end) / 2, rate = 0;
	int64_t at = hyb_sat_add(hyb_sat_add(first->from / 2 + first->to / 2, first->anchor), hyb_sat_round(middle));

	if (p == first) {
		shift[0] = shift[1] = hyb_sat_add(p->anchor, hyb_sat_round(middle + p->shift));
		return;
	}
	if (first->to > first->from)
		rate = (first->end - first->begin) / (double)hyb_sat_sub(first->to, first->from);
	for (int end = 0; end < 2; end++) {
		double beyond = end ? p->end : p->begin;
		int64_t real = hyb_sat_add(hyb_sat_add(end ? p->to : p->from, p->anchor), hyb_sat_round(beyond));

		shift[end] = hyb_sat_add(p->anchor, hyb_sat_round(beyond - rate * (double)hyb_sat_sub(real, at)));
	}
}

static void move(struct hyb_offsets *o, const struct hyb_part *part, const struct place *p, const int64_t shift[2])
{
	double rate =
		p->to > p->from ? (double)hyb_sat_sub(shift[1], shift[0]) / (double)hyb_sat_sub(p->to, p->from) : 0;

	for (uint32_t i = 0; i < part->count; i++) {
		struct hyb_correction *c = &o->corrections[part->nodes[i]];

		for (size_t j = 0; j < c->count; j++) {
			struct hyb_knot *k = &c->knots[j];
			double more = rate * (double)hyb_sat_sub(hyb_sat_add(k->at, k->ahead), p->from);

			k->ahead = hyb_sat_add(k->ahead, hyb_sat_add(shift[0], hyb_sat_round(more)));
		}
	}
}

/* By how much messages of a pair in one direction arrive before they were sent, at most; negative: none does. */
static double too_early(const struct hyb_offsets *o, const struct hyb_pair *p, bool up)
{
	const struct hyb_correction *a = &o->corrections[p->a], *b = &o->corrections[p->b];
	enum hyb_side side = up ? HYB_UPPER : HYB_LOWER;
	double most = -HUGE_VAL;

	for (uint32_t i = 0; i < p->envelope.count; i++) {
		const struct hyb_window *w = &p->envelope.windows[i];

		for (uint32_t j = 0; j < w->count[side]; j++) {
			int64_t at = hyb_sat_add(w->points[side][j].at, p->origin);
			int64_t ahead =
				hyb_sat_add(p->base, up ? w->points[side][j].ahead : -w->points[side][j].ahead);
			int64_t at_a = hyb_correction_apply(a, at);
			int64_t at_b = hyb_correction_apply(b, hyb_sat_add(at, ahead));
			double early = (double)(up ? hyb_sat_sub(at_a, at_b) : hyb_sat_sub(at_b, at_a));

			most = early > most ? early : most;
		}
	}
	return most;
}

/* The smallest moves, weighted by what is not known of places, that keep the order (Hildreth's method). */
static void settle(struct order *orders, uint32_t count, struct place *places, uint32_t parts)
{
	bool moved = true;

	for (int turn = 0; moved && turn < TURNS; turn++) {
		moved = false;
		for (uint32_t i = 0; i < count; i++) {
			struct order *c = &orders[i];
			struct place *a = &places[c->a], *b = &places[c->b];
			double loose_a = a->error * a->error, loose_b = b->error * b->error;
			double more = (c->least - (b->shift - a->shift)) / (loose_a + loose_b);

			more = more < -c->force ? -c->force : more;
			c->force += more;
			a->shift -= more * loose_a;
			b->shift += more * loose_b;
			moved |= fabs(more) * (loose_a + loose_b) > 0.5;
		}
	}
	/* What that has not reached: later parts go further. */
	moved = true;
	for (uint32_t turn = 0; moved && turn <= parts; turn++) {
		moved = false;
		for (uint32_t i = 0; i < count; i++) {
			if (places[orders[i].b].shift - places[orders[i].a].shift >= orders[i].least - 0.25)
				continue;
			places[orders[i].b].shift = places[orders[i].a].shift + orders[i].least;
			moved = true;
		}
	}
}

/* Messages in one direction, as orders between parts; by_node: each node's part. */
static uint32_t find_orders(const struct hyb_offsets *o, const uint32_t *by_node, struct order *orders)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < o->pairs.count; i++) {
		const struct hyb_pair *p = hyb_pair_at(o, i);
		bool up = p->hops[HYB_UPPER];
		struct order *c = &orders[count];

		if (by_node[p->a] == by_node[p->b])
			continue;
		c->a = by_node[up ? p->a : p->b];
		c->b = by_node[up ? p->b : p->a];
		c->least = ceil(too_early(o, p, up));
		c->force = 0;
		count += isfinite(c->least);
	}
	return count;
}

static int keep_order(struct hyb_offsets *o, struct hyb_part *parts, uint32_t count, struct place *places)
{
	uint32_t *by_node = malloc((o->nodes + (size_t)1) * sizeof(*by_node)), n;
	struct order *orders = malloc((o->pairs.count + (size_t)1) * sizeof(*orders));

	if (!by_node || !orders) {
		free(by_node);
		free(orders);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < parts[i].count; j++)
			by_node[parts[i].nodes[j]] = i;
	}
	n = find_orders(o, by_node, orders);
	settle(orders, n, places, count);
	for (uint32_t i = 0; i < count; i++) {
		int64_t shift[2];

		shift[0] = shift[1] = hyb_sat_round(places[i].shift);
		move(o, &parts[i], &places[i], shift);
		for (uint32_t j = 0; j < parts[i].count; j++)
			o->clocks[parts[i].nodes[j]].pushed = fabs(places[i].shift) > 1;
	}
	free(by_node);
	free(orders);
	return 0;
}

int hyb_ties_make(struct hyb_offsets *o, struct hyb_part *parts, uint32_t count)
{
	struct place *places = calloc(count + (size_t)1, sizeof(*places));
	uint32_t first = 0;
	int64_t shift[2];
	int err = 0;

	if (!places)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		find_place(o, &parts[i], &places[i]);
		if (parts[i].count > parts[first].count)
			first = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		find_shifts(&places[first], &places[i], shift);
		move(o, &parts[i], &places[i], shift);
		for (uint32_t j = 0; i != first && j < parts[i].count; j++) {
			struct hyb_node_clock *c = &o->clocks[parts[i].nodes[j]];

			c->tie_error = hyb_sat_round(hypot(places[i].error, places[first].error));
			if (c->tie == HYB_TIE_REFERENCE)
				c->tie = HYB_TIE_REALTIME;
		}
	}
	for (uint32_t i = 0; i < o->nodes; i++)
		hyb_correction_settle(&o->corrections[i]);
	if (count > 1)
		err = keep_order(o, parts, count, places);
	free(places);
	return err;
}
