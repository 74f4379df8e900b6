/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as Perfetto's packets: regions are slices, everything else that happens in them instants, with what it says as
 * annotations. What an MPI call did is annotated at its slice, too. See README.md.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/sink/deeds.h"
#include "merge/sink/rates.h"
#include "export/perfetto/define.h"
#include "export/perfetto/sink.h"

#define NOTES_MAX (HYB_FIELDS_MAX + HYB_DEEDS * (1 + HYB_FIELDS_MAX))

struct notes {
	size_t count;
	Hyb__DebugAnnotation **list;
};

struct track {
	struct hyb_track_part part;
	uint64_t uuid;
	size_t depth;  /* open regions */
	bool pauses;   /* its track of pauses is defined */
	bool paused;   /* and in one */
	struct hyb_rates rates;
	struct hyb_deeds deeds;
	/* The packet, made once and filled anew each time. */
	Hyb__Trace trace;
	Hyb__TracePacket *packets[1];
	Hyb__TracePacket packet;
	Hyb__TrackEvent event;
	uint64_t category;
	uint64_t flow;
	struct notes own;     /* of the event */
	struct notes entries; /* of annotations that have some */
	Hyb__DebugAnnotation *notes;
	size_t attributes; /* of one event that there is room for */
};

static void free_notes(struct track *t)
{
	free(t->own.list);
	free(t->entries.list);
	free(t->notes);
}

/* Room for the annotations of an event with so many attributes, while there are none. 0 or -ENOMEM. */
static int make_room(struct track *t, size_t attributes)
{
	const size_t room = NOTES_MAX + attributes;

	free_notes(t);
	t->own.list = malloc(room * sizeof(*t->own.list));
	t->entries.list = malloc(room * sizeof(*t->entries.list));
	t->notes = malloc(room * sizeof(*t->notes));
	t->event.debug_annotations = t->own.list;
	t->attributes = attributes;
	return t->own.list && t->entries.list && t->notes ? 0 : -ENOMEM;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	int ret = hyb_part_open(s, track, sizeof(struct track), state);
	struct track *t = *state;

	if (ret)
		return ret;
	t->uuid = hyb_perfetto_uuid(track->index, HYB_UUID_TRACK);
	hyb__trace__init(&t->trace);
	hyb__trace_packet__init(&t->packet);
	hyb__track_event__init(&t->event);
	t->packets[0] = &t->packet;
	t->trace.n_packet = 1;
	t->trace.packet = t->packets;
	t->packet.has_timestamp = true;
	t->packet.track_event = &t->event;
	t->event.category_iids = &t->category;
	t->event.flow_ids = &t->flow;
	return 0;
}

/* With the annotations gathered for it, which are then gone, as is its flow. */
static int put_packet(struct track *t)
{
	int ret;

	t->event.n_debug_annotations = t->own.count;
	ret = hyb_part_room(&t->part, hyb__trace__get_packed_size(&t->trace));
	if (!ret)
		t->part.used += hyb__trace__pack(&t->trace, (uint8_t *)t->part.buffer + t->part.used);
	t->own.count = t->entries.count = 0;
	t->event.n_flow_ids = 0;
	return ret;
}

/* On this track, or on one beside it; 0: without a name. */
static int put_event(struct track *t, Hyb__TrackEvent__Type type, enum hyb_perfetto_uuid where, uint64_t name,
		     enum hyb_paradigm paradigm)
{
	t->event.type = type;
	t->event.track_uuid = t->uuid | where;
	t->event.has_name_iid = name;
	t->event.name_iid = name;
	t->event.n_category_iids = name != 0;
	t->category = hyb_perfetto_iid(HYB_OF_PARADIGM, paradigm);
	return put_packet(t);
}

static int put_begin(struct track *t, enum hyb_perfetto_uuid where, uint64_t name, enum hyb_paradigm paradigm)
{
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, where, name, paradigm);
}

static int put_end(struct track *t, enum hyb_perfetto_uuid where)
{
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_SLICE_END, where, 0, 0);
}

static Hyb__DebugAnnotation *add_note(struct track *t, struct notes *to, uint64_t name)
{
	Hyb__DebugAnnotation *note = &t->notes[t->own.count + t->entries.count];

	hyb__debug_annotation__init(note);
	note->name_iid = name;
	to->list[to->count++] = note;
	return note;
}

static void add_field(struct track *t, struct notes *to, const struct hyb_field *field)
{
	Hyb__DebugAnnotation *note = add_note(t, to, hyb_perfetto_iid(HYB_OF_FIELD, field->id));
	enum hyb_field_type type = hyb_field_info(field->id).type;

	note->has_string_value_iid = type >= HYB_FIELD_NAMED;
	note->has_int_value = type == HYB_FIELD_INT64 || type == HYB_FIELD_TIME;
	note->has_bool_value = note->bool_value = type == HYB_FIELD_TRUE;
	if (note->has_string_value_iid)
		note->string_value_iid = hyb_perfetto_iid(HYB_OF_NAMED + type - HYB_FIELD_NAMED, field->value);
	else if (type == HYB_FIELD_WORD)
		note->string_value = (char *)field->word;
	else if (type == HYB_FIELD_TIME)
		note->int_value = hyb_ns_sub((int64_t)field->value, t->part.start);
	else if (note->has_int_value)
		note->int_value = (int64_t)field->value;
	else if (!note->has_bool_value) {
		note->has_uint_value = true;
		note->uint_value = field->value;
	}
}

static void add_parameter(struct track *t, const struct hyb_attribute *a)
{
	Hyb__DebugAnnotation *note =
		add_note(t, &t->own, hyb_perfetto_iid(HYB_OF_FIELD, HYB_FIELDS + (uint64_t)a->id));

	switch (hyb_merge_attribute_type(t->part.sink->m, a->id)) {
	case HYB_VALUE_DOUBLE:
		note->has_double_value = true;
		memcpy(&note->double_value, &a->value, sizeof(a->value));
		break;
	case HYB_VALUE_TEXT:
		note->has_string_value_iid = true;
		note->string_value_iid = hyb_perfetto_iid(HYB_OF_NAMED + HYB_FIELD_TEXT - HYB_FIELD_NAMED, a->value);
		break;
	case HYB_VALUE_INT64:
		note->has_int_value = true;
		note->int_value = (int64_t)a->value;
		break;
	default:
		note->has_uint_value = true;
		note->uint_value = a->value;
	}
}

static void add_attributes(struct track *t, const struct hyb_merge_event *e)
{
	struct hyb_field field;
	uint32_t i;

	for (i = 0; i < e->attribute_count; i++) {
		if (hyb_attribute_is_parameter(e->attributes[i].id)) {
			add_parameter(t, &e->attributes[i]);
			continue;
		}
		field = hyb_attribute_field(&e->attributes[i]);
		add_field(t, &t->own, &field);
	}
}

static int enter(struct track *t, const struct hyb_merge_event *e)
{
	enum hyb_paradigm paradigm = hyb_region_paradigm(e->region);

	t->depth++;
	if (paradigm == HYB_PARADIGM_MPI)
		hyb_deeds_begin(&t->deeds, t->depth);
	add_attributes(t, e);
	return put_begin(t, HYB_UUID_TRACK, hyb_perfetto_iid(HYB_OF_REGION, e->region->id), paradigm);
}

/* Each deed of the call that ends is an annotation that has its fields as entries. */
static void add_deeds(struct track *t)
{
	const struct hyb_deed *deed;
	Hyb__DebugAnnotation *note;
	size_t i, k;

	for (i = 0; i < t->deeds.count; i++) {
		deed = &t->deeds.list[i];
		note = add_note(t, &t->own, hyb_perfetto_iid(HYB_OF_DEED, deed->kind));
		note->dict_entries = &t->entries.list[t->entries.count];
		note->n_dict_entries = deed->count;
		for (k = 0; k < deed->count; k++)
			add_field(t, &t->entries, &deed->fields[k]);
	}
}

/* The slice has the annotations of both its events. */
static int leave(struct track *t, const struct hyb_merge_event *e)
{
	add_attributes(t, e);
	if (t->depth == t->deeds.depth) {
		add_deeds(t);
		hyb_deeds_end(&t->deeds);
	}
	t->depth--;
	return put_end(t, HYB_UUID_TRACK);
}

/* Both halves of a message have the same flow, and all members of a collective operation. */
static int put_instant(struct track *t, const struct hyb_merge_event *e)
{
	enum hyb_paradigm paradigm = hyb_kind_paradigm(e->kind);
	struct hyb_field fields[HYB_FIELDS_MAX];
	size_t count = hyb_event_fields(e, fields), i;

	if (paradigm == HYB_PARADIGM_MPI)
		hyb_deeds_add(&t->deeds, e->kind, fields, count);
	for (i = 0; i < count; i++)
		add_field(t, &t->own, &fields[i]);
	add_attributes(t, e);
	t->flow = hyb_event_whole(e);
	t->event.n_flow_ids = t->flow != 0;
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_INSTANT, HYB_UUID_TRACK,
			 hyb_perfetto_iid(HYB_OF_KIND, e->kind), paradigm);
}

/* Defines a track of Perfetto's that belongs to this one and is seen beside it; with a unit, one of a counter. */
static int define_beside(struct track *t, uint64_t uuid, const char *name, const char *unit)
{
	Hyb__TrackDescriptor descriptor = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__CounterDescriptor counter = HYB__COUNTER_DESCRIPTOR__INIT;
	int ret;

	descriptor.uuid = uuid;
	descriptor.has_parent_uuid = true;
	descriptor.parent_uuid = t->uuid;
	descriptor.name = (char *)name;
	counter.unit_name = (char *)unit;
	descriptor.counter = unit ? &counter : NULL;
	t->packet.track_event = NULL;
	t->packet.track_descriptor = &descriptor;
	ret = put_packet(t);
	t->packet.track_event = &t->event;
	t->packet.track_descriptor = NULL;
	return ret;
}

static int put_pause(struct track *t, bool begins)
{
	int ret = 0;

	if (begins == t->paused)
		return 0;
	t->paused = begins;
	if (!begins)
		return put_end(t, HYB_UUID_PAUSES);
	if (!t->pauses)
		ret = define_beside(t, t->uuid | HYB_UUID_PAUSES, "not recorded", NULL);
	t->pauses = true;
	if (ret)
		return ret;
	return put_begin(t, HYB_UUID_PAUSES, hyb_perfetto_iid(HYB_OF_KIND, HYB_KIND_OFF), HYB_PARADIGM_MEASUREMENT);
}

/* Times below 0 Perfetto takes for damaged. Only records that are have any. */
static uint64_t time_of(const struct track *t, int64_t time)
{
	int64_t since = hyb_ns_sub(time, t->part.start);

	return since < 0 ? 0 : (uint64_t)since;
}

static int begin_counter(void *track, const struct hyb_gmetric *metric)
{
	struct track *t = track;
	char *name, *unit;
	int ret = hyb_rate_names(metric, &name, &unit);

	if (ret)
		return ret;
	ret = define_beside(t, hyb_perfetto_counter(t->part.info.track.index, metric->id), name, unit);
	free(name);
	free(unit);
	return ret;
}

static int put_counter(void *track, const struct hyb_gmetric *metric, int64_t time, double value)
{
	struct track *t = track;
	int ret;

	t->packet.timestamp = time_of(t, time);
	t->event.type = HYB__TRACK_EVENT__TYPE__TYPE_COUNTER;
	t->event.track_uuid = hyb_perfetto_counter(t->part.info.track.index, metric->id);
	t->event.has_name_iid = false;
	t->event.n_category_iids = 0;
	t->event.has_double_counter_value = true;
	t->event.double_counter_value = value;
	ret = put_packet(t);
	t->event.has_double_counter_value = false;
	return ret;
}

static struct hyb_rates_to to_counters(struct track *t)
{
	return (struct hyb_rates_to){ .begin = begin_counter, .value = put_counter, .arg = t };
}

static int put_counters(struct track *t, const struct hyb_merge_event *e)
{
	const struct hyb_rates_to to = to_counters(t);

	return hyb_rates_event(&t->rates, e, &to);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;

	/* The slice says that, too; others need it to know who waited. */
	if (e->kind == HYB_KIND_IO_MEETING ||
	    (e->kind == HYB_KIND_COLLECTIVE_END && e->collective.op == HYB_COLL_FINALIZE))
		return 0;
	if (__builtin_expect(!t->notes || e->attribute_count > t->attributes, 0) &&
	    make_room(t, e->attribute_count > HYB_ATTRIBUTES ? e->attribute_count : HYB_ATTRIBUTES))
		return -ENOMEM;
	t->part.info.events += e->kind != HYB_KIND_SAMPLE;
	t->packet.timestamp = time_of(t, e->time);
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(t, e);
	case HYB_KIND_LEAVE:
		return leave(t, e);
	case HYB_KIND_OFF:
	case HYB_KIND_ON:
		return put_pause(t, e->kind == HYB_KIND_OFF);
	case HYB_KIND_METRIC:
		return put_counters(t, e);
	case HYB_KIND_COLLECTIVE_BEGIN:
	case HYB_KIND_RMA_COLLECTIVE_BEGIN:
		return 0; /* the slice says it */
	case HYB_KIND_SAMPLE:
		return 0; /* of call chains it has none */
	default:
		return put_instant(t, e);
	}
}

static int close_track(void *state, uint64_t *events)
{
	const struct hyb_rates_to to = to_counters(state);
	int ret = put_pause(state, false), end = hyb_rates_end(&((struct track *)state)->rates, &to);
	int err;

	free_notes(state);
	err = hyb_part_close(state, events);
	ret = ret ? ret : end;
	return ret ? ret : err;
}

static const char *const parts[] = { "traces.pftrace", NULL };

const struct hyb_sink_ops hyb_perfetto_sink = {
	.name = "perfetto",
	.parts = parts,
	.needs = HYB_NEED_PAIRS,
	.begin = hyb_parts_begin,
	.open = open_track,
	.event = on_event,
	.close = close_track,
	.end = hyb_parts_end,
	.define = hyb_perfetto_define,
	.free = hyb_parts_free,
};
