/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions by their numbers; see defs.h. */
#include "reader/streams/defs.h"

#include "reader/containers/idmap.h"

const struct hyb_region *hyb_defs_region(const struct hyb_defs *d, uint64_t id)
{
	size_t place = hyb_id_map_get(d->region_map, id);

	return place == HYB_ID_NONE ? NULL : &d->regions[place];
}

/* A handful for each process. */
const struct hyb_object *hyb_defs_object(const struct hyb_defs *d, uint64_t id)
{
	for (size_t i = 0; i < d->object_count; i++) {
		if (d->objects[i].id == id)
			return &d->objects[i];
	}
	return NULL;
}

const struct hyb_comm *hyb_defs_comm(const struct hyb_defs *d, uint64_t id)
{
	size_t place = hyb_id_map_get(d->comm_map, id);

	return place == HYB_ID_NONE ? NULL : &d->comms[place];
}

const struct hyb_win *hyb_defs_win(const struct hyb_defs *d, uint64_t id)
{
	size_t place = hyb_id_map_get(d->win_map, id);

	return place == HYB_ID_NONE ? NULL : &d->wins[place];
}

const struct hyb_ranks *hyb_defs_group(const struct hyb_defs *d, uint64_t id)
{
	size_t place = hyb_id_map_get(d->group_map, id);

	return place == HYB_ID_NONE ? NULL : &d->groups[place];
}

const struct hyb_file *hyb_defs_file(const struct hyb_defs *d, uint64_t id)
{
	size_t place = hyb_id_map_get(d->file_map, id);

	return place == HYB_ID_NONE ? NULL : &d->files[place];
}
