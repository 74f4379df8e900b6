/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays that grow. Whoever has one keeps the elements, for how many there is room, and how many there are: NULL and 0
 * at first. Both functions give the array as it is now. Without memory they give NULL, and the old array stays:
 *
 *	grown = hyb_array_room(list->items, &list->room, list->count, sizeof(*grown));
 *	if (!grown)
 *		return -ENOMEM;
 *	list->items = grown;
 *	list->items[list->count++] = item;
 */
#ifndef HYB_READER_CONTAINERS_ARRAY_H
#define HYB_READER_CONTAINERS_ARRAY_H

#include <stddef.h>

/* Of the two below. */
void *hyb_array_grow(void *items, size_t *room, size_t count, size_t size);

/* Room for `count` elements in all; new ones are not set to anything. */
static inline void *hyb_array_hold(void *items, size_t *room, size_t count, size_t size)
{
	return __builtin_expect(items && count <= *room, 1) ? items : hyb_array_grow(items, room, count, size);
}

/* Room for one more than the `count` that are there. */
static inline void *hyb_array_room(void *items, size_t *room, size_t count, size_t size)
{
	return hyb_array_hold(items, room, count + 1, size);
}

#endif
