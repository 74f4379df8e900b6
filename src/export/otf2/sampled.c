/* SPDX-License-Identifier: BSD-3-Clause */
/* A track's samples become records of a location; see samples.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "export/otf2/samples.h"

static bool same_context(const void *entry, const void *key)
{
	const struct hyb_otf2_context *a = entry, *b = key;

	return a->parent == b->parent && a->region == b->region && a->frame == b->frame;
}

struct hyb_otf2_sampled *hyb_otf2_sampled_new(void)
{
	struct hyb_otf2_sampled *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	hyb_table_init(&s->contexts, sizeof(struct hyb_otf2_context), same_context);
	s->known = hyb_id_map_new();
	if (s->known)
		return s;
	hyb_otf2_sampled_free(s);
	return NULL;
}

void hyb_otf2_sampled_free(struct hyb_otf2_sampled *s)
{
	if (!s)
		return;
	hyb_table_free(&s->contexts);
	hyb_id_map_free(s->known);
	hyb_callpath_free(&s->path);
	free(s->open);
	free(s->hashes);
	free(s->numbers);
	free(s->generators);
	free(s);
}

static int enter(struct hyb_otf2_sampled *s, const struct hyb_gregion *region)
{
	const uint64_t outer = s->depth ? s->hashes[s->depth - 1] : 0;
	const struct hyb_gregion **open = hyb_array_room(s->open, &s->open_room, s->depth, sizeof(*open));
	uint64_t *hashes = hyb_array_room(s->hashes, &s->hash_room, s->depth, sizeof(*hashes));

	s->open = open ? open : s->open;
	s->hashes = hashes ? hashes : s->hashes;
	if (!open || !hashes)
		return -ENOMEM;
	open[s->depth] = region;
	hashes[s->depth++] = hyb_mix((uint64_t)(uintptr_t)region ^ hyb_mix(outer + 1));
	return 0;
}

/* Its number plus 1; 0 without memory. */
static uint32_t child(struct hyb_otf2_sampled *s, const struct hyb_otf2_context *key)
{
	const uint64_t hash = hyb_mix((uint64_t)(uintptr_t)key->region ^ (uint64_t)(uintptr_t)key->frame ^
				      hyb_mix(key->parent));
	struct hyb_otf2_context *found = hyb_table_find(&s->contexts, hash, key);

	if (!found) {
		found = hyb_table_add(&s->contexts, hash);
		if (!found)
			return 0;
		*found = *key;
	}
	return (uint32_t)(found - (struct hyb_otf2_context *)hyb_table_at(&s->contexts, 0)) + 1;
}

static const struct hyb_otf2_context *context_at(const struct hyb_otf2_sampled *s, uint32_t number)
{
	return hyb_table_at(&s->contexts, number - 1);
}

static uint32_t make_context(struct hyb_otf2_sampled *s, const struct hyb_merge_event *e)
{
	const struct hyb_chains *chains = &e->sample.node->chains;
	struct hyb_otf2_context key = { .parent = 0 };
	uint32_t number = 0;

	if (hyb_callpath_join(&s->path, s->open, s->depth, chains, e->sample.chain))
		return 0;
	for (size_t i = 0; i < s->path.count; i++) {
		key = (struct hyb_otf2_context){ .parent = number, .depth = (uint32_t)i + 1,
						 .region = s->path.nodes[i].region, .frame = s->path.nodes[i].frame };
		key.chains = key.frame ? chains : NULL;
		number = child(s, &key);
		if (!number)
			return 0;
	}
	/* Of a thread that was nowhere that is known. */
	return number ? number : child(s, &(const struct hyb_otf2_context){ .depth = 1 });
}

/* 64 bits stand for regions and chain, as elsewhere (src/collector/README.md). */
static uint32_t find_context(struct hyb_otf2_sampled *s, const struct hyb_merge_event *e)
{
	const uint64_t regions = s->depth ? s->hashes[s->depth - 1] : 0;
	const uint64_t key = hyb_mix(regions ^ hyb_mix((uint64_t)(uintptr_t)e->sample.node + e->sample.chain));
	const size_t known = hyb_id_map_get(s->known, key);
	uint32_t number;

	if (known != HYB_ID_NONE)
		return (uint32_t)known;
	number = make_context(s, e);
	return number && hyb_id_map_add(s->known, key, number) ? 0 : number;
}

/* Whether both are the same function, or region, if not at the same line. */
static bool same_function(const struct hyb_otf2_context *a, const struct hyb_otf2_context *b)
{
	if (!a->frame || !b->frame)
		return a->region == b->region && a->frame == b->frame;
	return a->frame->function == b->frame->function && a->frame->path == b->frame->path &&
	       a->frame->kind == b->frame->kind;
}

/*
 * OTF2's unwind distance: how many nodes were entered since the last sample, plus one, if the one above them went on.
 * That one may be at another line by now.
 */
static uint32_t distance(const struct hyb_otf2_sampled *s, uint32_t number)
{
	const struct hyb_otf2_context *here, *there;
	const uint32_t depth = context_at(s, number)->depth;
	uint32_t was = s->last, is = number;

	if (!was)
		return depth + 1;
	while (context_at(s, is)->depth > context_at(s, was)->depth)
		is = context_at(s, is)->parent;
	while (context_at(s, was)->depth > context_at(s, is)->depth)
		was = context_at(s, was)->parent;
	if (is == was)
		return depth - context_at(s, is)->depth + 1;
	do {
		here = context_at(s, is);
		there = context_at(s, was);
		is = here->parent;
		was = there->parent;
	} while (is != was);
	return depth - here->depth + (same_function(here, there) ? 1 : 2);
}

/* One more sample of what has that number among those of all nodes. False without memory. */
static bool count_sample(struct hyb_otf2_sampled *s, uint32_t of, uint64_t weight)
{
	struct hyb_otf2_generator *grown = hyb_array_hold(s->generators, &s->generator_room, of + 1, sizeof(*grown));

	if (!grown)
		return false;
	s->generators = grown;
	while (s->generator_count <= of)
		grown[s->generator_count++] = (struct hyb_otf2_generator){ 0, 0 };
	grown[of].count++;
	grown[of].weight += weight;
	return true;
}

static OTF2_ErrorCode write_record(struct hyb_otf2_track *t, const struct hyb_merge_event *e, uint32_t number)
{
	struct hyb_otf2_sampled *s = t->sampled;
	const uint32_t of = e->sample.node->first_metric + e->sample.metric, unwound = distance(s, number);
	OTF2_ErrorCode code;

	s->last = number;
	if (!count_sample(s, of, e->sample.weight))
		return OTF2_ERROR_MEM_ALLOC_FAILED;
	code = OTF2_AttributeList_AddUint64(t->attributes, HYB_OTF2_WEIGHT, e->sample.weight);
	if (code != OTF2_SUCCESS)
		return code;
	return OTF2_EvtWriter_CallingContextSample(t->writer, t->attributes, (uint64_t)e->time, number - 1, unwound, of);
}

int hyb_otf2_write_sample(void *state, const struct hyb_merge_event *e)
{
	struct hyb_otf2_track *t = state;
	struct hyb_otf2_sampled *s = t->sampled;
	uint32_t number;

	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(s, e->region);
	case HYB_KIND_LEAVE:
		s->depth -= s->depth != 0;
		return 0;
	case HYB_KIND_SAMPLE:
		break;
	default:
		return 0;
	}
	number = find_context(s, e);
	if (!number)
		return -ENOMEM;
	t->code = write_record(t, e, number);
	return hyb_archive_check(&t->sink->archive, t->code);
}
