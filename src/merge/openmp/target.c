/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OpenMP says of devices, of what tasks depend on, of tasks that are fulfilled, and of errors. OTF2 has no records
 * for these: they are attributes of regions, which for what happens at a point have no duration.
 */
#include "merge/convert.h"

#include <errno.h>
#include <string.h>

#define TASK_MASK ((UINT64_C(1) << 48) - 1)

void hyb_convert_target(struct hyb_convert *c, const struct hyb_attached *a)
{
	if (a->type == HYB_DEVICE) {
		hyb_convert_attribute(c, HYB_ATTRIBUTE_DEVICE, (uint32_t)a->words[0]);
		if (a->words[0] >> 32 & 1)
			hyb_convert_attribute(c, HYB_ATTRIBUTE_NOWAIT, 1);
		return;
	}
	hyb_convert_attribute(c, HYB_ATTRIBUTE_BYTES, a->words[2]);
	hyb_convert_attribute(c, HYB_ATTRIBUTE_FROM_DEVICE, a->words[1] >> 32);
	hyb_convert_attribute(c, HYB_ATTRIBUTE_TO_DEVICE, (uint32_t)a->words[1]);
	if (a->words[0] & HYB_DATA_ASYNC)
		hyb_convert_attribute(c, HYB_ATTRIBUTE_NOWAIT, 1);
}

void hyb_convert_depend(struct hyb_convert *c, const struct hyb_attached *a)
{
	uint32_t kind = 0;

	if (a->type == HYB_TASK_FULFIL) {
		hyb_convert_attribute(c, HYB_ATTRIBUTE_TASK, a->words[0] & TASK_MASK);
		hyb_convert_instant(c, c->m->fulfil);
		return;
	}
	if (a->type == HYB_TASK_DEPEND) {
		hyb_convert_attribute(c, HYB_ATTRIBUTE_TASK, a->words[2] & TASK_MASK);
		hyb_convert_attribute(c, HYB_ATTRIBUTE_AFTER, a->words[1] & TASK_MASK);
	} else {
		kind = (uint32_t)a->words[0];
		/* A kind that came later. */
		if (!kind || kind >= HYB_DEPEND_KINDS)
			return;
		hyb_convert_attribute(c, HYB_ATTRIBUTE_TASK, a->words[1] & TASK_MASK);
		hyb_convert_attribute(c, HYB_ATTRIBUTE_ADDRESS, a->words[2]);
	}
	hyb_convert_instant(c, c->m->depend[kind]);
}

struct hyb_gregion *hyb_convert_message_region(struct hyb_convert *c, struct hyb_gregion *region,
					       const struct hyb_attached *a)
{
	const struct hyb_place place = { .file = region->file, .line = region->line };
	char text[8 * HYB_GROUP_MAX], name[4096];
	size_t bytes = (uint32_t)a->words[0];

	if (bytes > 8 * ((size_t)a->count - 1))
		bytes = 8 * ((size_t)a->count - 1);
	if (bytes >= sizeof(text))
		bytes = sizeof(text) - 1;
	hyb_convert_attribute(c, HYB_ATTRIBUTE_SEVERITY, a->words[0] >> 32 & 0xff);
	if (!bytes)
		return region;
	memcpy(text, a->words + 1, bytes);
	text[bytes] = 0;
	snprintf(name, sizeof(name), "%s: %s", region->name, text);
	return hyb_regions_get_at(&c->m->model.regions, name, region->plain, &place, region->role, region->paradigm);
}
