/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds over a graph of nodes; see graph.h. */
#include "merge/clock/graph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1e-3  /* ns: less does not count */
#define SLACK 100.0 /* ns: bounds that contradict each other are made wider by so much first */
#define WIDER 50    /* times at most, each time by twice as much */

int hyb_incidence_make(const struct hyb_edge *edges, const unsigned char *chosen, size_t count, uint32_t nodes,
		       struct hyb_incidence *in)
{
	size_t *first = calloc((size_t)nodes + 2, sizeof(*first));
	uint32_t *list = malloc((2 * count + 1) * sizeof(*list));

	if (!first || !list) {
		free(first);
		free(list);
		return -ENOMEM;
	}
	/* Counted two places on, summed up, filled one place on: then each begins where it should. */
	for (size_t i = 0; i < count; i++) {
		first[edges[i].a + 2] += !chosen || chosen[i];
		first[edges[i].b + 2] += !chosen || chosen[i];
	}
	for (uint32_t i = 0; i <= nodes; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < count; i++) {
		if (chosen && !chosen[i])
			continue;
		list[first[edges[i].a + 1]++] = (uint32_t)i;
		list[first[edges[i].b + 1]++] = (uint32_t)i;
	}
	in->first = first;
	in->list = list;
	return 0;
}

void hyb_incidence_free(struct hyb_incidence *in)
{
	free(in->first);
	free(in->list);
	in->first = NULL;
	in->list = NULL;
}

struct candidate {
	double error;
	uint32_t edge;
};

static int by_error(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->error < y->error || x->error > y->error)
		return x->error < y->error ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Which edges are in the trees. */
static int choose(const struct hyb_edge *edges, size_t count, uint32_t nodes, unsigned char *chosen)
{
	struct candidate *candidates = malloc((count + 1) * sizeof(*candidates));
	uint32_t *joined = malloc((nodes + (size_t)1) * sizeof(*joined));
	int err = candidates && joined ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < nodes; i++)
		joined[i] = i;
	for (size_t i = 0; !err && i < count; i++)
		candidates[i] = (struct candidate){ edges[i].error, (uint32_t)i };
	if (!err)
		qsort(candidates, count, sizeof(*candidates), by_error);
	for (size_t i = 0; !err && i < count; i++) {
		const struct hyb_edge *e = &edges[candidates[i].edge];
		uint32_t a = hyb_joined_find(joined, e->a), b = hyb_joined_find(joined, e->b);

		chosen[candidates[i].edge] = a != b;
		joined[a] = b;
	}
	free(candidates);
	free(joined);
	return err;
}

/* A root and what hangs on it, from parents to children. */
static void grow(struct hyb_tree *t, const struct hyb_edge *edges, const struct hyb_incidence *in, uint32_t root,
		 unsigned char *seen)
{
	uint32_t next = t->count;

	seen[root] = 1;
	t->order[t->count++] = root;
	while (next < t->count) {
		uint32_t node = t->order[next++];

		for (size_t i = in->first[node]; i < in->first[node + 1]; i++) {
			const struct hyb_edge *e = &edges[in->list[i]];
			uint32_t child = e->a == node ? e->b : e->a;

			if (seen[child])
				continue;
			seen[child] = 1;
			t->parent[child] = node;
			t->edge[child] = in->list[i];
			t->order[t->count++] = child;
		}
	}
}

void hyb_tree_free(struct hyb_tree *t)
{
	free(t->parent);
	free(t->edge);
	free(t->order);
	memset(t, 0, sizeof(*t));
}

int hyb_tree_make(const struct hyb_edge *edges, size_t count, uint32_t nodes, struct hyb_tree *tree)
{
	unsigned char *chosen = calloc(count + 1, 1), *seen = calloc(nodes + (size_t)1, 1);
	struct hyb_incidence in = { NULL, NULL };
	struct hyb_tree t = { .count = 0 };
	int err = chosen && seen ? choose(edges, count, nodes, chosen) : -ENOMEM;

	if (!err)
		err = hyb_incidence_make(edges, chosen, count, nodes, &in);
	t.parent = malloc((nodes + (size_t)1) * sizeof(*t.parent));
	t.edge = malloc((nodes + (size_t)1) * sizeof(*t.edge));
	t.order = malloc((nodes + (size_t)1) * sizeof(*t.order));
	if (err || !t.parent || !t.edge || !t.order) {
		hyb_tree_free(&t);
		err = -ENOMEM;
	} else {
		for (uint32_t i = 0; i < nodes; i++)
			t.parent[i] = t.edge[i] = HYB_NO_EDGE;
		for (uint32_t i = 0; i < nodes; i++) {
			if (!seen[i])
				grow(&t, edges, &in, i, seen);
		}
		*tree = t;
	}
	hyb_incidence_free(&in);
	free(chosen);
	free(seen);
	return err;
}

/*
 * The least x that bounds allow, from node 0 on: by how much each node's value is more than its, at most; `down`: less.
 * False: the bounds contradict each other.
 */
static bool shorten(const struct hyb_bounds *b, const struct hyb_range *range, double slack, bool down, double *x)
{
	bool moved = true;

	for (uint32_t i = 0; i < b->nodes; i++)
		x[i] = i ? HUGE_VAL : 0;
	for (uint32_t turn = 0; moved && turn <= b->nodes; turn++) {
		moved = false;
		for (size_t i = 0; i < b->count; i++) {
			uint32_t from = down ? b->edges[i].a : b->edges[i].b, to = down ? b->edges[i].b : b->edges[i].a;
			double there = x[from] + range[i].high + slack, back = x[to] - range[i].low + slack;

			if (there < x[to] - LEAST) {
				x[to] = there;
				moved = true;
			}
			if (back < x[from] - LEAST) {
				x[from] = back;
				moved = true;
			}
		}
	}
	return !moved;
}

/* Both, with as much slack as that takes. */
static void shorten_both(const struct hyb_bounds *b, const struct hyb_range *range, double *up, double *down)
{
	double slack = 0;

	for (int turn = 0; turn < WIDER; turn++) {
		if (shorten(b, range, slack, false, up) && shorten(b, range, slack, true, down))
			return;
		slack = slack > 0 ? 2 * slack : SLACK;
	}
}

int hyb_graph_middle(const struct hyb_bounds *b, double *middle, double *error)
{
	double *up = malloc((b->nodes + (size_t)1) * sizeof(*up));
	double *down = malloc((b->nodes + (size_t)1) * sizeof(*down));
	int err = up && down ? 0 : -ENOMEM;

	if (!err)
		shorten_both(b, b->likely, up, down);
	/* Where there is one bound only, as near to 0 as that allows. */
	for (uint32_t i = 0; !err && i < b->nodes; i++)
		middle[i] = isfinite(up[i]) && isfinite(down[i]) ? (up[i] - down[i]) / 2 : fmax(fmin(0, up[i]), -down[i]);
	if (!err)
		shorten_both(b, b->sure, up, down);
	for (uint32_t i = 0; !err && i < b->nodes; i++)
		error[i] = fmin(fmax(fmax(up[i] - middle[i], middle[i] + down[i]), 0), HYB_UNBOUNDED);
	free(up);
	free(down);
	return err;
}
