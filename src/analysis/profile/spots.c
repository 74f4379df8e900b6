/* SPDX-License-Identifier: BSD-3-Clause */
/* See spots.h. */
#include "analysis/profile/spots.h"

#include <errno.h>
#include <string.h>

bool hyb_spot_is_kernel(const struct hyb_spot *spot)
{
	return spot->kind == HYB_SPOT_REGION && spot->region->kernel == HYB_REGION_EVENT;
}

static enum hyb_time_class class_of(const struct hyb_spots *spots, const struct hyb_spot *w)
{
	if (w->kind == HYB_SPOT_PAUSED)
		return HYB_TIME_PAUSED;
	if (w->kind != HYB_SPOT_REGION)
		return HYB_TIME_COMPUTE;
	return hyb_time_class_of(hyb_spots_at(spots, w->parent)->class, w->region);
}

int hyb_spots_init(struct hyb_spots *spots)
{
	const struct hyb_spot root = { .kind = HYB_SPOT_TOP, .detail = HYB_NAME_NONE };

	HYB_TABLE_KEYED(&spots->table, struct hyb_spot, detail);
	pthread_mutex_init(&spots->lock, NULL);
	return hyb_table_get(&spots->table, &root) ? 0 : -ENOMEM;
}

void hyb_spots_free(struct hyb_spots *spots)
{
	hyb_table_free(&spots->table);
	pthread_mutex_destroy(&spots->lock);
}

uint32_t hyb_spots_get(struct hyb_spots *spots, const struct hyb_spot *like)
{
	const uint32_t before = spots->table.count;
	struct hyb_spot *found = hyb_table_get(&spots->table, like);

	if (!found)
		return HYB_SPOT_NONE;
	if (spots->table.count > before)
		found->class = class_of(spots, like);
	return hyb_table_index(&spots->table, found);
}

uint32_t hyb_spots_share(struct hyb_spots *spots, const struct hyb_spot *like)
{
	uint32_t spot;

	pthread_mutex_lock(&spots->lock);
	spot = hyb_spots_get(spots, like);
	pthread_mutex_unlock(&spots->lock);
	return spot;
}
