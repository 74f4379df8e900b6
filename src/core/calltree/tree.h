/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile in memory: its cells, and what is made of them. format/profile.h says how it looks.
 *
 * Nothing here allocates memory or calls anybody: whoever has a profile says how it gets more space. One thread at a
 * time may use it.
 */
#ifndef HYB_CORE_CALLTREE_TREE_H
#define HYB_CORE_CALLTREE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/profile.h"

struct hyb_profile {
	struct hyb_profile_header *header; /* the cells follow it by HYB_PROFILE_HEADER_SIZE */
	/*
	 * Space for `cells` cells in all, at least; may move everything, and sets header and state.room. 0 or -errno, and
	 * then nothing has changed.
	 */
	int (*grow)(struct hyb_profile *p, uint64_t cells);
	/*
	 * Of libraries that were loaded at one place, one after the other, the one that an address lay in at that time: the number
	 * of its OBJECT, the first one if it was there more than once; 0: of the first of them, as nearly always. NULL: no
	 * place ever had two.
	 */
	uint32_t (*library)(const struct hyb_profile *p, uint64_t address, uint64_t now);
	const void *libraries;	/* for that function */
};

static inline void *hyb_profile_cell(const struct hyb_profile *p, uint32_t cell)
{
	return (char *)p->header + HYB_PROFILE_HEADER_SIZE + (uint64_t)cell * HYB_PROFILE_CELL;
}

/* The number of a cell that something begins with. */
static inline uint32_t hyb_profile_number(const struct hyb_profile *p, const void *cell)
{
	return (uint32_t)(((const char *)cell - (const char *)hyb_profile_cell(p, 0)) / HYB_PROFILE_CELL);
}

static inline struct hyb_profile_node *hyb_profile_node(const struct hyb_profile *p, uint32_t cell)
{
	return hyb_profile_cell(p, cell);
}

static inline struct hyb_profile_frame *hyb_profile_frame(const struct hyb_profile *p, uint32_t cell)
{
	return hyb_profile_cell(p, cell);
}

/*
 * Begins a profile whose header and cells are zero and have state.room cells, HYB_PROFILE_FIRST at least; `start` is the
 * time of the thread's first record.
 */
void hyb_profile_begin(struct hyb_profile *p, uint64_t start);
#define HYB_PROFILE_FIRST 1000

/*
 * Makes sure that no function below needs more space than there is until so many nodes or partners and `words` more are
 * made. 0 or what grow says.
 */
int hyb_profile_reserve(struct hyb_profile *p, uint32_t count, uint64_t words);

/* So many 64-bit words, zero. */
uint32_t hyb_profile_words(struct hyb_profile *p, uint64_t words);
/* The child of a node, looked for and made if need be. */
struct hyb_profile_node *hyb_profile_find(struct hyb_profile *p, uint32_t parent, uint64_t region, uint64_t site);
/* With whom a node communicates, looked for and made if need be. */
struct hyb_profile_partner *hyb_profile_find_partner(struct hyb_profile *p, struct hyb_profile_node *node,
						     enum hyb_profile_way way, uint32_t comm, int32_t peer);
/* The frame inside of the innermost one, which it becomes. */
struct hyb_profile_frame *hyb_profile_push(struct hyb_profile *p, uint32_t node, uint64_t now);
/* Ends the innermost frame, which becomes the one around it; the root's stays. */
void hyb_profile_pop(struct hyb_profile *p, uint64_t now);
/* New metrics are known, as they are now: the root's are counted from here on. */
void hyb_profile_adopt(struct hyb_profile *p, const struct hyb_profile_set *set);

/* The child of a node, which most often is the one that was called last. */
static inline struct hyb_profile_node *hyb_profile_child(struct hyb_profile *p, uint32_t parent, uint64_t region,
							 uint64_t site)
{
	/* Cell 0 is no node, and has no region. */
	struct hyb_profile_node *n = hyb_profile_node(p, hyb_profile_node(p, parent)->child);

	if (__builtin_expect(n->region == region && n->site == site && n->parent == parent, 1))
		return n;
	return hyb_profile_find(p, parent, region, site);
}

/* With whom a node communicates, which most often is the one of the last time. */
static inline struct hyb_profile_partner *hyb_profile_partner(struct hyb_profile *p, struct hyb_profile_node *node,
							      enum hyb_profile_way way, uint32_t comm, int32_t peer)
{
	/* Cell 0 is no partner, and goes no way. */
	struct hyb_profile_partner *x = hyb_profile_cell(p, node->partner);

	if (__builtin_expect(x->peer == peer && x->comm == comm && x->way == way, 1))
		return x;
	return hyb_profile_find_partner(p, node, way, comm, peer);
}

static inline unsigned int hyb_profile_bin(uint64_t ticks)
{
	unsigned int bin = 63 - (unsigned int)__builtin_clzll(ticks | 1);

	return bin < HYB_PROFILE_BINS ? bin : HYB_PROFILE_BINS - 1;
}

/* Time that a node's calls took, all alike where there are several. */
static inline void hyb_profile_add(struct hyb_profile *p, struct hyb_profile_node *n, uint64_t calls, uint64_t ticks)
{
	uint64_t each = calls > 1 ? ticks / calls : ticks;

	n->visits += calls;
	n->inclusive += ticks;
	n->min = each < n->min ? each : n->min;
	n->max = each > n->max ? each : n->max;
	n->bins[hyb_profile_bin(each)] += calls;
	if (n->parent)
		hyb_profile_node(p, n->parent)->children += ticks;
}

#endif
