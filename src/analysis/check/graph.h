/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for whom, and who of them can ever go on. A node is a thread. What it waits for are sets of processes: of
 * each set it needs that one, or that all, can go on. A process can go on if one of its threads can. Whoever waits for
 * nothing can; the rest is found out step by step, and what is left then is stuck. Knows nothing of MPI.
 */
#ifndef HYB_ANALYSIS_CHECK_GRAPH_H
#define HYB_ANALYSIS_CHECK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_GRAPH_NONE UINT32_MAX

enum hyb_graph_state {
	HYB_GRAPH_FREE,	 /* it can go on */
	HYB_GRAPH_ENDED, /* it never will, and waits for nobody */
	HYB_GRAPH_WAITS, /* for all that hyb_graph_wait says */
};

struct hyb_graph_node {
	uint32_t process;
	enum hyb_graph_state state;
	uint32_t left;	/* waits that are not over */
	uint32_t first; /* of its waits */
	uint32_t next;	/* node of its process */
	bool explained; /* it leads to a cycle that was told */
};

struct hyb_graph_set {
	uint32_t first; /* in members */
	uint32_t count;
	uint32_t free;
	uint32_t waits; /* the first that is for it */
};

struct hyb_graph_wait {
	uint32_t node;
	uint32_t set;
	uint32_t next; /* of the node */
	uint32_t next_of_set;
	bool all; /* all of the set are needed, not one */
	bool over;
};

/* A set that a process is in. */
struct hyb_graph_place {
	uint32_t set;
	uint32_t next;
};

struct hyb_graph_process {
	uint32_t nodes; /* the first of them */
	uint32_t sets;	/* in places */
	bool free;
	bool explained;
};

struct hyb_graph {
	struct hyb_graph_process *processes;
	struct hyb_graph_node *nodes;
	struct hyb_graph_set *sets;
	struct hyb_graph_wait *waits;
	struct hyb_graph_place *places; /* as members has them */
	uint32_t *members;
	uint32_t *queue;
	size_t process_count, node_count, node_room, set_count, set_room, wait_count, wait_room;
	size_t member_count, member_room, place_room;
};

/* 0 or -ENOMEM; after either, hyb_graph_free. */
int hyb_graph_init(struct hyb_graph *g, size_t processes);
void hyb_graph_free(struct hyb_graph *g);
/* A thread; its number, in the order of these calls, or HYB_GRAPH_NONE without memory. */
uint32_t hyb_graph_add(struct hyb_graph *g, uint32_t process, enum hyb_graph_state state);
/* Several nodes may wait for one set. Its number, or HYB_GRAPH_NONE without memory. */
uint32_t hyb_graph_set(struct hyb_graph *g, const uint32_t *processes, size_t count);
/* The node goes on only if one (all) of these processes do: without end where the set is empty. 0 or -ENOMEM. */
int hyb_graph_wait(struct hyb_graph *g, uint32_t node, uint32_t set, bool all);
/* Once all is said: finds out who can go on. 0 or -ENOMEM. */
int hyb_graph_settle(struct hyb_graph *g);

static inline bool hyb_graph_is_stuck(const struct hyb_graph *g, uint32_t node)
{
	return g->nodes[node].state == HYB_GRAPH_WAITS;
}

/*
 * The next cycle: the shortest one among the nodes that are stuck and lead to none that was found before. Its nodes go
 * to `cycle`, which has room for node_count; each waits for the process of the next one. How many, 0: there is none.
 */
size_t hyb_graph_cycle(struct hyb_graph *g, uint32_t *cycle);
/* So many are stuck and lead to a cycle that was found, those in it included. */
size_t hyb_graph_explained(const struct hyb_graph *g);

#endif
