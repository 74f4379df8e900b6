/* SPDX-License-Identifier: BSD-3-Clause */
/* Open addressing without marks for what was taken out: what follows moves up. See keymap.h. */
#include "reader/containers/keymap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/table.h"

static size_t home_of(const struct hyb_key_map *map, uint64_t key)
{
	return hyb_mix(key) & (map->room - 1);
}

/* The key's entry, or the free one where it belongs. */
static size_t find(const struct hyb_key_map *map, uint64_t key)
{
	size_t i = home_of(map, key);

	while (map->entries[i].key && map->entries[i].key != key)
		i = (i + 1) & (map->room - 1);
	return i;
}

static int grow(struct hyb_key_map *map)
{
	struct hyb_key_map larger = { .room = map->room ? 2 * map->room : 64, .count = map->count };
	size_t i;

	larger.entries = calloc(larger.room, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (i = 0; i < map->room; i++)
		if (map->entries[i].key)
			larger.entries[find(&larger, map->entries[i].key)] = map->entries[i];
	free(map->entries);
	*map = larger;
	return 0;
}

int hyb_key_map_put(struct hyb_key_map *map, uint64_t key, int64_t value)
{
	size_t i;

	if (2 * map->count >= map->room && grow(map))
		return -ENOMEM;
	i = find(map, key);
	map->count += !map->entries[i].key;
	map->entries[i] = (struct hyb_key_entry){ key, value };
	return 0;
}

bool hyb_key_map_take(struct hyb_key_map *map, uint64_t key, int64_t *value)
{
	size_t hole, i, mask = map->room - 1;

	if (!map->count)
		return false;
	hole = find(map, key);
	if (!map->entries[hole].key)
		return false;
	*value = map->entries[hole].value;
	/* An entry after it moves up unless its home lies between the hole and itself. */
	for (i = (hole + 1) & mask; map->entries[i].key; i = (i + 1) & mask) {
		if (((i - home_of(map, map->entries[i].key)) & mask) < ((i - hole) & mask))
			continue;
		map->entries[hole] = map->entries[i];
		hole = i;
	}
	map->entries[hole].key = 0;
	map->count--;
	return true;
}

void hyb_key_map_free(struct hyb_key_map *map)
{
	free(map->entries);
	memset(map, 0, sizeof(*map));
}
