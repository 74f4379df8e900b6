/* SPDX-License-Identifier: BSD-3-Clause */
/* From numbers to pointers, open addressing. It grows with what is in it at a time. */
#ifndef HYB_KERNEL_MAP_H
#define HYB_KERNEL_MAP_H

#include <stddef.h>
#include <stdint.h>

struct hyb_map_entry {
	uint64_t key;
	void *value;	/* NULL: the place is free */
};

struct hyb_map {	/* all zero at first */
	struct hyb_map_entry *entries;
	size_t room;	/* a power of two */
	size_t count;
};

/* What was put there last, NULL: nothing. */
void *hyb_map_get(const struct hyb_map *map, uint64_t key);
/* value is not NULL; it takes the place of one that was there. 0 or -ENOMEM. */
int hyb_map_put(struct hyb_map *map, uint64_t key, void *value);
/* Takes it out; what was there, NULL: nothing. */
void *hyb_map_take(struct hyb_map *map, uint64_t key);

#endif
