/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A heap of pointers, to merge sequences that are sorted: the first item is the sequence whose next element is the
 * least. Whoever has it fills `items` and `count`, orders them once, and says whenever the first one has moved on.
 */
#ifndef HYB_READER_CONTAINERS_HEAP_H
#define HYB_READER_CONTAINERS_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct hyb_heap {
	void **items;
	size_t count;
};

/* Whether a comes before b; arg is the caller's. */
typedef bool (*hyb_heap_before)(const void *a, const void *b, const void *arg);

/* The item at i goes down to its place. */
static inline void hyb_heap_sift(struct hyb_heap *h, size_t i, hyb_heap_before before, const void *arg)
{
	void *moved = h->items[i];
	size_t child;

	while ((child = 2 * i + 1) < h->count) {
		if (child + 1 < h->count && before(h->items[child + 1], h->items[child], arg))
			child++;
		if (!before(h->items[child], moved, arg))
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = moved;
}

/* Items that came in any order. */
static inline void hyb_heap_order(struct hyb_heap *h, hyb_heap_before before, const void *arg)
{
	for (size_t i = h->count / 2; i-- > 0;)
		hyb_heap_sift(h, i, before, arg);
}

/* The first item has moved on to its next element, or has no more: then it leaves the heap. */
static inline void hyb_heap_moved(struct hyb_heap *h, bool more, hyb_heap_before before, const void *arg)
{
	if (!more)
		h->items[0] = h->items[--h->count];
	if (h->count)
		hyb_heap_sift(h, 0, before, arg);
}

#endif
