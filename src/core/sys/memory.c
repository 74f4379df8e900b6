/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bump allocator over anonymous mappings. Blocks are chained only through `current`: what is left in a
 * block when another thread replaces it is given up, a few kilobytes at most.
 */
#include "core/sys/memory.h"

#include "core/sys/sys.h"

#define BLOCK_SIZE	(64u << 10)

struct block {
	size_t used;	/* atomic: taken by fetch-and-add, may run past the end */
	size_t size;
};

static struct block *current;

void *hyb_alloc(size_t size)
{
	const size_t first = (sizeof(struct block) + 15) & ~(size_t)15;

	if (size > SIZE_MAX - BLOCK_SIZE)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (size > BLOCK_SIZE / 4)
		return hyb_sys_map_anonymous(size, 0);
	for (;;) {
		/* acquire pairs with the release of the exchange below: the block's members */
		struct block *b = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		struct block *fresh;

		if (b) {
			size_t at = __atomic_fetch_add(&b->used, size, __ATOMIC_RELAXED);

			if (at + size <= b->size)
				return (char *)b + at;
		}
		fresh = hyb_sys_map_anonymous(BLOCK_SIZE, 0);
		if (!fresh)
			return NULL;
		fresh->size = BLOCK_SIZE;
		fresh->used = first;
		if (!__atomic_compare_exchange_n(&current, &b, fresh, false, __ATOMIC_RELEASE,
						 __ATOMIC_RELAXED))
			hyb_sys_unmap(fresh, BLOCK_SIZE);
	}
}

void *hyb_alloc_apart(size_t size)
{
	const uintptr_t mask = HYB_APART - 1;
	uintptr_t at;

	if (size > SIZE_MAX - 2 * HYB_APART)
		return NULL;
	at = (uintptr_t)hyb_alloc(((size + mask) & ~mask) + mask);
	return at ? (void *)((at + mask) & ~mask) : NULL;
}
