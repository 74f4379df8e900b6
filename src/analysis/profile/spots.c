/* SPDX-License-Identifier: BSD-3-Clause */
/* See spots.h. */
#include "analysis/profile/spots.h"

#include <errno.h>
#include <string.h>

static bool same(const void *entry, const void *key)
{
	const struct hyb_spot *a = entry, *b = key;

	return a->parent == b->parent && a->kind == b->kind && a->region == b->region && a->detail == b->detail;
}

static uint64_t hash(const struct hyb_spot *w)
{
	uint64_t h = hyb_mix((uint64_t)(uintptr_t)w->region + w->kind);

	return hyb_mix(h ^ ((uint64_t)w->parent << 32 | w->detail));
}

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
	struct hyb_spot *root;

	hyb_table_init(&spots->table, sizeof(struct hyb_spot), same);
	pthread_mutex_init(&spots->lock, NULL);
	root = hyb_table_add(&spots->table, 0);
	if (!root)
		return -ENOMEM;
	root->kind = HYB_SPOT_TOP;
	root->detail = HYB_NAME_NONE;
	return 0;
}

void hyb_spots_free(struct hyb_spots *spots)
{
	hyb_table_free(&spots->table);
	pthread_mutex_destroy(&spots->lock);
}

uint32_t hyb_spots_get(struct hyb_spots *spots, const struct hyb_spot *like)
{
	const uint64_t h = hash(like);
	struct hyb_spot *found = hyb_table_find(&spots->table, h, like);

	if (!found) {
		enum hyb_time_class class = class_of(spots, like);

		found = hyb_table_add(&spots->table, h);
		if (!found)
			return HYB_SPOT_NONE;
		*found = *like;
		found->class = class;
	}
	return (uint32_t)(((char *)found - spots->table.entries) / (ptrdiff_t)sizeof(*found));
}

uint32_t hyb_spots_share(struct hyb_spots *spots, const struct hyb_spot *like)
{
	uint32_t spot;

	pthread_mutex_lock(&spots->lock);
	spot = hyb_spots_get(spots, like);
	pthread_mutex_unlock(&spots->lock);
	return spot;
}
