/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clocks of the nodes that messages relate: corrections at knots in time. Between two steps, which are those of all
 * pairs of the part, knots are equally far apart.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define APART INT64_C(4000000000) /* knots are: 4 s in which clocks bend by 20 ns */
#define KNOTS_MAX 512
#define BANDS_MAX 500000	/* to be found in a part: pairs times knots */
#define MARGIN INT64_C(1000000) /* of a first or last stretch, which has to tell the rate */
#define TOUCH INT64_C(100000)	/* of intervals of steps, since times are not known better */
#define SURE 100.0		/* ns: a difference is not known better */

/* How many of the pair's steps are among the first `over` ones of the part. */
static uint32_t steps_over(const struct hyb_pair *p, uint32_t over)
{
	uint32_t n = 0;

	while (n < p->step_count && p->steps[n].number < over)
		n++;
	return n;
}

/*
 * The time of the other one of the pair's nodes, where it is not known how many steps are over. What lies in a step's
 * interval may be before or after it: `late` says which of both is told.
 */
static int across(struct hyb_offsets *o, const struct hyb_pair *p, bool to_a, bool late, int64_t *time)
{
	int64_t given = *time, nearest = given;
	uint64_t least = UINT64_MAX;
	bool any = false;

	for (uint32_t k = 0; k <= p->step_count; k++) {
		int64_t from = k ? hyb_sat_add(p->steps[k - 1].before, p->origin) : INT64_MIN;
		int64_t to = k < p->step_count ? hyb_sat_add(p->steps[k].after, p->origin) : INT64_MAX;
		int64_t other, at;
		uint64_t off;
		int err = to_a ? hyb_pair_to_a(o, p, given, k, &other) : hyb_pair_to_b(o, p, given, k, &other);

		if (err)
			return err;
		at = to_a ? other : given;
		if (at > from && at < to) {
			if (!any || (late ? other > *time : other < *time))
				*time = other;
			any = true;
			continue;
		}
		off = at >= to ? (uint64_t)at - (uint64_t)to : (uint64_t)from - (uint64_t)at;
		if (off < least) {
			least = off;
			nearest = other;
		}
	}
	if (!any)
		*time = nearest;
	return 0;
}

/* The reference's time when a node's is that. */
static int to_reference(struct hyb_offsets *o, const struct hyb_part *part, uint32_t node, bool late, int64_t *time)
{
	int err = 0;

	while (!err && part->tree.parent[node] != HYB_NO_EDGE) {
		const struct hyb_pair *p = part->pairs[part->tree.edge[node]];

		err = across(o, p, p->b == part->nodes[node], late, time);
		node = part->tree.parent[node];
	}
	return err;
}

struct seen_step {
	int64_t before; /* in the reference's time */
	int64_t after;
	struct hyb_step *step;
};

static int by_time(const void *a, const void *b)
{
	const struct seen_step *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return x->after < y->after ? -1 : x->after > y->after;
}

/* What pairs have seen at one time, as well as that is known, is one step. */
static void join_steps(struct hyb_part *part, struct seen_step *seen, size_t count)
{
	struct hyb_step *last = NULL;

	qsort(seen, count, sizeof(*seen), by_time);
	for (size_t i = 0; i < count; i++) {
		if (last && seen[i].before < hyb_sat_add(last->after, TOUCH)) {
			int64_t before = seen[i].before,
				after = seen[i].after < last->after ? seen[i].after : last->after;

			last->before = before < after ? before : after - 1;
			last->after = after;
		} else {
			last = &part->steps[part->step_count++];
			last->before = seen[i].before;
			last->after = seen[i].after;
		}
		seen[i].step->number = part->step_count - 1;
	}
}

static int find_steps(struct hyb_offsets *o, struct hyb_part *part)
{
	struct seen_step *seen;
	size_t count = 0, n = 0;
	int err = 0;

	for (uint32_t i = 0; i < part->edge_count; i++)
		count += part->pairs[i]->step_count;
	seen = malloc((count + 1) * sizeof(*seen));
	part->steps = calloc(count + 1, sizeof(*part->steps));
	if (!seen || !part->steps) {
		free(seen);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < part->edge_count; i++) {
		struct hyb_pair *p = part->pairs[i];

		for (uint32_t k = 0; !err && k < p->step_count; k++, n++) {
			seen[n].step = &p->steps[k];
			seen[n].before = hyb_sat_add(p->steps[k].before, p->origin);
			seen[n].after = hyb_sat_add(p->steps[k].after, p->origin);
			err = to_reference(o, part, part->edges[i].a, false, &seen[n].before);
			if (!err)
				err = to_reference(o, part, part->edges[i].a, true, &seen[n].after);
			if (seen[n].after <= seen[n].before)
				seen[n].after = hyb_sat_add(seen[n].before, 1);
		}
	}
	if (!err)
		join_steps(part, seen, count);
	free(seen);
	return err;
}

/* The reference's time at the first and the last that is known of any node. */
static int find_span(struct hyb_offsets *o, const struct hyb_part *part, int64_t *begin, int64_t *end)
{
	*begin = INT64_MAX;
	*end = INT64_MIN;
	for (uint32_t i = 0; i < part->count; i++) {
		const struct hyb_seen *s = &o->seen[part->nodes[i]];
		int64_t first = s->first, last = s->last;
		int err = to_reference(o, part, i, false, &first);

		if (!err)
			err = to_reference(o, part, i, true, &last);
		if (err)
			return err;
		*begin = first < *begin ? first : *begin;
		*end = last > *end ? last : *end;
	}
	if (part->step_count && *begin > hyb_sat_sub(part->steps[0].before, MARGIN))
		*begin = hyb_sat_sub(part->steps[0].before, MARGIN);
	if (part->step_count && *end < hyb_sat_add(part->steps[part->step_count - 1].after, MARGIN))
		*end = hyb_sat_add(part->steps[part->step_count - 1].after, MARGIN);
	if (*end <= *begin)
		*end = hyb_sat_add(*begin, 1);
	return 0;
}

/* When the knots are. */
static int place_knots(struct hyb_offsets *o, struct hyb_part *part)
{
	uint32_t most = part->edge_count ? BANDS_MAX / part->edge_count : KNOTS_MAX, room;
	int64_t begin, end, apart;
	int err = find_span(o, part, &begin, &end);

	if (err)
		return err;
	most = most > KNOTS_MAX ? KNOTS_MAX : most < 2 ? 2 : most;
	apart = hyb_sat_sub(end, begin) / most;
	apart = apart < APART ? APART : apart;
	room = most + 3 * part->step_count + 3;
	part->at = malloc(room * sizeof(*part->at));
	part->over = malloc(room * sizeof(*part->over));
	if (!part->at || !part->over)
		return -ENOMEM;
	for (uint32_t k = 0; k <= part->step_count; k++) {
		int64_t from = k ? part->steps[k - 1].after : begin;
		int64_t to = k < part->step_count ? part->steps[k].before : end;
		int64_t span = to > from ? hyb_sat_sub(to, from) : 0, lines = span / apart + (span % apart > 0);

		for (int64_t i = 0; i <= lines && part->knots < room; i++) {
			part->at[part->knots] = from + (lines ? (int64_t)((__int128)span * i / lines) : 0);
			part->over[part->knots++] = k;
		}
	}
	return 0;
}

/* Memory of one knot: of nodes and of edges. */
struct work {
	int64_t *time; /* of the nodes when the reference's is the knot's */
	double *more;  /* correction beyond what the tree alone says */
	double *error;
	/* of the edges: between which the difference of that is, and is likely to be */
	struct hyb_range *sure;
	struct hyb_range *likely;
};

static void work_free(struct work *w)
{
	free(w->time);
	free(w->more);
	free(w->error);
	free(w->sure);
	free(w->likely);
}

static int work_make(const struct hyb_part *part, struct work *w)
{
	size_t nodes = part->count, edges = (size_t)part->edge_count + 1;

	w->time = malloc(nodes * sizeof(*w->time));
	w->more = calloc(nodes, sizeof(*w->more));
	w->error = calloc(nodes, sizeof(*w->error));
	w->sure = malloc(edges * sizeof(*w->sure));
	w->likely = malloc(edges * sizeof(*w->likely));
	if (w->time && w->more && w->error && w->sure && w->likely)
		return 0;
	work_free(w);
	return -ENOMEM;
}

/* The nodes' times at a knot, from parent to child. */
static int tell_times(struct hyb_offsets *o, const struct hyb_part *part, uint32_t knot, struct work *w)
{
	const struct hyb_tree *t = &part->tree;
	int err = 0;

	w->time[0] = part->at[knot];
	for (uint32_t i = 1; !err && i < t->count; i++) {
		uint32_t node = t->order[i], parent = t->parent[node];
		const struct hyb_pair *p = part->pairs[t->edge[node]];
		uint32_t steps = steps_over(p, part->over[knot]);

		if (p->a == part->nodes[parent])
			err = hyb_pair_to_b(o, p, w->time[parent], steps, &w->time[node]);
		else
			err = hyb_pair_to_a(o, p, w->time[parent], steps, &w->time[node]);
	}
	return err;
}

/* What each pair allows at a knot. */
static int bound(struct hyb_offsets *o, const struct hyb_part *part, uint32_t knot, struct work *w)
{
	for (uint32_t i = 0; i < part->edge_count; i++) {
		const struct hyb_edge *e = &part->edges[i];
		const struct hyb_pair *p = part->pairs[i];
		struct hyb_band band;
		double base;
		int err = hyb_pair_band(o, p, w->time[e->a], steps_over(p, part->over[knot]), &band);

		if (err)
			return err;
		base = (double)hyb_sat_sub(p->base, hyb_sat_sub(w->time[e->b], w->time[e->a]));
		w->sure[i] = (struct hyb_range){ base + band.sure[0], base + band.sure[1] };
		w->likely[i] = (struct hyb_range){ base + band.likely[0], base + band.likely[1] };
	}
	return 0;
}

static void tell_knot(struct hyb_offsets *o, struct hyb_part *part, uint32_t knot, const struct work *w)
{
	for (uint32_t i = 0; i < part->count; i++) {
		struct hyb_knot *k = &o->corrections[part->nodes[i]].knots[knot];

		k->at = w->time[i];
		k->ahead = hyb_sat_add(hyb_sat_sub(part->at[knot], k->at), hyb_sat_round(w->more[i]));
		k->error = hyb_sat_round(w->error[i]);
	}
}

static int solve_knots(struct hyb_offsets *o, struct hyb_part *part)
{
	struct work w;
	int err = work_make(part, &w);
	const struct hyb_bounds b = { part->edges, w.sure, w.likely, part->edge_count, part->count };

	if (err)
		return err;
	for (uint32_t knot = 0; !err && knot < part->knots; knot++) {
		err = tell_times(o, part, knot, &w);
		if (!err)
			err = bound(o, part, knot, &w);
		if (!err)
			err = hyb_graph_middle(&b, w.more, w.error);
		if (!err)
			tell_knot(o, part, knot, &w);
	}
	work_free(&w);
	return err;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* By how much a node's correction changes from this knot to the next one beyond what it does in so much time. */
static int64_t jump_of(struct hyb_offsets *o, const struct hyb_part *part, uint32_t node, uint32_t knot, double span)
{
	const struct hyb_knot *k = &o->corrections[part->nodes[node]].knots[knot];
	double rate = 0;

	if (knot && part->over[knot - 1] == part->over[knot])
		rate = (double)hyb_sat_sub(k[0].ahead, k[-1].ahead) / (double)(part->at[knot] - part->at[knot - 1]);
	else if (knot + 2 < part->knots && part->over[knot + 2] == part->over[knot + 1])
		rate = (double)hyb_sat_sub(k[2].ahead, k[1].ahead) / (double)(part->at[knot + 2] - part->at[knot + 1]);
	return hyb_sat_sub(hyb_sat_sub(k[1].ahead, k[0].ahead), hyb_sat_round(rate * span));
}

/* By how much most nodes have jumped there: not they have, but the reference. */
static int64_t common_jump(struct hyb_offsets *o, const struct hyb_part *part, uint32_t knot, double span,
			   int64_t *jumps)
{
	uint32_t middle = (part->count - 1) / 2;

	for (uint32_t i = 0; i < part->count; i++)
		jumps[i] = jump_of(o, part, i, knot, span);
	qsort(jumps, part->count, sizeof(*jumps), by_size);
	if (part->count % 2 == 0 && llabs(jumps[middle + 1] / 2) < llabs(jumps[middle] / 2))
		middle++;
	return jumps[middle];
}

/* A step between this knot and the next one: whose it is, and that the others have none. */
static void tell_step(struct hyb_offsets *o, const struct hyb_part *part, uint32_t knot, int64_t *jumps)
{
	double span = (double)(part->at[knot + 1] - part->at[knot]);
	int64_t common = common_jump(o, part, knot, span, jumps);

	/* So much of the reference's time there was none. */
	span -= (double)common;
	common = common_jump(o, part, knot, span, jumps);
	for (uint32_t i = 0; i < part->count; i++) {
		struct hyb_knot *k = o->corrections[part->nodes[i]].knots;
		int64_t jump;

		for (uint32_t j = knot + 1; j < part->knots; j++)
			k[j].ahead = hyb_sat_sub(k[j].ahead, common);
		jump = jump_of(o, part, i, knot, span);
		if (llabs(jump / 2) > hyb_sat_add(k[knot].error, k[knot + 1].error) / 2 + (int64_t)SURE) {
			o->clocks[part->nodes[i]].steps++;
		} else {
			k[knot].ahead = hyb_sat_add(k[knot].ahead, jump / 2);
			k[knot + 1].ahead = hyb_sat_sub(k[knot + 1].ahead, jump - jump / 2);
		}
	}
}

static int tell_steps(struct hyb_offsets *o, const struct hyb_part *part)
{
	int64_t *jumps = malloc((part->count + (size_t)1) * sizeof(*jumps));

	if (!jumps)
		return -ENOMEM;
	for (uint32_t knot = 0; knot + 1 < part->knots; knot++) {
		if (part->over[knot] != part->over[knot + 1])
			tell_step(o, part, knot, jumps);
	}
	free(jumps);
	return 0;
}

/* What the summary says of a node. */
static void sum_up(struct hyb_offsets *o, const struct hyb_part *part, uint32_t i)
{
	const struct hyb_knot *k = o->corrections[part->nodes[i]].knots, *r = o->corrections[part->nodes[0]].knots;
	struct hyb_node_clock *c = &o->clocks[part->nodes[i]];
	double rise = 0, run = 0;

	for (uint32_t j = 0; j < part->knots; j++) {
		if (k[j].error > c->error)
			c->error = k[j].error;
		if (j + 1 == part->knots || part->over[j] != part->over[j + 1])
			continue;
		rise += (double)hyb_sat_sub(k[j + 1].ahead, k[j].ahead);
		run += (double)hyb_sat_sub(k[j + 1].at, k[j].at);
	}
	c->drift = run > 0 ? rise / run : 0;
	c->tie = i ? HYB_TIE_MESSAGES : HYB_TIE_REFERENCE;
	c->reference = part->nodes[0];
	c->offset = hyb_sat_sub(k[part->knots / 2].ahead, r[part->knots / 2].ahead);
}

int hyb_part_solve(struct hyb_offsets *o, struct hyb_part *part)
{
	int err = hyb_tree_make(part->edges, part->edge_count, part->count, &part->tree);

	if (!err)
		err = find_steps(o, part);
	if (!err)
		err = place_knots(o, part);
	if (err)
		return err;
	for (uint32_t i = 0; i < part->count; i++) {
		struct hyb_correction *c = &o->corrections[part->nodes[i]];

		c->knots = calloc(part->knots, sizeof(*c->knots));
		if (!c->knots)
			return -ENOMEM;
		c->count = part->knots;
	}
	err = solve_knots(o, part);
	if (!err)
		err = tell_steps(o, part);
	for (uint32_t i = 0; !err && i < part->count; i++)
		sum_up(o, part, i);
	return err;
}
