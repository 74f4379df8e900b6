/* SPDX-License-Identifier: BSD-3-Clause */
/* Who waits for whom; see graph.h. */
#include "analysis/check/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

#define SEARCH_STEPS 100000000u /* for the shortest cycle; a longer one will do after so many */

int hyb_graph_init(struct hyb_graph *g, size_t processes)
{
	size_t i;

	memset(g, 0, sizeof(*g));
	g->processes = calloc(processes + 1, sizeof(*g->processes));
	if (!g->processes)
		return -ENOMEM;
	g->process_count = processes;
	for (i = 0; i < processes; i++)
		g->processes[i].nodes = g->processes[i].sets = HYB_GRAPH_NONE;
	return 0;
}

void hyb_graph_free(struct hyb_graph *g)
{
	free(g->processes);
	free(g->nodes);
	free(g->sets);
	free(g->waits);
	free(g->places);
	free(g->members);
	free(g->queue);
	memset(g, 0, sizeof(*g));
}

uint32_t hyb_graph_add(struct hyb_graph *g, uint32_t process, enum hyb_graph_state state)
{
	struct hyb_graph_node *nodes =
		hyb_array_room(g->nodes, &g->node_room, g->node_count, sizeof(*nodes));

	if (!nodes)
		return HYB_GRAPH_NONE;
	g->nodes = nodes;
	nodes[g->node_count] = (struct hyb_graph_node){
		.process = process,
		.state = state,
		.first = HYB_GRAPH_NONE,
		.next = g->processes[process].nodes,
	};
	g->processes[process].nodes = (uint32_t)g->node_count;
	return (uint32_t)g->node_count++;
}

static bool add_member(struct hyb_graph *g, uint32_t set, uint32_t process)
{
	uint32_t *members =
		hyb_array_room(g->members, &g->member_room, g->member_count, sizeof(*members));
	struct hyb_graph_place *places;

	if (!members)
		return false;
	g->members = members;
	places = hyb_array_room(g->places, &g->place_room, g->member_count, sizeof(*places));
	if (!places)
		return false;
	g->places = places;
	members[g->member_count] = process;
	places[g->member_count].set = set;
	places[g->member_count].next = g->processes[process].sets;
	g->processes[process].sets = (uint32_t)g->member_count++;
	return true;
}

uint32_t hyb_graph_set(struct hyb_graph *g, const uint32_t *processes, size_t count)
{
	struct hyb_graph_set *sets =
		hyb_array_room(g->sets, &g->set_room, g->set_count, sizeof(*sets));
	size_t i;

	if (!sets)
		return HYB_GRAPH_NONE;
	g->sets = sets;
	sets[g->set_count] = (struct hyb_graph_set){
		.first = (uint32_t)g->member_count,
		.count = (uint32_t)count,
		.waits = HYB_GRAPH_NONE,
	};
	for (i = 0; i < count; i++)
		if (!add_member(g, (uint32_t)g->set_count, processes[i]))
			return HYB_GRAPH_NONE;
	return (uint32_t)g->set_count++;
}

int hyb_graph_wait(struct hyb_graph *g, uint32_t node, uint32_t set, bool all)
{
	struct hyb_graph_wait *waits =
		hyb_array_room(g->waits, &g->wait_room, g->wait_count, sizeof(*waits));

	if (!waits)
		return -ENOMEM;
	g->waits = waits;
	waits[g->wait_count] = (struct hyb_graph_wait){
		.node = node,
		.set = set,
		.all = all,
		.next = g->nodes[node].first,
		.next_of_set = g->sets[set].waits,
	};
	g->sets[set].waits = g->nodes[node].first = (uint32_t)g->wait_count++;
	g->nodes[node].left++;
	return 0;
}

/* The process can go on: puts it at the end of the queue. */
static void release(struct hyb_graph *g, uint32_t process, size_t *end)
{
	if (g->processes[process].free)
		return;
	g->processes[process].free = true;
	g->queue[(*end)++] = process;
}

/* One more of a set can go on. */
static void count_free(struct hyb_graph *g, uint32_t number, size_t *end)
{
	struct hyb_graph_set *set = &g->sets[number];
	struct hyb_graph_wait *w;
	uint32_t i;

	set->free++;
	if (set->free > 1 && set->free < set->count)
		return;
	for (i = set->waits; i != HYB_GRAPH_NONE; i = w->next_of_set) {
		w = &g->waits[i];
		if (w->over || (w->all && set->free < set->count))
			continue;
		w->over = true;
		if (--g->nodes[w->node].left)
			continue;
		g->nodes[w->node].state = HYB_GRAPH_FREE;
		release(g, g->nodes[w->node].process, end);
	}
}

int hyb_graph_settle(struct hyb_graph *g)
{
	size_t begin = 0, end = 0, i;
	uint32_t at;

	g->queue = calloc(g->process_count + 1, sizeof(*g->queue));
	if (!g->queue)
		return -ENOMEM;
	for (i = 0; i < g->node_count; i++) {
		if (g->nodes[i].state == HYB_GRAPH_WAITS && !g->nodes[i].left)
			g->nodes[i].state = HYB_GRAPH_FREE;
		if (g->nodes[i].state == HYB_GRAPH_FREE)
			release(g, g->nodes[i].process, &end);
	}
	while (begin < end)
		for (at = g->processes[g->queue[begin++]].sets; at != HYB_GRAPH_NONE;
		     at = g->places[at].next)
			count_free(g, g->places[at].set, &end);
	return 0;
}

/* A search, breadth first, over nodes that are stuck. */
struct search {
	uint32_t *from;	 /* by process: the node that waits for it */
	uint32_t *round; /* by process, then set: of which search that is */
	uint32_t *queue; /* of processes */
	uint32_t number; /* of this search */
	uint64_t steps;
};

/* Goes on with what a node waits for. True if that is `goal`. */
static bool visit(const struct hyb_graph *g, struct search *s, uint32_t node, uint32_t goal,
		  size_t *end)
{
	const struct hyb_graph_set *set;
	uint32_t i, k, process;

	for (i = g->nodes[node].first; i != HYB_GRAPH_NONE; i = g->waits[i].next) {
		set = &g->sets[g->waits[i].set];
		if (g->waits[i].over || s->round[g->process_count + g->waits[i].set] == s->number)
			continue;
		s->round[g->process_count + g->waits[i].set] = s->number;
		s->steps += set->count;
		for (k = 0; k < set->count; k++) {
			process = g->members[set->first + k];
			/* That it waits for itself, too, says nothing where others could do it as well. */
			if (g->processes[process].free || s->round[process] == s->number ||
			    (process == g->nodes[node].process && set->count > 1))
				continue;
			s->round[process] = s->number;
			s->from[process] = node;
			if (process == goal)
				return true;
			s->queue[(*end)++] = process;
		}
	}
	return false;
}

/* The shortest cycle through a process, shorter than `limit`: how many nodes, 0: none. */
static size_t search_from(const struct hyb_graph *g, struct search *s, uint32_t goal,
			  uint32_t *cycle, size_t limit)
{
	size_t begin = 0, end = 1, count = 0, i;
	uint32_t node, process = goal;
	bool found = false;

	s->number++;
	s->queue[0] = goal;
	while (begin < end && !found) {
		process = s->queue[begin++];
		for (node = g->processes[process].nodes; node != HYB_GRAPH_NONE && !found;
		     node = g->nodes[node].next)
			if (hyb_graph_is_stuck(g, node) && !g->nodes[node].explained)
				found = visit(g, s, node, goal, &end);
	}
	if (!found)
		return 0;
	do {
		node = s->from[process = count ? g->nodes[cycle[count - 1]].process : goal];
		if (count + 1 >= limit)
			return 0;
		cycle[count++] = node;
	} while (g->nodes[node].process != goal);
	for (i = 0; i < count / 2; i++) {
		node = cycle[i];
		cycle[i] = cycle[count - 1 - i];
		cycle[count - 1 - i] = node;
	}
	return count;
}

/* All that lead to a process that is explained are explained, too. */
static void explain(struct hyb_graph *g, uint32_t *queue, size_t end)
{
	struct hyb_graph_wait *w;
	uint32_t at, i, process;
	size_t begin = 0;

	while (begin < end) {
		for (at = g->processes[queue[begin++]].sets; at != HYB_GRAPH_NONE;
		     at = g->places[at].next) {
			for (i = g->sets[g->places[at].set].waits; i != HYB_GRAPH_NONE;
			     i = w->next_of_set) {
				w = &g->waits[i];
				if (w->over || !hyb_graph_is_stuck(g, w->node) ||
				    g->nodes[w->node].explained)
					continue;
				g->nodes[w->node].explained = true;
				process = g->nodes[w->node].process;
				if (!g->processes[process].explained)
					queue[end++] = process;
				g->processes[process].explained = true;
			}
		}
	}
}

size_t hyb_graph_cycle(struct hyb_graph *g, uint32_t *cycle)
{
	struct search s = { .number = 0 };
	uint32_t *found = calloc(g->node_count + 1, sizeof(*found));
	size_t best = 0, n, i, end = 0;

	s.from = calloc(g->process_count + 1, sizeof(*s.from));
	s.queue = calloc(g->process_count + 1, sizeof(*s.queue));
	s.round = calloc(g->process_count + g->set_count + 1, sizeof(*s.round));
	for (i = 0; found && s.from && s.queue && s.round && i < g->process_count; i++) {
		if (g->processes[i].free || g->processes[i].explained ||
		    (best && s.steps > SEARCH_STEPS))
			continue;
		n = search_from(g, &s, (uint32_t)i, found, best ? best : g->node_count + 1);
		if (n) {
			best = n;
			memcpy(cycle, found, n * sizeof(*found));
		}
		/* There is hardly a shorter one. */
		if (best && best <= 2)
			break;
	}
	for (i = 0; i < best; i++) {
		g->nodes[cycle[i]].explained = true;
		g->processes[g->nodes[cycle[i]].process].explained = true;
		s.queue[end++] = g->nodes[cycle[i]].process;
	}
	explain(g, s.queue, end);
	free(found);
	free(s.from);
	free(s.queue);
	free(s.round);
	return best;
}

size_t hyb_graph_explained(const struct hyb_graph *g)
{
	size_t i, n = 0;

	for (i = 0; i < g->node_count; i++)
		n += g->nodes[i].explained;
	return n;
}
