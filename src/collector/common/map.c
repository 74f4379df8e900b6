/* SPDX-License-Identifier: BSD-3-Clause */
/* From numbers to pointers; see map.h. */
#include "collector/common/map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 64

static size_t home_of(const struct hyb_map *map, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->room - 1);
}

static struct hyb_map_entry *find(const struct hyb_map *map, uint64_t key)
{
	size_t at = home_of(map, key);

	while (map->entries[at].value && map->entries[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->entries[at];
}

void *hyb_map_get(const struct hyb_map *map, uint64_t key)
{
	return map->room ? find(map, key)->value : NULL;
}

static int grow(struct hyb_map *map)
{
	struct hyb_map more = { .room = map->room ? 2 * map->room : FIRST_ROOM, .count = map->count };

	more.entries = calloc(more.room, sizeof(*more.entries));
	if (!more.entries)
		return -ENOMEM;
	for (size_t i = 0; i < map->room; i++) {
		if (map->entries[i].value)
			*find(&more, map->entries[i].key) = map->entries[i];
	}
	free(map->entries);
	*map = more;
	return 0;
}

int hyb_map_put(struct hyb_map *map, uint64_t key, void *value)
{
	struct hyb_map_entry *entry;

	if (map->count >= map->room / 2) {
		int err = grow(map);

		if (err)
			return err;
	}
	entry = find(map, key);
	map->count += !entry->value;
	entry->key = key;
	entry->value = value;
	return 0;
}

void *hyb_map_take(struct hyb_map *map, uint64_t key)
{
	const size_t mask = map->room - 1;
	struct hyb_map_entry *entry = map->room ? find(map, key) : NULL;
	void *value = entry ? entry->value : NULL;
	size_t gap, at;

	if (!value)
		return NULL;
	map->count--;
	gap = (size_t)(entry - map->entries);
	/* Each entry up to the next free place moves up, unless that would be before its own place. */
	for (at = (gap + 1) & mask; map->entries[at].value; at = (at + 1) & mask) {
		if (((at - home_of(map, map->entries[at].key)) & mask) < ((at - gap) & mask))
			continue;
		map->entries[gap] = map->entries[at];
		gap = at;
	}
	map->entries[gap].value = NULL;
	return value;
}
