/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding to the table of handles; see trie.h. */
#include "core/sys/trie.h"

#include "core/sys/memory.h"

static struct hyb_node *make(uint64_t key, size_t size)
{
	uintptr_t at = (uintptr_t)hyb_alloc(size + HYB_CACHE_LINE - 16);
	struct hyb_node *node = (void *)((at + HYB_CACHE_LINE - 1) & ~(uintptr_t)(HYB_CACHE_LINE - 1));

	if (!at)
		return NULL;
	node->key = key;
	return node;
}

struct hyb_node *hyb_trie_add_below(struct hyb_node **root, unsigned int bits, uint64_t key, size_t size)
{
	uint64_t way = hyb_trie_way(key);
	struct hyb_node **place = &root[way >> (64 - bits)];
	struct hyb_node *fresh = NULL;
	struct hyb_node *node;

	for (way <<= bits;; way <<= 2) {
		node = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		if (!node && !fresh) {
			fresh = make(key, size);
			if (!fresh)
				return NULL;
		}
		/*
		 * Release: whoever finds the node finds its key. On failure `node` is another
		 * thread's.
		 */
		if (!node && __atomic_compare_exchange_n(place, &node, fresh, 0, __ATOMIC_RELEASE,
							 __ATOMIC_ACQUIRE))
			return fresh;
		if (node->key == key)
			return node;
		place = &node->child[way >> 62];
	}
}
