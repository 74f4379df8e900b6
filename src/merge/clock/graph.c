/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares over a graph of nodes; see graph.h. */
#include "merge/clock/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 300
#define ENOUGH 1e-16 /* of the square of what was left at the begin */

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

struct solver {
	const struct hyb_tree *tree;
	const struct hyb_edge *edges;
	const double *weight;
	size_t count;
	double *rest;	  /* what the corrections leave: minus the gradient */
	double *step;	  /* direction */
	double *applied;  /* the matrix times that */
	double *improved; /* the rest, solved for the tree alone */
};

/* out = matrix * x: of each edge the weighted difference, to both ends. Roots stay where they are. */
static void apply(const struct solver *s, const double *x, double *out)
{
	memset(out, 0, s->tree->count * sizeof(*out));
	for (size_t i = 0; i < s->count; i++) {
		double pull = s->weight[i] * (x[s->edges[i].a] - x[s->edges[i].b]);

		out[s->edges[i].a] += pull;
		out[s->edges[i].b] -= pull;
	}
	for (uint32_t i = 0; i < s->tree->count; i++) {
		if (s->tree->parent[i] == HYB_NO_EDGE)
			out[i] = 0;
	}
}

/* Solves the tree's part exactly: what flows into a subtree flows through the edge above it. */
static void precondition(const struct solver *s, const double *in, double *out)
{
	const struct hyb_tree *t = s->tree;

	memcpy(out, in, t->count * sizeof(*out));
	for (uint32_t i = t->count; i--;) {
		uint32_t node = t->order[i];

		if (t->parent[node] != HYB_NO_EDGE)
			out[t->parent[node]] += out[node];
	}
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t node = t->order[i];

		if (t->parent[node] == HYB_NO_EDGE)
			out[node] = 0;
		else if (s->weight[t->edge[node]] > 0)
			out[node] = out[t->parent[node]] + out[node] / s->weight[t->edge[node]];
		else
			out[node] = out[t->parent[node]];
	}
}

static double product(const double *a, const double *b, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void iterate(struct solver *s, double *x)
{
	uint32_t n = s->tree->count;
	double left, begin;

	precondition(s, s->rest, s->improved);
	memcpy(s->step, s->improved, n * sizeof(*s->step));
	begin = left = product(s->rest, s->improved, n);
	for (int turn = 0; turn < TURNS && left > 0 && left > begin * ENOUGH; turn++) {
		double bend, far, next;

		apply(s, s->step, s->applied);
		bend = product(s->step, s->applied, n);
		if (!(bend > 0))
			return;
		far = left / bend;
		for (uint32_t i = 0; i < n; i++) {
			x[i] += far * s->step[i];
			s->rest[i] -= far * s->applied[i];
		}
		precondition(s, s->rest, s->improved);
		next = product(s->rest, s->improved, n);
		for (uint32_t i = 0; i < n; i++)
			s->step[i] = s->improved[i] + next / left * s->step[i];
		left = next;
	}
}

int hyb_graph_solve(const struct hyb_tree *tree, const struct hyb_edge *edges, const double *ahead,
		    const double *weight, size_t count, double *x)
{
	size_t n = tree->count + (size_t)1;
	double *memory = calloc(4 * n, sizeof(*memory));
	struct solver s = { .tree = tree, .edges = edges, .weight = weight, .count = count };

	if (!memory)
		return -ENOMEM;
	s.rest = memory;
	s.step = memory + n;
	s.applied = memory + 2 * n;
	s.improved = memory + 3 * n;
	for (size_t i = 0; i < count; i++) {
		double pull = weight[i] * (ahead[i] - (x[edges[i].a] - x[edges[i].b]));

		s.rest[edges[i].a] += pull;
		s.rest[edges[i].b] -= pull;
	}
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->parent[i] == HYB_NO_EDGE)
			s.rest[i] = 0;
	}
	iterate(&s, x);
	free(memory);
	return 0;
}
