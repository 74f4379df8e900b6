/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as JSON Lines. An event consists of numbers and of words of ours, which need no quoting, so it is written as
 * it comes; all texts are in the definitions (define.c), and events name them by their numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/field.h"
#include "json/define.h"
#include "json/sink.h"

#define NAME "traces.jsonl"
#define LINE_MAX_SIZE 4096u /* of an event without its arguments: names and values have some tens of bytes each */

struct track {
	struct hyb_track_part *part;
	int64_t start;
	uint64_t events;
	size_t prefix_length;
	char prefix[64]; /* of each of its lines */
};

static int begin(const struct hyb_merge *m, struct hyb_sink **sink)
{
	return hyb_parts_begin(m, NAME, sink);
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct track *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	ret = hyb_part_open(s, track, &t->part);
	if (ret) {
		free(t);
		return ret;
	}
	t->start = t->part->start;
	t->prefix_length = (size_t)snprintf(t->prefix, sizeof(t->prefix), "{\"track\":%zu,\"time\":", track->index);
	*state = t;
	return 0;
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
	const struct hyb_field_info *info = hyb_field_info(field->id);

	*at++ = ',';
	at = put_name(at, info->name);
	switch (info->type) {
	case HYB_FIELD_INT64:
		return put_signed(at, (int64_t)field->value);
	case HYB_FIELD_TIME:
		return put_signed(at, hyb_ns_sub((int64_t)field->value, t->start));
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

static char *put_attribute(const struct track *t, char *at, const struct hyb_attribute *a)
{
	const struct hyb_attribute_info *info = hyb_attribute_info(a->id);

	at = put_name(at, hyb_attribute_word(a->id));
	if (hyb_attribute_is_time(a->id))
		return put_signed(at, (int64_t)(a->value - (uint64_t)t->start));
	switch (info->type) {
	case HYB_VALUE_UINT8:
		return put_unsigned(at, (uint8_t)a->value);
	case HYB_VALUE_INT32:
		return put_signed(at, (int32_t)a->value);
	case HYB_VALUE_INT64:
		return put_signed(at, (int64_t)a->value);
	default:
		return put_unsigned(at, a->value);
	}
}

static char *put_attributes(const struct track *t, char *at, const struct hyb_merge_event *e)
{
	uint32_t i;

	at = put(at, ",\"attributes\":");
	for (i = 0; i < e->attribute_count; i++) {
		*at++ = i ? ',' : '{';
		at = put_attribute(t, at, &e->attributes[i]);
	}
	*at++ = '}';
	return at;
}

static char *put_fields(const struct track *t, char *at, const struct hyb_merge_event *e)
{
	struct hyb_field fields[HYB_FIELDS_MAX];
	size_t count = hyb_event_fields(e, fields), i;

	for (i = 0; i < count; i++)
		at = put_field(t, at, &fields[i]);
	return at;
}

/* As many as the program has. */
static int put_arguments(struct hyb_track_part *part, const struct hyb_merge_event *e)
{
	const char *name = hyb_field_info(HYB_FIELD_ID_ARGUMENTS)->name;
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
	struct hyb_track_part *part = t->part;
	int ret = hyb_part_room(part, LINE_MAX_SIZE);
	char *at = part->buffer + part->used;

	if (ret)
		return ret;
	at = mempcpy(at, t->prefix, t->prefix_length);
	at = put_signed(at, hyb_ns_sub(e->time, t->start));
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
		at = put_attributes(t, at, e);
	part->used = (size_t)(at - part->buffer);
	if (e->kind == HYB_KIND_PROGRAM_BEGIN)
		ret = put_arguments(part, e);
	t->events++;
	return ret ? ret : hyb_part_write(part, "}\n", 2);
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	int ret;

	*events = t->events;
	ret = hyb_part_close(t->part, t->events);
	free(t);
	return ret;
}

static int end(struct hyb_sink *s)
{
	return hyb_parts_end(s, hyb_json_define);
}

static const char *const parts[] = { NAME, NULL };

const struct hyb_sink_ops hyb_json_sink = {
	.name = "json",
	.parts = parts,
	.needs = HYB_NEED_PAIRS,
	.begin = begin,
	.open = open_track,
	.event = on_event,
	.close = close_track,
	.end = end,
	.free = hyb_parts_free,
};
