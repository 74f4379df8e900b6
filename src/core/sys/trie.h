/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of MPI's handles and OpenMP's locks: a table from 64-bit keys to nodes that only
 * grows, so that looking up takes no lock and never waits. A node lies at the head of what it is
 * for, and stays when its handle dies: MPI gives the same value again to a later object, which then
 * takes the node over.
 */
#ifndef HYB_CORE_SYS_TRIE_H
#define HYB_CORE_SYS_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"

#define HYB_CACHE_LINE 64

struct hyb_node {
	uint64_t key;
	struct hyb_node *child[4];
};

#define HYB_TRIE_BITS 8
#define HYB_TRIE_WIDE_BITS 16

struct hyb_trie {
	struct hyb_node *root[1 << HYB_TRIE_BITS];
};

/* For what there may be hundreds of thousands of: with a root so wide the way is one step or two. */
struct hyb_trie_wide {
	struct hyb_node *root[1 << HYB_TRIE_WIDE_BITS];
};

/* An MPI handle is a number or a pointer. */
#define HYB_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* One to one, so that different keys differ in some bit of what selects the way down. */
static inline uint64_t hyb_trie_way(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * The key's node below a root of 2^bits places, or NULL. The acquire loads pair with the release in
 * hyb_trie_add_below.
 */
static inline struct hyb_node *hyb_trie_find_below(struct hyb_node *const *root, unsigned int bits, uint64_t key)
{
	uint64_t way = hyb_trie_way(key);
	struct hyb_node *node = __atomic_load_n(&root[way >> (64 - bits)], __ATOMIC_ACQUIRE);

	for (way <<= bits; hyb_unlikely(node && node->key != key); way <<= 2)
		node = __atomic_load_n(&node->child[way >> 62], __ATOMIC_ACQUIRE);
	return node;
}

/* The key's node, made with `size` bytes of zeroes, from a cache line on, if there is none; NULL without memory. */
HYB_EXPORT struct hyb_node *hyb_trie_add_below(struct hyb_node **root, unsigned int bits, uint64_t key, size_t size);

static inline struct hyb_node *hyb_trie_find(const struct hyb_trie *trie, uint64_t key)
{
	return hyb_trie_find_below(trie->root, HYB_TRIE_BITS, key);
}

static inline struct hyb_node *hyb_trie_add(struct hyb_trie *trie, uint64_t key, size_t size)
{
	return hyb_trie_add_below(trie->root, HYB_TRIE_BITS, key, size);
}

static inline struct hyb_node *hyb_trie_find_wide(const struct hyb_trie_wide *trie, uint64_t key)
{
	return hyb_trie_find_below(trie->root, HYB_TRIE_WIDE_BITS, key);
}

static inline struct hyb_node *hyb_trie_add_wide(struct hyb_trie_wide *trie, uint64_t key, size_t size)
{
	return hyb_trie_add_below(trie->root, HYB_TRIE_WIDE_BITS, key, size);
}

#endif
