/* SPDX-License-Identifier: BSD-3-Clause */
/* A map from numbers to pointers, with open addressing. It grows with the number of its entries. */
#ifndef HYB_COLLECTOR_COMMON_MAP_H
#define HYB_COLLECTOR_COMMON_MAP_H

#include <stddef.h>
#include <stdint.h>

struct hyb_map_entry {
	uint64_t key;
	void *value;	/* NULL: this place is free */
};

struct hyb_map {	/* begins with all zeroes */
	struct hyb_map_entry *entries;
	size_t room;	/* a power of two */
	size_t count;
};

/* The value of the key, NULL: there is none. */
void *hyb_map_get(const struct hyb_map *map, uint64_t key);
/* Sets the value, which is not NULL, of the key. 0 or -ENOMEM. */
int hyb_map_put(struct hyb_map *map, uint64_t key, void *value);
/* Takes the key out. Its value, NULL: there was none. */
void *hyb_map_take(struct hyb_map *map, uint64_t key);

#endif
