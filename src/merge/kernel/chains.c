/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains of samples; see chains.h. */
#include "merge/kernel/chains.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "merge/kernel/reading.h"

/* Of a chain that is being made. */
struct making {
	struct hyb_reading *k;
	struct hyb_chains *c;
	struct hyb_frame frame; /* what all functions of the place have */
	bool placed;		/* some place has its numbers among those of the chain */
};

static bool same_frame(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_frame));
}

/* Chains are found by their frames, whose numbers are those added last: see find_chain. */
struct chain_key {
	const struct hyb_chains *c;
	struct hyb_chain chain;
};

static bool same_chain(const void *entry, const void *key)
{
	const struct hyb_chain *chain = entry;
	const struct chain_key *k = key;

	return chain->count == k->chain.count &&
	       !memcmp(k->c->numbers + chain->first, k->c->numbers + k->chain.first, chain->count * sizeof(uint32_t));
}

static bool same_place(const void *entry, const void *key)
{
	const struct hyb_chain_place *a = entry, *b = key;

	return a->path == b->path && a->at == b->at;
}

void hyb_chains_init(struct hyb_chains *c)
{
	memset(c, 0, sizeof(*c));
	hyb_names_init(&c->texts);
	hyb_table_init(&c->frames, sizeof(struct hyb_frame), same_frame);
	hyb_table_init(&c->chains, sizeof(struct hyb_chain), same_chain);
	hyb_table_init(&c->places, sizeof(struct hyb_chain_place), same_place);
}

void hyb_chains_free(struct hyb_chains *c)
{
	hyb_names_free(&c->texts);
	hyb_table_free(&c->frames);
	hyb_table_free(&c->chains);
	hyb_table_free(&c->places);
	free(c->numbers);
	memset(c, 0, sizeof(*c));
}

static bool add_number(struct making *m, uint32_t number)
{
	struct hyb_chains *c = m->c;
	uint32_t *numbers = hyb_array_room(c->numbers, &c->room, c->count, sizeof(*numbers));

	if (!numbers || c->count == UINT32_MAX) {
		m->k->err = -ENOMEM;
		return false;
	}
	c->numbers = numbers;
	c->numbers[c->count++] = number;
	return true;
}

static uint32_t text_of(struct making *m, const char *text)
{
	uint32_t number = hyb_names_add(&m->c->texts, text);

	if (number == HYB_NAME_NONE)
		m->k->err = -ENOMEM;
	return number;
}

static void add_frame(struct making *m, const struct hyb_frame *frame)
{
	const uint64_t hash = hyb_hash_bytes(frame, sizeof(*frame));
	struct hyb_frame *found = hyb_table_find(&m->c->frames, hash, frame);

	if (!found) {
		found = hyb_table_add(&m->c->frames, hash);
		if (!found) {
			m->k->err = -ENOMEM;
			return;
		}
		*found = *frame;
	}
	add_number(m, (uint32_t)(found - (struct hyb_frame *)hyb_table_at(&m->c->frames, 0)));
}

static void add_function(void *arg, const struct hyb_source_frame *f)
{
	struct making *m = arg;
	struct hyb_frame frame = m->frame;

	frame.function = text_of(m, f->function);
	if (f->file) {
		frame.file = text_of(m, f->file);
		frame.line = f->line;
	}
	add_frame(m, &frame);
}

/* By its address: "libm.so.6+0x1234" names a place, "[libm.so.6]" all that is known of a function. */
static void add_object(struct making *m, const char *path)
{
	const char *slash = strrchr(path, '/');
	char text[300];

	snprintf(text, sizeof(text), *path == '[' ? "%.256s" : "[%.256s]", slash ? slash + 1 : path);
	m->frame.function = text_of(m, text);
	add_frame(m, &m->frame);
}

static enum hyb_frame_kind kind_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, "libhybmon", strlen("libhybmon")) ? HYB_FRAME_HYBMON : HYB_FRAME_USER;
}

static void look_up(struct making *m, const struct hyb_kplace *place, uint64_t offset)
{
	int64_t since;
	const char *file = hyb_reading_file(m->k, place, &since);

	if (!hyb_sources_functions(m->k->m->model.sources, file, since, offset, place->behind, add_function, m))
		add_object(m, place->mapping->path);
}

/* What is in a file is looked up once: all processes of a job have the same ones. */
static void add_place(struct making *m, const struct hyb_kplace *place)
{
	const uint64_t offset = place->address - place->mapping->def.address + place->mapping->def.offset;
	struct hyb_chain_place key = { .path = text_of(m, place->mapping->path), .at = offset << 1 | place->behind };
	struct hyb_chain_place *known;
	const uint64_t hash = hyb_mix(key.at ^ hyb_mix(key.path));
	const size_t first = m->c->count;

	if (key.path == HYB_NAME_NONE)
		return;
	known = hyb_table_find(&m->c->places, hash, &key);
	if (known) {
		for (uint32_t i = 0; i < known->frames.count; i++)
			add_number(m, m->c->numbers[known->frames.first + i]);
		return;
	}
	m->frame = (struct hyb_frame){ kind_of(place->mapping->path), HYB_NAME_NONE, HYB_NAME_NONE, 0, key.path };
	look_up(m, place, offset);
	key.frames = (struct hyb_chain){ (uint32_t)first, (uint32_t)(m->c->count - first) };
	m->placed = true;
	known = hyb_table_add(&m->c->places, hash);
	if (!known)
		m->k->err = -ENOMEM;
	else
		*known = key;
}

static void add_other(struct making *m, enum hyb_frame_kind kind, const char *name)
{
	m->frame = (struct hyb_frame){ kind, text_of(m, name), HYB_NAME_NONE, 0, HYB_NAME_NONE };
	add_frame(m, &m->frame);
}

static void add(void *arg, const struct hyb_kstack_frame *f)
{
	struct making *m = arg;
	const char *name;
	char text[32];

	if (f->cut) {
		add_other(m, HYB_FRAME_UNKNOWN, "[cut]");
	} else if (f->kernel) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)f->place.address);
		add_other(m, HYB_FRAME_KERNEL, f->symbol ? f->symbol : text);
	} else if (!f->place.mapping) {
		add_other(m, HYB_FRAME_UNKNOWN, "[unknown]");
	} else if (f->place.generated) {
		name = hyb_reading_generated(m->k, &f->place);
		add_other(m, HYB_FRAME_GENERATED, name ? name : "[generated code]");
	} else {
		add_place(m, &f->place);
	}
}

/* The chain of the numbers from `first` on. Those of one that is known already are given back if no place has them. */
static uint32_t find_chain(struct making *m, size_t first)
{
	struct chain_key key = { m->c, { (uint32_t)first, (uint32_t)(m->c->count - first) } };
	const uint64_t hash = hyb_hash_bytes(m->c->numbers + first, key.chain.count * sizeof(uint32_t));
	struct hyb_chain *chain = hyb_table_find(&m->c->chains, hash, &key);

	if (chain && !m->placed)
		m->c->count = first;
	if (!chain) {
		chain = hyb_table_add(&m->c->chains, hash);
		if (!chain) {
			m->k->err = -ENOMEM;
			return UINT32_MAX;
		}
		*chain = key.chain;
	}
	return (uint32_t)(chain - (struct hyb_chain *)hyb_table_at(&m->c->chains, 0));
}

/* The chain of a stack that was met for the first time under that key. */
static uint32_t make_chain(struct hyb_reading *k, uint64_t stack, uint64_t time, const struct hyb_kunwound *unwound,
			   struct hyb_id_map *map, uint64_t key)
{
	struct making m = { .k = k, .c = &k->node->chains };
	const size_t first = m.c->count;
	uint32_t chain;

	if (hyb_kdefs_walk_unwound(&k->defs, stack, time, unwound, add, &m) || k->err)
		return UINT32_MAX;
	chain = find_chain(&m, first);
	if (chain != UINT32_MAX && hyb_id_map_add(map, key, chain))
		k->err = -ENOMEM;
	return chain;
}

uint32_t hyb_chains_get(struct hyb_reading *k, uint64_t stack, uint64_t time)
{
	const size_t place = stack ? hyb_id_map_get(k->chain_map, stack) : HYB_ID_NONE;

	if (place != HYB_ID_NONE || !stack)
		return stack ? (uint32_t)place : UINT32_MAX;
	return make_chain(k, stack, time, NULL, k->chain_map, stack);
}

static int64_t mapped(void *arg, const struct hyb_kmapping *mapping)
{
	return hyb_reading_mapped(arg, &(const struct hyb_kplace){ .mapping = mapping });
}

/* 0, or why the sample has nothing that could be unwound. */
static int unwind(struct hyb_reading *k, const struct hyb_kernel_event *e, struct hyb_kunwound *unwound)
{
	enum hyb_unwind_end end;
	int ret;

	if (!k->unwinder)
		k->unwinder = hyb_unwinder_new(&k->defs, k->vdso, mapped, k);
	if (!k->unwinder)
		return -ENOMEM;
	k->node->copied_samples++;
	ret = hyb_unwinder_run(k->unwinder, hyb_kdefs_stack_tgid(&k->defs, e->stack), e->time, e->copy, e->copy_words,
			       unwound, &end);
	if (!ret)
		k->node->cut_samples[end]++;
	else
		k->node->raw_samples++;
	return ret;
}

/* 64 bits stand for it, as in the collector (src/collector/README.md). */
static uint64_t hash_of(uint64_t stack, const struct hyb_kunwound *u)
{
	return hyb_mix(hyb_hash_bytes(u->addresses, u->count * sizeof(*u->addresses)) ^ hyb_mix(stack << 1 | u->cut));
}

uint32_t hyb_chains_sample(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kunwound unwound;
	uint64_t key;
	size_t place;
	int ret;

	if (!e->copy || !e->stack)
		return hyb_chains_get(k, e->stack, e->time);
	ret = unwind(k, e, &unwound);
	if (ret == -ENOMEM)
		k->err = ret;
	if (ret)
		return hyb_chains_get(k, e->stack, e->time);
	key = hash_of(e->stack, &unwound);
	place = hyb_id_map_get(k->unwound_map, key);
	if (place != HYB_ID_NONE)
		return (uint32_t)place;
	return make_chain(k, e->stack, e->time, &unwound, k->unwound_map, key);
}
