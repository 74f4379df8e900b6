/* SPDX-License-Identifier: BSD-3-Clause */
/* A map from numbers that are not 0 to times, of what comes and goes: memory is for the most that is there at once. */
#ifndef HYB_READER_CONTAINERS_KEYMAP_H
#define HYB_READER_CONTAINERS_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_key_map { /* all zero: empty */
	struct hyb_key_entry {
		uint64_t key; /* 0: free */
		int64_t value;
	} *entries;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* Adds a key or gives it another value. 0 or -ENOMEM. */
int hyb_key_map_put(struct hyb_key_map *map, uint64_t key, int64_t value);
/* Takes a key out, if it is there. */
bool hyb_key_map_take(struct hyb_key_map *map, uint64_t key, int64_t *value);
/* Gives the memory back; empty then. */
void hyb_key_map_free(struct hyb_key_map *map);

#endif
