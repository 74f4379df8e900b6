/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and sources that the program tells; see told.h. */
#include "reader/streams/told.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/idmap.h"
#include "reader/streams/defs.h"
#include "reader/streams/text.h"

size_t hyb_texts_place(const struct hyb_texts *t, uint64_t id)
{
	return t->map ? hyb_id_map_get(t->map, id) : HYB_ID_NONE;
}

const char *hyb_texts_find(const struct hyb_texts *t, uint64_t id)
{
	size_t place = hyb_texts_place(t, id);

	return place == HYB_ID_NONE ? NULL : t->texts[place];
}

int hyb_texts_add(struct hyb_texts *t, const struct hyb_event *e)
{
	char **grown, *text;
	int err;

	if (e->count < 2 || hyb_texts_place(t, e->id) != HYB_ID_NONE)
		return -EBADMSG;
	if (!t->map)
		t->map = hyb_id_map_new();
	grown = hyb_array_room(t->texts, &t->room, t->count, sizeof(*grown));
	if (grown)
		t->texts = grown;
	if (!grown || !t->map)
		return -ENOMEM;
	err = hyb_event_text(e, 2, e->words[1], &text);
	if (err)
		return err;
	if (hyb_id_map_add(t->map, e->id, t->count)) {
		free(text);
		return -ENOMEM;
	}
	t->texts[t->count++] = text;
	return 0;
}

int hyb_source_add(struct hyb_defs *d, const struct hyb_event *e)
{
	struct hyb_region *region = (struct hyb_region *)hyb_defs_region(d, e->id);
	struct hyb_def_source def;
	char *file;
	int err;

	if (e->count < 1 + sizeof(def) / 8 || !region || region->file)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	err = hyb_event_text(e, 1 + sizeof(def) / 8, def.file_length, &file);
	if (err)
		return err;
	region->file = file;
	region->line = def.line;
	return 0;
}

void hyb_texts_free(struct hyb_texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->texts[i]);
	free(t->texts);
	hyb_id_map_free(t->map);
}
