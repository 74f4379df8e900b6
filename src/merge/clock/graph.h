/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes and what is known of the differences of their clocks: a spanning tree of the surest differences, and values
 * that keep the bounds of all of them.
 */
#ifndef HYB_MERGE_CLOCK_GRAPH_H
#define HYB_MERGE_CLOCK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_NO_EDGE UINT32_MAX

struct hyb_edge {
	uint32_t a;
	uint32_t b;
	double error; /* of the difference */
};

/* The edges of each node: those of node i are list[first[i]] to list[first[i + 1] - 1]. */
struct hyb_incidence {
	size_t *first;
	uint32_t *list;
};

/* chosen: NULL, or which edges count. 0 or -ENOMEM. */
int hyb_incidence_make(const struct hyb_edge *edges, const unsigned char *chosen, size_t count, uint32_t nodes,
		       struct hyb_incidence *in);
void hyb_incidence_free(struct hyb_incidence *in);

/* Sets of nodes: joined[i] leads to the set's first member; a node that leads to itself is one. */
static inline uint32_t hyb_joined_find(uint32_t *joined, uint32_t i)
{
	while (joined[i] != i) {
		joined[i] = joined[joined[i]];
		i = joined[i];
	}
	return i;
}

/* Of each node: its parent and the edge to it, HYB_NO_EDGE in a root. Nodes stand in `order` after their parents. */
struct hyb_tree {
	uint32_t *parent;
	uint32_t *edge;
	uint32_t *order;
	uint32_t count;
};

/* Kruskal's algorithm: the trees of least errors. The root of each is its node of the lowest number. 0 or -ENOMEM. */
int hyb_tree_make(const struct hyb_edge *edges, size_t count, uint32_t nodes, struct hyb_tree *tree);
void hyb_tree_free(struct hyb_tree *tree);

struct hyb_range {
	double low;
	double high;
};

/* What is known of the differences of nodes' values: of each edge between which x[a] - x[b] is, perhaps infinite. */
struct hyb_bounds {
	const struct hyb_edge *edges;
	const struct hyb_range *sure;
	const struct hyb_range *likely; /* within that */
	size_t count;
	uint32_t nodes;
};

#define HYB_UNBOUNDED 1e15

/*
 * Values of the nodes that keep all bounds, node 0's being 0: of each the middle of what is likely, by way of all
 * others (the shortest ways from node 0 and back; the middles of these keep the bounds between any two nodes, too), and
 * how far it may be wrong for sure, HYB_UNBOUNDED where that is unbounded. Bounds that contradict each other are made
 * wider until they do not. 0 or -ENOMEM.
 */
int hyb_graph_middle(const struct hyb_bounds *b, double *middle, double *error);

#endif
