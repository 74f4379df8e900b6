/* SPDX-License-Identifier: BSD-3-Clause */
/* An array doubles, so that adding an element takes the same time on average however many there are; see array.h. */
#include "reader/containers/array.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_ROOM 8u

void *hyb_array_grow(void *items, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? *room : FIRST_ROOM, bytes;
	void *grown;

	while (more < count) {
		if (more > SIZE_MAX / 2)
			return NULL;
		more *= 2;
	}
	if (__builtin_mul_overflow(more, size, &bytes))
		return NULL;
	grown = realloc(items, bytes);
	if (grown)
		*room = more;
	return grown;
}
