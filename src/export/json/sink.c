/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as JSON Lines. An event consists of numbers and of words of ours, which need no quoting, so it is written as
 * it comes; all texts are in the definitions (define.c), and events name them by their numbers.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "merge/sink/field.h"
#include "merge/merge.h"
#include "export/json/define.h"
#include "export/json/sink.h"
#include "merge/model/metric.h"

#define LINE_MAX_SIZE 4096u /* of an event without its arguments: names and values have some tens of bytes each */

struct track {
	struct hyb_track_part part;
	size_t prefix_length;
	char prefix[64]; /* of each of its lines */
};

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	int ret = hyb_part_open(s, track, sizeof(struct track), state);
	struct track *t = *state;

	if (!ret)
		t->prefix_length =
			(size_t)snprintf(t->prefix, sizeof(t->prefix), "{\"track\":%zu,\"time\":", track->index);
	return ret;
}

static char *put(char *at, const char *text)
{
	return stpcpy(at, text);
}

static char *put_unsigned(char *at, uint64_t value)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		*at++ = digits[--n];
	return at;
}

static char *put_signed(char *at, int64_t value)
{
	if (value >= 0)
		return put_unsigned(at, (uint64_t)value);
	*at++ = '-';
	return put_unsigned(at, -(uint64_t)value);
}

static char *put_name(char *at, const char *name)
{
	*at++ = '"';
	at = put(at, name);
	*at++ = '"';
	*at++ = ':';
	return at;
}

static char *put_field(const struct track *t, char *at, const struct hyb_field *field)
{
	struct hyb_field_info info = hyb_field_info(field->id);

	at = put_name(at, info.name);
	switch (info.type) {
	case HYB_FIELD_INT64:
		return put_signed(at, (int64_t)field->value);
	case HYB_FIELD_TIME:
		return put_signed(at, hyb_ns_sub((int64_t)field->value, t->part.start));
	case HYB_FIELD_TRUE:
		return put(at, "true");
	case HYB_FIELD_WORD:
		*at++ = '"';
		at = put(at, field->word);
		*at++ = '"';
		return at;
	default:
		return put_unsigned(at, field->value);
	}
}

/* Those that are ours; *count is how many are the program's. */
static char *put_attributes(const struct track *t, char *at, const struct hyb_merge_event *e, uint32_t *count)
{
	struct hyb_field field;
	char next = '{';
	uint32_t i;

	for (i = 0; i < e->attribute_count; i++) {
		if (hyb_attribute_is_parameter(e->attributes[i].id)) {
			++*count;
			continue;
		}
		if (next == '{')
			at = put(at, ",\"attributes\":");
		*at++ = next;
		next = ',';
		field = hyb_attribute_field(&e->attributes[i]);
		at = put_field(t, at, &field);
	}
	if (next == ',')
		*at++ = '}';
	return at;
}

static char *put_parameter(const struct hyb_merge *m, char *at, const struct hyb_attribute *a)
{
	double value;

	*at++ = '"';
	at = put_unsigned(at, a->id - HYB_ATTRIBUTES);
	at = put(at, "\":");
	switch (hyb_merge_attribute_type(m, a->id)) {
	case HYB_VALUE_DOUBLE:
		memcpy(&value, &a->value, sizeof(value));
		return isfinite(value) ? at + sprintf(at, "%.17g", value) : put(at, "null");
	case HYB_VALUE_INT64:
		return put_signed(at, (int64_t)a->value);
	default:
		return put_unsigned(at, a->value);
	}
}

/* What the program says, by numbers of parameters: as much as it likes. */
static int put_parameters(struct hyb_track_part *part, const struct hyb_merge_event *e)
{
	static const char key[] = ",\"parameters\":";
	int ret = hyb_part_write(part, key, sizeof(key) - 1);
	char text[64], *at, next = '{';
	uint32_t i;

	for (i = 0; !ret && i < e->attribute_count; i++) {
		if (!hyb_attribute_is_parameter(e->attributes[i].id))
			continue;
		at = text;
		*at++ = next;
		next = ',';
		at = put_parameter(part->sink->m, at, &e->attributes[i]);
		ret = hyb_part_write(part, text, (size_t)(at - text));
	}
	return ret ? ret : hyb_part_write(part, "}", 1);
}

static char *put_fields(const struct track *t, char *at, const struct hyb_merge_event *e)
{
	struct hyb_field fields[HYB_FIELDS_MAX];
	size_t count = hyb_event_fields(e, fields), i;

	for (i = 0; i < count; i++) {
		*at++ = ',';
		at = put_field(t, at, &fields[i]);
	}
	return at;
}

/* JSON has no infinity, and nothing that is no number. */
static char *put_value(char *at, enum hyb_metric_type type, uint64_t value)
{
	double real;

	if (type == HYB_METRIC_UINT64)
		return put_unsigned(at, value);
	if (type == HYB_METRIC_INT64)
		return put_signed(at, (int64_t)value);
	memcpy(&real, &value, sizeof(real));
	return isfinite(real) ? at + sprintf(at, "%.17g", real) : put(at, "null");
}

/* As many as the class has. */
static int put_values(struct hyb_track_part *part, const struct hyb_merge_event *e)
{
	const struct hyb_gmetric_class *class = e->metric.class;
	char text[64], *at = text;
	uint32_t i;
	int ret = 0;

	*at++ = ',';
	at = put_name(at, hyb_field_info(HYB_FIELD_ID_VALUES).name);
	for (i = 0; !ret && i < class->count; i++) {
		*at++ = i ? ',' : '[';
		at = put_value(at, class->members[i]->def.type, e->metric.values[i]);
		ret = hyb_part_write(part, text, (size_t)(at - text));
		at = text;
	}
	return ret ? ret : hyb_part_write(part, "]", 1);
}

/* As many as the program has. */
static int put_arguments(struct hyb_track_part *part, const struct hyb_merge_event *e)
{
	const char *name = hyb_field_info(HYB_FIELD_ID_ARGUMENTS).name;
	char text[64], *at = text;
	uint32_t i;
	int ret;

	*at++ = ',';
	at = put_name(at, name);
	*at++ = '[';
	ret = hyb_part_write(part, text, (size_t)(at - text));
	for (i = 0; !ret && i < e->program.count; i++) {
		at = text;
		if (i)
			*at++ = ',';
		at = put_unsigned(at, e->program.args[i]);
		ret = hyb_part_write(part, text, (size_t)(at - text));
	}
	return ret ? ret : hyb_part_write(part, "]", 1);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;
	struct hyb_track_part *part = &t->part;
	int ret = hyb_part_room(part, LINE_MAX_SIZE);
	char *at = part->buffer + part->used;
	uint32_t parameters = 0;

	if (ret)
		return ret;
	at = mempcpy(at, t->prefix, t->prefix_length);
	at = put_signed(at, hyb_ns_sub(e->time, part->start));
	at = put(at, ",\"event\":\"");
	at = put(at, hyb_kind_word(e->kind));
	*at++ = '"';
	if (e->kind <= HYB_KIND_LEAVE) {
		at = put(at, ",\"region\":");
		at = put_unsigned(at, e->region->id);
	} else {
		at = put_fields(t, at, e);
	}
	if (e->attribute_count)
		at = put_attributes(t, at, e, &parameters);
	part->used = (size_t)(at - part->buffer);
	if (parameters)
		ret = put_parameters(part, e);
	if (e->kind == HYB_KIND_PROGRAM_BEGIN)
		ret = put_arguments(part, e);
	else if (e->kind == HYB_KIND_METRIC)
		ret = put_values(part, e);
	part->info.events++;
	return ret ? ret : hyb_part_write(part, "}\n", 2);
}

static const char *const parts[] = { "traces.jsonl", NULL };

const struct hyb_sink_ops hyb_json_sink = {
	.name = "json",
	.parts = parts,
	.needs = HYB_NEED_PAIRS | HYB_NEED_SAMPLES,
	.begin = hyb_parts_begin,
	.open = open_track,
	.event = on_event,
	.close = hyb_part_close,
	.end = hyb_parts_end,
	.define = hyb_json_define,
	.free = hyb_parts_free,
};
