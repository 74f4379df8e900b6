/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From ids as they stand in a file, of any value, to places in a table: a hash map that only grows.
 */
#ifndef HYB_READER_CONTAINERS_IDMAP_H
#define HYB_READER_CONTAINERS_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define HYB_ID_NONE SIZE_MAX

struct hyb_id_map;

struct hyb_id_map *hyb_id_map_new(void);
void hyb_id_map_free(struct hyb_id_map *map);
/* The place of id, or HYB_ID_NONE. */
size_t hyb_id_map_get(const struct hyb_id_map *map, uint64_t id);
/* Sets the place of an id that has none yet. 0 or -ENOMEM. */
int hyb_id_map_add(struct hyb_id_map *map, uint64_t id, size_t place);

#endif
