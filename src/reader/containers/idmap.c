/* SPDX-License-Identifier: BSD-3-Clause */
/* Open addressing, at most half full, so that a search ends soon. */
#include <errno.h>
#include <stdlib.h>

#include "reader/containers/idmap.h"

#define FIRST_SIZE 64

struct slot {
	uint64_t id;
	size_t place; /* plus 1; 0: free */
};

struct hyb_id_map {
	struct slot *slots;
	size_t size; /* a power of two */
	size_t count;
};

static size_t slot_of(const struct slot *slots, size_t size, uint64_t id)
{
	size_t i = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);

	while (slots[i].place && slots[i].id != id)
		i = (i + 1) & (size - 1);
	return i;
}

struct hyb_id_map *hyb_id_map_new(void)
{
	struct hyb_id_map *map = malloc(sizeof(*map));

	if (!map)
		return NULL;
	map->size = FIRST_SIZE;
	map->count = 0;
	map->slots = calloc(map->size, sizeof(*map->slots));
	if (!map->slots) {
		free(map);
		return NULL;
	}
	return map;
}

void hyb_id_map_free(struct hyb_id_map *map)
{
	if (!map)
		return;
	free(map->slots);
	free(map);
}

size_t hyb_id_map_get(const struct hyb_id_map *map, uint64_t id)
{
	return map->slots[slot_of(map->slots, map->size, id)].place - 1;
}

static int grow(struct hyb_id_map *map)
{
	size_t size = 2 * map->size;
	struct slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++) {
		if (map->slots[i].place)
			slots[slot_of(slots, size, map->slots[i].id)] = map->slots[i];
	}
	free(map->slots);
	map->slots = slots;
	map->size = size;
	return 0;
}

int hyb_id_map_add(struct hyb_id_map *map, uint64_t id, size_t place)
{
	size_t i;

	if (2 * (map->count + 1) > map->size && grow(map))
		return -ENOMEM;
	i = slot_of(map->slots, map->size, id);
	map->slots[i].id = id;
	map->slots[i].place = place + 1;
	map->count++;
	return 0;
}
