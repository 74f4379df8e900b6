/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events as Perfetto's packets: regions are slices, everything else that happens in them instants, with what it says as
 * annotations. What an MPI call did is annotated at its slice, too. See README.md.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfetto/define.h"
#include "perfetto/sink.h"

#define NAME "traces.pftrace"
#define DEEDS_MAX 4 /* of one call are annotated at its slice: a reader of slices wants no list of hundreds */
#define NOTES_MAX (HYB_FIELDS_MAX + HYB_ATTRIBUTES + DEEDS_MAX * (1 + HYB_FIELDS_MAX))

/* What an MPI call did, until its slice ends. */
struct call {
	size_t depth; /* of its slice, 0: there is none */
	size_t count;
	struct {
		enum hyb_kind kind;
		size_t count;
		struct hyb_field fields[HYB_FIELDS_MAX];
	} deeds[DEEDS_MAX];
};

struct notes {
	size_t count;
	Hyb__DebugAnnotation *list[NOTES_MAX];
};

struct track {
	struct hyb_track_part *part;
	int64_t start;
	uint64_t events;
	uint64_t uuid;
	size_t depth;  /* open regions */
	bool pauses;   /* its track of pauses is defined */
	bool paused;   /* and in one */
	bool counters; /* its counters' tracks are defined */
	struct call call;
	/* The packet, made once and filled anew each time. */
	Hyb__Trace trace;
	Hyb__TracePacket *packets[1];
	Hyb__TracePacket packet;
	Hyb__TrackEvent event;
	uint64_t category;
	uint64_t flow;
	struct notes own;     /* of the event */
	struct notes entries; /* of annotations that have some */
	Hyb__DebugAnnotation notes[NOTES_MAX];
};

static int begin(const struct hyb_merge *m, struct hyb_sink **sink)
{
	return hyb_parts_begin(m, NAME, sink);
}

static void init_packet(struct track *t)
{
	hyb__trace__init(&t->trace);
	hyb__trace_packet__init(&t->packet);
	hyb__track_event__init(&t->event);
	t->packets[0] = &t->packet;
	t->trace.n_packet = 1;
	t->trace.packet = t->packets;
	t->packet.has_timestamp = true;
	t->packet.has_trusted_packet_sequence_id = true;
	t->packet.trusted_packet_sequence_id = HYB_PERFETTO_SEQUENCE;
	t->packet.has_sequence_flags = true;
	t->packet.sequence_flags = 2;
	t->packet.track_event = &t->event;
	t->event.has_type = true;
	t->event.has_track_uuid = true;
	t->event.category_iids = &t->category;
	t->event.flow_ids = &t->flow;
	t->event.debug_annotations = t->own.list;
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
	t->uuid = hyb_perfetto_uuid(track->index, HYB_UUID_TRACK);
	init_packet(t);
	*state = t;
	return 0;
}

/* With the annotations gathered for it, which are then gone, as is its flow. */
static int put_packet(struct track *t)
{
	int ret;

	t->event.n_debug_annotations = t->own.count;
	ret = hyb_part_room(t->part, hyb__trace__get_packed_size(&t->trace));
	if (!ret)
		t->part->used += hyb__trace__pack(&t->trace, (uint8_t *)t->part->buffer + t->part->used);
	t->own.count = t->entries.count = 0;
	t->event.n_flow_ids = 0;
	return ret;
}

static int put_event(struct track *t, Hyb__TrackEvent__Type type, uint64_t name, uint64_t category)
{
	t->event.type = type;
	t->event.track_uuid = t->uuid;
	t->event.has_name_iid = name;
	t->event.name_iid = name;
	t->event.n_category_iids = category != 0;
	t->category = category;
	return put_packet(t);
}

static Hyb__DebugAnnotation *add_note(struct track *t, struct notes *to, uint64_t name)
{
	Hyb__DebugAnnotation *note = &t->notes[t->own.count + t->entries.count];

	hyb__debug_annotation__init(note);
	note->has_name_iid = true;
	note->name_iid = name;
	to->list[to->count++] = note;
	return note;
}

static void set_unsigned(Hyb__DebugAnnotation *note, uint64_t value)
{
	note->has_uint_value = true;
	note->uint_value = value;
}

static void set_signed(Hyb__DebugAnnotation *note, int64_t value)
{
	note->has_int_value = true;
	note->int_value = value;
}

static void set_text(Hyb__DebugAnnotation *note, enum hyb_perfetto_value kind, uint64_t number)
{
	note->has_string_value_iid = true;
	note->string_value_iid = hyb_perfetto_value(kind, number);
}

static void add_field(struct track *t, struct notes *to, const struct hyb_field *field)
{
	/* Numbers of the model that stand for something with a name. */
	static const int named[] = {
		[HYB_FIELD_COMM] = HYB_VALUE_OF_COMM, [HYB_FIELD_WINDOW] = HYB_VALUE_OF_WINDOW,
		[HYB_FIELD_FILE] = HYB_VALUE_OF_FILE, [HYB_FIELD_HANDLE] = HYB_VALUE_OF_HANDLE,
		[HYB_FIELD_TEXT] = HYB_VALUE_OF_TEXT,
	};
	Hyb__DebugAnnotation *note = add_note(t, to, hyb_perfetto_note(HYB_NOTE_FIELD, field->id));
	enum hyb_field_type type = hyb_field_info(field->id)->type;

	if (named[type])
		set_text(note, named[type], field->value);
	else if (type == HYB_FIELD_WORD)
		note->string_value = (char *)field->word;
	else if (type == HYB_FIELD_TRUE)
		note->has_bool_value = note->bool_value = true;
	else if (type == HYB_FIELD_INT64)
		set_signed(note, (int64_t)field->value);
	else if (type == HYB_FIELD_TIME)
		set_signed(note, hyb_ns_sub((int64_t)field->value, t->start));
	else
		set_unsigned(note, field->value);
}

static void add_attributes(struct track *t, const struct hyb_merge_event *e)
{
	const struct hyb_attribute *a;
	Hyb__DebugAnnotation *note;
	uint32_t i;

	for (i = 0; i < e->attribute_count; i++) {
		a = &e->attributes[i];
		note = add_note(t, &t->own, hyb_perfetto_note(HYB_NOTE_ATTRIBUTE, a->id));
		switch (hyb_attribute_info(a->id)->type) {
		case HYB_VALUE_TEXT:
			set_text(note, HYB_VALUE_OF_TEXT, a->value);
			break;
		case HYB_VALUE_INT32:
			set_signed(note, (int32_t)a->value);
			break;
		case HYB_VALUE_INT64:
			set_signed(note, (int64_t)a->value);
			break;
		default:
			set_unsigned(note, hyb_attribute_is_time(a->id) ? a->value - (uint64_t)t->start : a->value);
			break;
		}
	}
}

static int enter(struct track *t, const struct hyb_merge_event *e)
{
	bool kernel = e->region->kernel != HYB_REGION_NO_KERNEL;
	enum hyb_paradigm paradigm = kernel ? HYB_PARADIGM_KERNEL : e->region->paradigm;

	t->depth++;
	if (paradigm == HYB_PARADIGM_MPI) {
		t->call.depth = t->depth;
		t->call.count = 0;
	}
	add_attributes(t, e);
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
			 hyb_perfetto_name(HYB_NAME_OF_REGION, e->region->id), hyb_perfetto_category(paradigm));
}

/* Each deed of the call that ends is an annotation that has its fields as entries. */
static void add_deeds(struct track *t)
{
	Hyb__DebugAnnotation *note;
	size_t i, k;

	for (i = 0; i < t->call.count; i++) {
		note = add_note(t, &t->own, hyb_perfetto_note(HYB_NOTE_KIND, t->call.deeds[i].kind));
		note->dict_entries = &t->entries.list[t->entries.count];
		note->n_dict_entries = t->call.deeds[i].count;
		for (k = 0; k < t->call.deeds[i].count; k++)
			add_field(t, &t->entries, &t->call.deeds[i].fields[k]);
	}
}

/* The slice has the annotations of both its events. */
static int leave(struct track *t, const struct hyb_merge_event *e)
{
	add_attributes(t, e);
	if (t->depth == t->call.depth) {
		add_deeds(t);
		t->call.depth = 0;
	}
	t->depth--;
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_SLICE_END, 0, 0);
}

/* The first one of each kind. */
static void note_deed(struct call *c, enum hyb_kind kind, const struct hyb_field *fields, size_t count)
{
	size_t i;

	for (i = 0; i < c->count; i++)
		if (c->deeds[i].kind == kind)
			return;
	if (!count || c->count == DEEDS_MAX)
		return;
	c->deeds[c->count].kind = kind;
	c->deeds[c->count].count = count;
	memcpy(c->deeds[c->count++].fields, fields, count * sizeof(*fields));
}

static enum hyb_paradigm paradigm_of(enum hyb_kind kind)
{
	if (kind >= HYB_KIND_FORK)
		return HYB_PARADIGM_OPENMP;
	return kind >= HYB_KIND_SEND ? HYB_PARADIGM_MPI : HYB_PARADIGM_MEASUREMENT;
}

/* Both halves of a message have the same flow, and all members of a collective operation; 0: it has none. */
static uint64_t flow_of(const struct hyb_merge_event *e)
{
	if (e->kind >= HYB_KIND_SEND && e->kind <= HYB_KIND_IRECV)
		return e->message.number ? e->message.number * 2 : 0;
	if (e->kind == HYB_KIND_COLLECTIVE_END || e->kind == HYB_KIND_COLLECTIVE_COMPLETE)
		return e->collective.number ? e->collective.number * 2 + 1 : 0;
	return 0;
}

static int put_instant(struct track *t, const struct hyb_merge_event *e)
{
	enum hyb_paradigm paradigm = paradigm_of(e->kind);
	struct hyb_field fields[HYB_FIELDS_MAX];
	size_t count = hyb_event_fields(e, fields), i;

	if (paradigm == HYB_PARADIGM_MPI && t->call.depth)
		note_deed(&t->call, e->kind, fields, count);
	for (i = 0; i < count; i++)
		add_field(t, &t->own, &fields[i]);
	add_attributes(t, e);
	t->flow = flow_of(e);
	t->event.n_flow_ids = t->flow != 0;
	return put_event(t, HYB__TRACK_EVENT__TYPE__TYPE_INSTANT, hyb_perfetto_name(HYB_NAME_OF_KIND, e->kind),
			 hyb_perfetto_category(paradigm));
}

/* Defines a track of Perfetto's that belongs to this one and is seen beside it. */
static int define_beside(struct track *t, unsigned int what, const char *name, uint32_t unit)
{
	Hyb__TrackDescriptor descriptor = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__CounterDescriptor counter = HYB__COUNTER_DESCRIPTOR__INIT;
	int ret;

	descriptor.has_uuid = descriptor.has_parent_uuid = true;
	descriptor.uuid = t->uuid | what;
	descriptor.parent_uuid = t->uuid;
	descriptor.name = (char *)name;
	counter.has_unit = true;
	counter.unit = unit;
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
	if (!t->pauses)
		ret = define_beside(t, HYB_UUID_PAUSES, "not recorded", 0);
	t->pauses = true;
	t->paused = begins;
	t->uuid |= HYB_UUID_PAUSES;
	if (!ret)
		ret = put_event(
			t, begins ? HYB__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN : HYB__TRACK_EVENT__TYPE__TYPE_SLICE_END,
			begins ? hyb_perfetto_name(HYB_NAME_OF_PAUSE, 0) : 0,
			begins ? hyb_perfetto_category(HYB_PARADIGM_MEASUREMENT) : 0);
	t->uuid &= ~(uint64_t)HYB_UUID_PAUSES;
	return ret;
}

static int put_counters(struct track *t, const struct hyb_merge_event *e)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && !t->counters && i < HYB_KCOUNTS; i++)
		ret = define_beside(t, HYB_UUID_COUNTER + i, hyb_field_info(HYB_FIELD_ID_VOLUNTARY + i)->name,
				    i < HYB_KCOUNT_RAN ? 2 : 1);
	t->counters = true;
	t->event.has_counter_value = true;
	t->event.has_name_iid = false;
	t->event.n_category_iids = 0;
	t->event.type = HYB__TRACK_EVENT__TYPE__TYPE_COUNTER;
	for (i = 0; !ret && i < HYB_KCOUNTS; i++) {
		t->event.track_uuid = t->uuid | (HYB_UUID_COUNTER + i);
		t->event.counter_value = (int64_t)e->metric[i];
		ret = put_packet(t);
	}
	t->event.has_counter_value = false;
	return ret;
}

/* Times below 0 Perfetto takes for damaged. Only CPUs have any, from before the first process. */
static uint64_t time_of(const struct track *t, int64_t time)
{
	int64_t since = hyb_ns_sub(time, t->start);

	return since < 0 ? 0 : (uint64_t)since;
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;

	t->events++;
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
	default:
		return put_instant(t, e);
	}
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	int ret = put_pause(t, false), err;

	*events = t->events;
	err = hyb_part_close(t->part, t->events);
	free(t);
	return ret ? ret : err;
}

static int end(struct hyb_sink *s)
{
	return hyb_parts_end(s, hyb_perfetto_define);
}

static const char *const parts[] = { NAME, NULL };

const struct hyb_sink_ops hyb_perfetto_sink = {
	.name = "perfetto",
	.parts = parts,
	.needs = HYB_NEED_PAIRS,
	.begin = begin,
	.open = open_track,
	.event = on_event,
	.close = close_track,
	.end = end,
	.free = hyb_parts_free,
};
