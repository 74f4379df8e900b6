/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binary search. HYB_SEARCH(i, count, before) is the first index below `count` for which `before` does not hold, or
 * `count`. `before` is an expression with i, a name that the caller chooses: it holds up to some index, then no more.
 * In items that are sorted, the first one that is not less than a key, and the first one that is greater:
 *
 *	HYB_SEARCH(i, count, items[i].key < key)
 *	HYB_SEARCH(i, count, items[i].key <= key)
 */
#ifndef HYB_READER_CONTAINERS_SEARCH_H
#define HYB_READER_CONTAINERS_SEARCH_H

#include <stddef.h>

#define HYB_SEARCH(i, count, before)                                                             \
	({                                                                                       \
		size_t hyb_low = 0, hyb_high = (count);                                          \
                                                                                                 \
		while (hyb_low < hyb_high) {                                                     \
			const size_t i = hyb_low + (hyb_high - hyb_low) / 2;                     \
                                                                                                 \
			if (before)                                                              \
				hyb_low = i + 1;                                                 \
			else                                                                     \
				hyb_high = i;                                                    \
		}                                                                                \
		hyb_low;                                                                         \
	})

#endif
