/* SPDX-License-Identifier: BSD-3-Clause */
/* Who can go on, and cycles, of graphs drawn by hand and of many by chance against a slow search. */
#include "analysis/check/graph.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"

/* One thread for each process; those that are named in `free` can go on. */
static void begin(struct hyb_graph *g, uint32_t processes, const char *states)
{
	uint32_t i;

	hyb_graph_init(g, processes);
	for (i = 0; i < processes; i++)
		hyb_graph_add(g, i,
			      states[i] == 'f'	 ? HYB_GRAPH_FREE
			      : states[i] == 'e' ? HYB_GRAPH_ENDED
						 : HYB_GRAPH_WAITS);
}

static void wait_for(struct hyb_graph *g, uint32_t node, bool all, size_t count,
		     const uint32_t *processes)
{
	hyb_graph_wait(g, node, hyb_graph_set(g, processes, count), all);
}

#define WAIT(g, node, all, ...)                                                                    \
	wait_for(g, node, all, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),             \
		 (uint32_t[]){ __VA_ARGS__ })

/* Which nodes are stuck, as text. */
static const char *stuck(const struct hyb_graph *g)
{
	static char text[64];
	size_t i;

	for (i = 0; i < g->node_count; i++)
		text[i] = hyb_graph_is_stuck(g, (uint32_t)i) ? 's' : '.';
	text[i] = '\0';
	return text;
}

static void chains(void)
{
	struct hyb_graph g;

	begin(&g, 4, "wwwf");
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 2);
	WAIT(&g, 2, true, 3);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "...."), "a chain to one that can go on");
	hyb_graph_free(&g);
	begin(&g, 4, "wwwe");
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 2);
	WAIT(&g, 2, true, 3);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "sss."), "a chain to one that has ended");
	tap(!hyb_graph_cycle(&g, (uint32_t[4]){ 0 }), "that is no cycle");
	hyb_graph_free(&g);
}

static void sets(void)
{
	struct hyb_graph g;

	begin(&g, 4, "wwwf");
	WAIT(&g, 0, true, 1, 3);
	WAIT(&g, 1, false, 0, 2);
	WAIT(&g, 2, true, 1);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "sss."),
	    "all of a set are needed: one is not enough");
	hyb_graph_free(&g);
	begin(&g, 4, "wwwf");
	WAIT(&g, 0, false, 1, 3);
	WAIT(&g, 1, true, 0, 2);
	WAIT(&g, 2, true, 0);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "...."), "one of a set is enough");
	hyb_graph_free(&g);
	begin(&g, 3, "wwf");
	WAIT(&g, 0, false, 1, 2);
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 0);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "ss."), "all waits must be over");
	hyb_graph_free(&g);
}

static void itself(void)
{
	uint32_t cycle[4];
	struct hyb_graph g;

	begin(&g, 3, "www");
	WAIT(&g, 0, false, 0, 1, 2);
	WAIT(&g, 1, true, 2);
	WAIT(&g, 2, true, 0);
	hyb_graph_settle(&g);
	tap_equal((long long)hyb_graph_cycle(&g, cycle), 2,
		  "that it is in the set it waits for is no cycle");
	hyb_graph_free(&g);
	begin(&g, 1, "w");
	WAIT(&g, 0, true, 0);
	hyb_graph_settle(&g);
	tap_equal((long long)hyb_graph_cycle(&g, cycle), 1,
		  "that it waits for itself alone is one");
	hyb_graph_free(&g);
}

static void threads(void)
{
	struct hyb_graph g;
	uint32_t other;

	begin(&g, 2, "ww");
	other = hyb_graph_add(&g, 1, HYB_GRAPH_FREE);
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 0);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "..."),
	    "another thread of the process may do it");
	hyb_graph_free(&g);
	begin(&g, 2, "ww");
	other = hyb_graph_add(&g, 1, HYB_GRAPH_WAITS);
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 0);
	WAIT(&g, other, false, 1);
	tap(!hyb_graph_settle(&g) && !strcmp(stuck(&g), "sss"), "unless that waits for it itself");
	hyb_graph_free(&g);
}

static void cycles(void)
{
	uint32_t cycle[8];
	struct hyb_graph g;

	begin(&g, 7, "wwwwwww");
	WAIT(&g, 0, true, 1);
	WAIT(&g, 1, true, 2);
	WAIT(&g, 2, true, 0);
	WAIT(&g, 3, true, 4, 0);
	WAIT(&g, 4, true, 3);
	WAIT(&g, 5, true, 6);
	WAIT(&g, 6, true, 0);
	hyb_graph_settle(&g);
	tap_equal((long long)hyb_graph_cycle(&g, cycle), 2, "the shortest cycle comes first");
	tap(cycle[0] + cycle[1] == 7, "it is the right one");
	tap_equal((long long)hyb_graph_cycle(&g, cycle), 3, "then another one");
	tap_equal((long long)hyb_graph_explained(&g), 7, "which explains the rest");
	tap(!hyb_graph_cycle(&g, cycle), "there is no third one");
	hyb_graph_free(&g);
}

/* The same by rounds over all. */
static void slowly(const uint32_t (*waits)[4], size_t n, bool *free)
{
	bool more = true, over;

	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			over = free[waits[i][1]] && free[waits[i][2]];
			if (waits[i][3])
				over = free[waits[i][1]] || free[waits[i][2]];
			if (!free[waits[i][0]] && over)
				more = free[waits[i][0]] = true;
		}
	}
}

static bool walk(const struct hyb_graph *g, const uint32_t *cycle, size_t n,
		 const uint32_t (*waits)[4])
{
	size_t i;

	for (i = 0; i < n; i++) {
		const uint32_t *w = waits[cycle[i]], to = cycle[(i + 1) % n];

		if ((w[1] != to && w[2] != to) || !hyb_graph_is_stuck(g, cycle[i]))
			return false;
	}
	return true;
}

static void by_chance(unsigned int seed)
{
	enum { N = 30 };
	bool free[N], same = true, cyclic = true;
	uint32_t waits[N][4], cycle[N];
	struct hyb_graph g;
	size_t n;

	srandom(seed);
	for (int round = 0; round < 2000; round++) {
		hyb_graph_init(&g, N);
		for (uint32_t i = 0; i < N; i++) {
			free[i] = random() % 15 == 0;
			hyb_graph_add(&g, i, free[i] ? HYB_GRAPH_FREE : HYB_GRAPH_WAITS);
		}
		for (uint32_t i = 0; i < N; i++) {
			waits[i][0] = i;
			waits[i][1] = (i + 1 + (uint32_t)random() % (N - 1)) % N;
			waits[i][2] = (i + 1 + (uint32_t)random() % (N - 1)) % N;
			waits[i][3] = random() % 2;
			if (!free[i])
				wait_for(&g, i, !waits[i][3], 2, waits[i] + 1);
		}
		hyb_graph_settle(&g);
		slowly((const uint32_t(*)[4])waits, N, free);
		for (uint32_t i = 0; i < N; i++)
			same &= free[i] != hyb_graph_is_stuck(&g, i);
		while ((n = hyb_graph_cycle(&g, cycle)) != 0)
			cyclic &= walk(&g, cycle, n, (const uint32_t(*)[4])waits);
		for (uint32_t i = 0; i < N; i++)
			cyclic &= !hyb_graph_is_stuck(&g, i) || g.nodes[i].explained;
		hyb_graph_free(&g);
	}
	tap(same, "2000 graphs by chance: who is stuck");
	tap(cyclic, "and all that are stuck lead to a cycle that is one");
}

int main(void)
{
	chains();
	sets();
	itself();
	threads();
	cycles();
	by_chance(1);
	return tap_done();
}
