/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: definitions, and values in METRIC records; see metric.h. Nothing in them is believed before it is checked. */
#include "reader/streams/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/idmap.h"
#include "reader/streams/text.h"

#define VALUES_AT 2 /* the word of a METRIC where they begin */

/* Of one set in a stream. */
struct hyb_metric_state {
	uint64_t id;
	uint64_t seq;	/* the chunk of the METRIC read last, 0: none was */
	uint64_t broken; /* the chunk in which one was damaged, 0: none */
	uint32_t count;
	uint64_t *values; /* twice: of the METRIC read last, then of the one before it */
};

static int make_map(struct hyb_id_map **map)
{
	*map = *map ? *map : hyb_id_map_new();
	return *map ? 0 : -ENOMEM;
}

static size_t place_of(const struct hyb_id_map *map, uint64_t id)
{
	return map ? hyb_id_map_get(map, id) : HYB_ID_NONE;
}

static void free_metric(struct hyb_metric *m)
{
	free((char *)m->name);
	free((char *)m->unit);
	free((char *)m->description);
}

static uint64_t text_words(uint32_t length)
{
	return ((uint64_t)length + 7) / 8;
}

/* Name, unit and description, one after the other. */
static int read_texts(struct hyb_metric *m, const struct hyb_event *e, const struct hyb_def_metric *def)
{
	const uint64_t name_at = 1 + sizeof(*def) / 8, unit_at = name_at + text_words(def->name_length);
	const uint64_t description_at = unit_at + text_words(def->unit_length);
	int err = hyb_event_text(e, name_at, def->name_length, (char **)&m->name);

	if (!err)
		err = hyb_event_text(e, unit_at, def->unit_length, (char **)&m->unit);
	if (!err)
		err = hyb_event_text(e, description_at, def->description_length, (char **)&m->description);
	return err;
}

static int add_metric(struct hyb_metric_defs *d, const struct hyb_event *e)
{
	struct hyb_metric metric = { .id = e->id }, *grown;
	struct hyb_def_metric def;
	int err;

	if (e->count < 1 + sizeof(def) / 8)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	if (def.type > HYB_METRIC_DOUBLE || def.mode > HYB_METRIC_POINT || (def.base != 2 && def.base != 10) ||
	    place_of(d->metric_map, e->id) != HYB_ID_NONE)
		return -EBADMSG;
	metric.type = def.type;
	metric.mode = def.mode;
	metric.base = def.base;
	metric.exponent = def.exponent;
	metric.flags = def.flags;
	err = read_texts(&metric, e, &def);
	if (err)
		goto err_metric;
	err = -ENOMEM;
	grown = hyb_array_room(d->metrics, &d->metric_room, d->metric_count, sizeof(*grown));
	if (!grown)
		goto err_metric;
	d->metrics = grown;
	if (make_map(&d->metric_map) || hyb_id_map_add(d->metric_map, e->id, d->metric_count))
		goto err_metric;
	d->metrics[d->metric_count++] = metric;
	return 0;

err_metric:
	free_metric(&metric);
	return err;
}

/* The places of a set's metrics, which are defined before it. */
static int find_members(const struct hyb_metric_defs *d, const uint32_t *ids, uint32_t count, uint32_t *places)
{
	size_t place;
	uint32_t i;

	for (i = 0; i < count; i++) {
		place = place_of(d->metric_map, ids[i]);
		if (place == HYB_ID_NONE)
			return -EBADMSG;
		places[i] = (uint32_t)place;
	}
	return 0;
}

static int add_set(struct hyb_metric_defs *d, const struct hyb_event *e)
{
	struct hyb_metric_set set = { .id = e->id }, *grown;
	struct hyb_def_metric_set def;
	const uint32_t at = 1 + sizeof(def) / 8;
	int err;

	if (e->count < at)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	if (!def.count || def.count > (e->count - at) * UINT64_C(2) || place_of(d->set_map, e->id) != HYB_ID_NONE)
		return -EBADMSG;
	set.count = def.count;
	set.metric = malloc(def.count * sizeof(*set.metric));
	if (!set.metric)
		return -ENOMEM;
	err = find_members(d, (const uint32_t *)(e->words + at), def.count, set.metric);
	if (err)
		goto err_set;
	err = -ENOMEM;
	grown = hyb_array_room(d->sets, &d->set_room, d->set_count, sizeof(*grown));
	if (!grown)
		goto err_set;
	d->sets = grown;
	if (make_map(&d->set_map) || hyb_id_map_add(d->set_map, e->id, d->set_count))
		goto err_set;
	d->sets[d->set_count++] = set;
	return 0;

err_set:
	free(set.metric);
	return err;
}

int hyb_metric_defs_add(struct hyb_metric_defs *d, const struct hyb_event *e)
{
	return e->type == HYB_DEF_METRIC ? add_metric(d, e) : add_set(d, e);
}

void hyb_metric_defs_free(struct hyb_metric_defs *d)
{
	size_t i;

	for (i = 0; i < d->metric_count; i++)
		free_metric(&d->metrics[i]);
	for (i = 0; i < d->set_count; i++)
		free(d->sets[i].metric);
	free(d->metrics);
	free(d->sets);
	hyb_id_map_free(d->metric_map);
	hyb_id_map_free(d->set_map);
	memset(d, 0, sizeof(*d));
}

const struct hyb_metric *hyb_metric_defs_find(const struct hyb_metric_defs *d, uint64_t id)
{
	size_t place = place_of(d->metric_map, id);

	return place == HYB_ID_NONE ? NULL : &d->metrics[place];
}

const struct hyb_metric_set *hyb_metric_defs_set(const struct hyb_metric_defs *d, uint64_t id)
{
	size_t place = place_of(d->set_map, id);

	return place == HYB_ID_NONE ? NULL : &d->sets[place];
}

static struct hyb_metric_state *add_state(struct hyb_metric_reader *r, uint64_t id)
{
	struct hyb_metric_state *grown = hyb_array_room(r->states, &r->room, r->count, sizeof(*grown));

	if (!grown)
		return NULL;
	r->states = grown;
	if (hyb_id_map_add(r->map, id, r->count))
		return NULL;
	r->states[r->count] = (struct hyb_metric_state){ .id = id };
	return &r->states[r->count++];
}

/* NULL without memory. */
static struct hyb_metric_state *state_of(struct hyb_metric_reader *r, uint64_t id)
{
	size_t place;

	if (r->last && r->last->id == id)
		return r->last;
	if (make_map(&r->map))
		return NULL;
	place = hyb_id_map_get(r->map, id);
	r->last = place == HYB_ID_NONE ? add_state(r, id) : &r->states[place];
	return r->last;
}

/* In other chunks a set may have another size only by damage. */
static int resize(struct hyb_metric_state *s, uint32_t count)
{
	uint64_t *values;

	if (s->count == count)
		return 0;
	values = calloc(count, 2 * sizeof(*values));
	if (!values)
		return -ENOMEM;
	free(s->values);
	s->values = values;
	s->count = count;
	s->seq = 0;
	return 0;
}

/* The bytes of words, the low ones first. */
struct bytes {
	const uint64_t *words;
	uint64_t at;
	uint64_t end;
};

static inline uint8_t next_byte(struct bytes *b)
{
	uint8_t byte = (uint8_t)(b->words[b->at / 8] >> b->at % 8 * 8);

	b->at++;
	return byte;
}

/* A number, 7 bits in each byte, bit 7 set in all but the last. False: it does not end, or has more than 64 bits. */
static inline bool next_number(struct bytes *b, uint64_t *number)
{
	unsigned int shift = 0;
	uint8_t byte;

	*number = 0;
	do {
		if (b->at >= b->end || shift > 63)
			return false;
		byte = next_byte(b);
		if (shift == 63 && byte > 1)
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

/* Only the last word is filled, and with zeroes. */
static bool is_over(struct bytes *b)
{
	if (b->end - b->at >= 8)
		return false;
	while (b->at < b->end)
		if (next_byte(b))
			return false;
	return true;
}

static bool add_differences(struct hyb_metric_state *s, const struct hyb_event *e, bool goes_on)
{
	struct bytes b = { .words = e->words + VALUES_AT, .end = (e->head - VALUES_AT) * UINT64_C(8) };
	uint64_t number;
	uint32_t i;

	for (i = 0; i < s->count; i++) {
		if (!next_number(&b, &number))
			return false;
		number = number >> 1 ^ -(number & 1);
		s->values[i] = (goes_on ? s->values[i] : 0) + number;
	}
	return is_over(&b);
}

int hyb_metric_read(struct hyb_metric_reader *r, const struct hyb_event *e, struct hyb_metric_reading *reading)
{
	const uint32_t count = (uint32_t)(e->words[1] >> HYB_METRIC_COUNT_SHIFT) & HYB_METRIC_COUNT_MASK;
	struct hyb_metric_state *s;
	bool had;

	/* Each value has a byte, at least. */
	if (!count || count > (e->head - VALUES_AT) * UINT64_C(8))
		return -EBADMSG;
	s = state_of(r, (uint32_t)e->words[1]);
	if (!s)
		return -ENOMEM;
	if (s->seq == e->seq && s->count != count)
		s->broken = e->seq;
	if (s->broken == e->seq)
		return -EBADMSG;
	if (resize(s, count))
		return -ENOMEM;
	had = s->seq != 0;
	memcpy(s->values + count, s->values, count * sizeof(*s->values));
	if (!add_differences(s, e, s->seq == e->seq)) {
		s->broken = e->seq;
		s->seq = 0;
		return -EBADMSG;
	}
	s->seq = e->seq;
	*reading = (struct hyb_metric_reading){
		.set = s->id,
		.alone = e->words[1] & HYB_METRIC_ALONE,
		.count = count,
		.values = s->values,
		.before = had ? s->values + count : NULL,
	};
	return 0;
}

void hyb_metric_end(struct hyb_metric_reader *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		free(r->states[i].values);
	free(r->states);
	hyb_id_map_free(r->map);
	memset(r, 0, sizeof(*r));
}
