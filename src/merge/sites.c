/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program called MPI; see sites.h. */
#include "merge/sites.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "merge/convert.h"

struct place {
	uint64_t address;
	const struct hyb_object *object; /* NULL: it lies in none */
	uint32_t number; /* of the text in the model, HYB_NAME_NONE: it has none */
};

static bool same_place(const void *entry, const void *key)
{
	const struct place *a = entry, *b = key;

	return a->address == b->address && a->object == b->object;
}

void hyb_sites_init(struct hyb_merge_sites *s, bool wanted)
{
	s->wanted = wanted;
	pthread_mutex_init(&s->lock, NULL);
	hyb_names_init(&s->texts);
}

void hyb_sites_free(struct hyb_merge_sites *s)
{
	hyb_names_free(&s->texts);
	pthread_mutex_destroy(&s->lock);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int hyb_sites_number(struct hyb_merge_sites *s, struct hyb_model *model)
{
	const uint32_t count = s->texts.table.count;
	const char **texts = malloc((count + 1) * sizeof(*texts));
	int ret = texts ? 0 : -ENOMEM;

	for (uint32_t i = 0; texts && i < count; i++)
		texts[i] = hyb_names_text(&s->texts, i);
	if (texts)
		qsort(texts, count, sizeof(*texts), by_text);
	for (uint32_t i = 0; !ret && i < count; i++)
		if (hyb_names_add(&model->names, texts[i]) == HYB_NAME_NONE)
			ret = -ENOMEM;
	free(texts);
	return ret;
}

void hyb_convert_begin_sites(struct hyb_convert *c)
{
	hyb_table_init(&c->sites.places, sizeof(struct place), same_place);
	c->sites.gathers = c->m->sites.wanted && c->pass == HYB_PASS_COUNT;
	c->sites.tells = c->m->sites.wanted && c->pass == HYB_PASS_WRITE;
}

void hyb_convert_free_sites(struct hyb_convert *c)
{
	hyb_table_free(&c->sites.places);
}

/* What a place is called: `buf` is for what has no other name. NULL without memory. */
static const char *name(const struct hyb_convert *c, const struct place *place, char *buf, size_t size)
{
	const struct hyb_object *object = place->object;
	const char *text;

	if (object)
		return hyb_sources_call(c->m->model.sources, object, place->address - object->base, &text) ? NULL : text;
	snprintf(buf, size, "0x%" PRIx64, place->address);
	return buf;
}

int hyb_convert_end_sites(struct hyb_convert *c)
{
	struct hyb_merge_sites *s = &c->m->sites;
	const struct hyb_table *places = &c->sites.places;
	const char *text;
	char buf[32];
	bool ok = true;

	if (!c->sites.gathers)
		return 0;
	for (uint32_t i = 0; ok && i < places->count; i++) {
		text = name(c, hyb_table_at(places, i), buf, sizeof(buf));
		pthread_mutex_lock(&s->lock);
		ok = text && hyb_names_add(&s->texts, text) != HYB_NAME_NONE;
		pthread_mutex_unlock(&s->lock);
	}
	return ok ? 0 : -ENOMEM;
}

/* The place, known from now on; NULL without memory. */
static const struct place *add_place(struct hyb_convert *c, const struct place *key, uint64_t hash)
{
	struct place *place = hyb_table_add(&c->sites.places, hash);
	const char *text;
	char buf[32];

	if (!place)
		return NULL;
	*place = *key;
	place->number = HYB_NAME_NONE;
	if (!c->sites.tells)
		return place;
	text = name(c, place, buf, sizeof(buf));
	if (!text)
		return NULL;
	place->number = hyb_names_find(&c->m->model.names, text);
	return place;
}

void hyb_convert_new_site(struct hyb_convert *c, const struct hyb_event *event)
{
	struct place key = { .address = event->words[event->head] & HYB_REQUEST_MASK };
	const uint64_t hash = hyb_mix(key.address);
	const struct place *place;

	if (event->id >= HYB_STANDING_REGIONS)
		return;
	c->sites.last[event->id] = 0;
	if (!key.address)
		return;
	if (c->ids.defs)
		key.object = hyb_defs_object_of(c->ids.defs, key.address, event->time);
	place = hyb_table_find(&c->sites.places, hash, &key);
	if (!place)
		place = add_place(c, &key, hash);
	if (!place)
		c->err = -ENOMEM;
	else
		c->sites.last[event->id] = place->number + 1;
}

void hyb_convert_forget_sites(struct hyb_convert *c, uint64_t seq)
{
	c->sites.seq = seq;
	memset(c->sites.last, 0, sizeof(c->sites.last));
}
