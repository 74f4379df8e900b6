/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of MPI's handles and OpenMP's locks: a table from 64-bit keys to nodes that only
 * grows, so that looking up takes no lock and never waits. A node lies at the head of what it is
 * for, and stays when its handle dies: MPI gives the same value again to a later object, which then
 * takes the node over.
 */
#ifndef HYB_CORE_TRIE_H
#define HYB_CORE_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "core/record.h"

#define HYB_CACHE_LINE 64

struct hyb_node {
	uint64_t key;
	struct hyb_node *child[4];
};

struct hyb_trie {
	struct hyb_node *root[256];
};

/* An MPI handle is a number or a pointer. */
#define HYB_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

/* One to one, so that different keys differ in some bit of what selects the way down. */
static inline uint64_t hyb_trie_way(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

/* The key's node, or NULL. Its acquire loads pair with the release in hyb_trie_add. */
static inline struct hyb_node *hyb_trie_find(const struct hyb_trie *trie, uint64_t key)
{
	uint64_t way = hyb_trie_way(key);
	struct hyb_node *node = __atomic_load_n(&trie->root[way >> 56], __ATOMIC_ACQUIRE);

	for (way <<= 8; node && node->key != key; way <<= 2)
		node = __atomic_load_n(&node->child[way >> 62], __ATOMIC_ACQUIRE);
	return node;
}

/* The key's node, made with `size` bytes of zeroes, from a cache line on, if there is none; NULL without memory. */
HYB_EXPORT struct hyb_node *hyb_trie_add(struct hyb_trie *trie, uint64_t key, size_t size);

#endif
