/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of all tracks become one; see samples.h. */
#include "export/otf2/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_function(const void *entry, const void *key)
{
	const struct hyb_otf2_function *a = entry, *b = key;

	return a->kind == b->kind && same_text(a->name, b->name) && same_text(a->path, b->path);
}

static bool same_place(const void *entry, const void *key)
{
	const struct hyb_otf2_place *a = entry, *b = key;

	return a->line == b->line && same_text(a->file, b->file);
}

static bool same_node(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_otf2_node));
}

struct hyb_otf2_samples *hyb_otf2_samples_new(const struct hyb_merge *m)
{
	struct hyb_otf2_samples *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->m = m;
	hyb_table_init(&s->functions, sizeof(struct hyb_otf2_function), same_function);
	hyb_table_init(&s->places, sizeof(struct hyb_otf2_place), same_place);
	hyb_table_init(&s->nodes, sizeof(struct hyb_otf2_node), same_node);
	s->tracks = calloc(m->model.track_count + 1, sizeof(struct hyb_otf2_sampled *));
	s->location = calloc(m->model.track_count + 1, sizeof(*s->location));
	s->locations = hyb_id_map_new();
	if (s->tracks && s->location && s->locations)
		return s;
	hyb_otf2_samples_free(s);
	return NULL;
}

void hyb_otf2_samples_free(struct hyb_otf2_samples *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->tracks && i < s->m->model.track_count; i++)
		hyb_otf2_sampled_free(s->tracks[i]);
	free(s->tracks);
	free(s->location);
	hyb_id_map_free(s->locations);
	hyb_table_free(&s->functions);
	hyb_table_free(&s->places);
	hyb_table_free(&s->nodes);
	free(s);
}

struct hyb_otf2_sampled *hyb_otf2_sampled_of(struct hyb_otf2_samples *s, const struct hyb_track *track)
{
	struct hyb_otf2_sampled *t = hyb_otf2_sampled_new();

	s->tracks[track->index] = t;
	s->location[track->index] = track->location;
	return t;
}

static const char *text_or_null(const struct hyb_chains *c, uint32_t number)
{
	return number == HYB_NAME_NONE ? NULL : hyb_chains_text(c, number);
}

/* The number of what is equal in the table, which is added if need be; UINT32_MAX without memory. */
static uint32_t find(struct hyb_table *table, uint64_t hash, const void *key, size_t size)
{
	char *found = hyb_table_find(table, hash, key);

	if (!found) {
		found = hyb_table_add(table, hash);
		if (!found)
			return UINT32_MAX;
		memcpy(found, key, size);
	}
	return (uint32_t)((size_t)(found - (char *)hyb_table_at(table, 0)) / size);
}

static uint64_t hash_of(const char *text)
{
	return hyb_hash_bytes(text, strlen(text));
}

static int resolve_frame(struct hyb_otf2_samples *s, const struct hyb_otf2_context *from, struct hyb_otf2_node *node)
{
	const struct hyb_chains *c = from->chains;
	const struct hyb_otf2_function function = {
		.name = hyb_chains_text(c, from->frame->function),
		.file = text_or_null(c, from->frame->file),
		.path = text_or_null(c, from->frame->path),
		.kind = from->frame->kind,
	};
	const struct hyb_otf2_place place = { function.file, from->frame->line };

	node->function = find(&s->functions, hyb_mix(hash_of(function.name) ^ function.kind), &function, sizeof(function));
	if (node->function == UINT32_MAX)
		return -ENOMEM;
	if (place.file)
		node->place = find(&s->places, hyb_mix(hash_of(place.file) ^ place.line), &place, sizeof(place)) + 1;
	return place.file && !node->place ? -ENOMEM : 0;
}

/* What is nowhere has a function of its own. */
static int resolve(struct hyb_otf2_samples *s, const struct hyb_otf2_context *from, struct hyb_otf2_node *node)
{
	static const struct hyb_otf2_function unknown = { "[unknown]", NULL, NULL, HYB_FRAME_UNKNOWN };

	node->region = UINT32_MAX;
	if (from->frame)
		return resolve_frame(s, from, node);
	if (from->region) {
		node->region = from->region->id;
		return 0;
	}
	node->function = find(&s->functions, hyb_mix(hash_of(unknown.name) ^ unknown.kind), &unknown, sizeof(unknown));
	return node->function == UINT32_MAX ? -ENOMEM : 0;
}

/* A context's number is greater than its parent's. */
static int join(struct hyb_otf2_samples *s, struct hyb_otf2_sampled *t)
{
	int ret;

	t->numbers = calloc(t->contexts.count + (size_t)1, sizeof(*t->numbers));
	if (!t->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->contexts.count; i++) {
		const struct hyb_otf2_context *from = hyb_table_at(&t->contexts, i);
		struct hyb_otf2_node node = { .parent = from->parent ? t->numbers[from->parent - 1] + 1 : 0 };

		ret = resolve(s, from, &node);
		if (ret)
			return ret;
		t->numbers[i] = find(&s->nodes, hyb_hash_bytes(&node, sizeof(node)), &node, sizeof(node));
		if (t->numbers[i] == UINT32_MAX)
			return -ENOMEM;
	}
	return 0;
}

int hyb_otf2_samples_join(struct hyb_otf2_samples *s)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < s->m->model.track_count; i++) {
		if (!s->tracks[i] || !s->tracks[i]->contexts.count)
			continue;
		ret = join(s, s->tracks[i]);
		if (!ret)
			ret = hyb_id_map_add(s->locations, s->location[i], i);
	}
	return ret;
}

int hyb_otf2_samples_map(struct hyb_sink *sink, OTF2_DefWriter *writer, uint64_t location)
{
	const struct hyb_otf2_samples *s = sink->samples;
	const size_t track = hyb_id_map_get(s->locations, location);
	OTF2_IdMap *map;
	OTF2_ErrorCode code;

	if (track == HYB_ID_NONE)
		return 0;
	map = OTF2_IdMap_CreateFromUint32Array(s->tracks[track]->contexts.count, s->tracks[track]->numbers, false);
	if (!map)
		return -ENOMEM;
	code = OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_CALLING_CONTEXT, map);
	OTF2_IdMap_Free(map);
	return hyb_archive_check(&sink->archive, code);
}
