/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of the program's stack; see frame.h. */
#include "reader/streams/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/idmap.h"

static size_t place_of(const struct hyb_callers *c, uint64_t id)
{
	return c->map && id ? hyb_id_map_get(c->map, id) : HYB_ID_NONE;
}

const struct hyb_caller *hyb_callers_find(const struct hyb_callers *c, uint64_t id)
{
	const size_t place = place_of(c, id);

	return place == HYB_ID_NONE ? NULL : &c->list[place];
}

bool hyb_callers_told(const struct hyb_event *e, uint64_t *id)
{
	uint32_t at = e->head;

	at += at < e->count && e->words[at] >> HYB_TYPE_SHIFT == HYB_SITE;
	if (at >= e->count || e->words[at] >> HYB_TYPE_SHIFT != HYB_STACK)
		return false;
	*id = e->words[at] & HYB_REQUEST_MASK;
	return true;
}

int hyb_callers_add(struct hyb_callers *c, const struct hyb_event *e)
{
	const uint64_t callers = (UINT64_C(1) << HYB_FRAME_OBJECT_SHIFT) - 1;
	struct hyb_caller frame = { .id = e->id }, *list;
	struct hyb_def_frame def;

	if (e->count < 1 + sizeof(def) / 8 || !e->id || place_of(c, e->id) != HYB_ID_NONE)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	frame.address = def.address & ((UINT64_C(1) << HYB_FRAME_END_SHIFT) - 1);
	frame.end = (enum hyb_frame_end)(def.address >> HYB_FRAME_END_SHIFT & 0xff);
	frame.object = def.caller >> HYB_FRAME_OBJECT_SHIFT;
	frame.caller = place_of(c, def.caller & callers);
	/* One that was lost for want of space. */
	if (def.caller & callers && frame.caller == HYB_ID_NONE)
		frame.end = HYB_FRAME_CUT;
	if (!c->map)
		c->map = hyb_id_map_new();
	list = hyb_array_room(c->list, &c->room, c->count, sizeof(*list));
	if (list)
		c->list = list;
	if (!list || !c->map || hyb_id_map_add(c->map, e->id, c->count))
		return -ENOMEM;
	c->list[c->count++] = frame;
	return 0;
}

void hyb_callers_free(struct hyb_callers *c)
{
	free(c->list);
	hyb_id_map_free(c->map);
}
