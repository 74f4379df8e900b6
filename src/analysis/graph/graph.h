/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event graph of a run: sends, receives that are complete, begins and ends of collective operations, a node each; what
 * comes before what, an edge each. One comes before another if a way leads from it there. What a writer makes of nodes
 * and edges is its own.
 */
#ifndef HYB_ANALYSIS_GRAPH_GRAPH_H
#define HYB_ANALYSIS_GRAPH_GRAPH_H

#include "analysis/races/races.h"

enum hyb_graph_edge_kind {
	HYB_GRAPH_NEXT,	   /* of a thread */
	HYB_GRAPH_MESSAGE, /* from a send to its receive */
	HYB_GRAPH_JOIN,	   /* to a collective operation from who gives something, and from there to who takes it */
	HYB_GRAPH_RACE,	   /* from a send to a receive that could have got it, and did not */
};

struct hyb_graph_node {
	uint64_t id;
	const struct hyb_race_item *item; /* NULL: a collective operation as a whole */
	uint32_t rank;
	uint32_t thread;
	const char *kind; /* send, receive, begin, end, operation */
	const char *function; /* MPI's */
	const char *place; /* in the program; NULL: not known */
	int64_t time; /* ns since the run began */
};

struct hyb_graph_writer {
	int (*begin)(void *state);
	int (*node)(void *state, const struct hyb_graph_node *node);
	int (*edge)(void *state, uint64_t from, uint64_t to, enum hyb_graph_edge_kind kind);
	int (*end)(void *state);
};

/* Which part: of time, ns since the run began, and of ranks. */
struct hyb_graph_wish {
	const struct hyb_selection *selection;
};

/* Of a struct hyb_races that is found: all nodes, then all edges between them. 0 or -errno. */
int hyb_graph_tell(const struct hyb_races *r, const struct hyb_graph_wish *wish, const struct hyb_graph_writer *writer, void *state);
extern const char *const hyb_graph_edge_names[];

/* Writes DOT for graphviz; GraphML for networkx, igraph, Gephi. Returns 0 or -errno. */
int hyb_graph_dot(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to);
int hyb_graph_ml(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to);

#endif
