/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes before the events: the clock, processes, threads and CPUs as tracks, and all strings that events name by
 * numbers.
 */
#include "export/perfetto/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/sink/title.h"
#include "reader/streams/printable.h"

#define CLOCK_OF_EVENTS 6 /* what Perfetto takes the times of packets for */
#define CLOCK_REAL 1

struct define {
	ProtobufCBuffer buffer; /* to append to */
	const struct hyb_model *m;
	const struct hyb_sink *sink;
	FILE *to;
	int32_t *pids; /* hyb_title_pids */
	int err;
};

/* Errors are found when the file is closed. */
static void append(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
	fwrite(bytes, 1, size, ((struct define *)buffer)->to);
}

static void put(struct define *d, Hyb__TracePacket *packet)
{
	Hyb__Trace trace = HYB__TRACE__INIT;

	trace.n_packet = 1;
	trace.packet = &packet;
	hyb__trace__pack_to_buffer(&trace, &d->buffer);
}

/* The trace begins at 0, and the real time then is known: the UI shows either. */
static void define_clock(struct define *d)
{
	Hyb__TracePacket packet = HYB__TRACE_PACKET__INIT;
	Hyb__ClockSnapshot snapshot = HYB__CLOCK_SNAPSHOT__INIT;
	Hyb__ClockSnapshot__Clock events = HYB__CLOCK_SNAPSHOT__CLOCK__INIT, real = HYB__CLOCK_SNAPSHOT__CLOCK__INIT;
	Hyb__ClockSnapshot__Clock *clocks[] = { &events, &real };

	events.clock_id = snapshot.primary_trace_clock = CLOCK_OF_EVENTS;
	real.clock_id = CLOCK_REAL;
	real.timestamp = (uint64_t)d->sink->start;
	snapshot.n_clocks = 2;
	snapshot.clocks = clocks;
	packet.clock_snapshot = &snapshot;
	packet.has_first_packet_on_sequence = packet.first_packet_on_sequence = true;
	packet.sequence_flags = 1; /* interned data begin anew */
	put(d, &packet);
}

static void put_track(struct define *d, Hyb__TrackDescriptor *track, uint64_t uuid)
{
	Hyb__TracePacket packet = HYB__TRACE_PACKET__INIT;

	track->uuid = uuid;
	packet.track_descriptor = track;
	put(d, &packet);
}

/* By rank, and by thread; without this, Perfetto puts those with the most events first. */
static void define_order(struct define *d)
{
	Hyb__TrackDescriptor root = HYB__TRACK_DESCRIPTOR__INIT;

	root.has_process_ordering = root.has_thread_ordering = true;
	root.process_ordering = root.thread_ordering = 1;
	put_track(d, &root, 0);
}

static void define_process(struct define *d, size_t index)
{
	const struct hyb_model_process *p = &d->m->processes[index];
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__ProcessDescriptor process = HYB__PROCESS_DESCRIPTOR__INIT;
	char **command = calloc(p->arg_count + 1, sizeof(*command)), *label = (char *)p->ended;
	uint32_t i;

	process.process_name = hyb_title_process(d->m, p);
	if (!command || !process.process_name) {
		d->err = -ENOMEM;
		goto out;
	}
	command[0] = (char *)hyb_names_text(&d->m->names, p->program);
	for (i = 0; i < p->arg_count; i++)
		command[i + 1] = (char *)hyb_names_text(&d->m->names, p->args[i]);
	process.cmdline = command;
	process.n_cmdline = p->arg_count + 1;
	process.process_labels = &label;
	process.n_process_labels = p->end != HYB_END_NORMAL;
	process.pid = d->pids[index];
	process.legacy_sort_index = track.sibling_order_rank = (int32_t)index;
	track.process = &process;
	put_track(d, &track, hyb_perfetto_uuid(index, HYB_UUID_PROCESS));
out:
	free(process.process_name);
	free(command);
}

static void define_thread(struct define *d, const struct hyb_track *t)
{
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__ThreadDescriptor descriptor = HYB__THREAD_DESCRIPTOR__INIT;
	char name[HYB_TITLE_SIZE];

	hyb_title_thread(d->m, t->location, name);
	descriptor.thread_name = name;
	descriptor.pid = d->pids[t->process];
	descriptor.tid = d->pids[d->m->process_count + t->index];
	descriptor.legacy_sort_index = track.sibling_order_rank = (int32_t)(t->location >> 32);
	track.thread = &descriptor;
	put_track(d, &track, hyb_perfetto_uuid(t->index, HYB_UUID_TRACK));
}

/* Under its node, which is a track without events. */
static void define_cpu(struct define *d, const struct hyb_track *t)
{
	const struct hyb_model_node *node = &d->m->nodes[t->node];
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	char name[32];

	snprintf(name, sizeof(name), "CPU %u", node->cpus[t->cpu].number);
	track.name = name;
	track.has_parent_uuid = track.has_sibling_merge_behavior = true;
	track.parent_uuid = hyb_perfetto_uuid(node->host, HYB_UUID_HOST);
	track.sibling_order_rank = (int32_t)node->cpus[t->cpu].number;
	track.sibling_merge_behavior = 2; /* that of another collector is told by itself */
	put_track(d, &track, hyb_perfetto_uuid(t->index, HYB_UUID_TRACK));
}

static void define_hosts(struct define *d)
{
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	uint32_t i;

	track.has_child_ordering = true;
	track.child_ordering = 3;
	for (i = 0; d->m->options.cpus && d->m->node_count && i < d->m->hosts.table.count; i++) {
		if (asprintf(&track.name, "CPUs of %s", hyb_names_text(&d->m->hosts, i)) < 0) {
			d->err = -ENOMEM;
			return;
		}
		hyb_make_utf8(track.name);
		put_track(d, &track, hyb_perfetto_uuid(i, HYB_UUID_HOST));
		free(track.name);
	}
}

enum interned { CATEGORY, EVENT, NOTE, VALUE };

/* In a packet of its own, since there may be any number of them. */
static void intern(struct define *d, enum interned what, uint64_t iid, const char *text)
{
	Hyb__TracePacket packet = HYB__TRACE_PACKET__INIT;
	Hyb__InternedData data = HYB__INTERNED_DATA__INIT;
	Hyb__InternedString string = HYB__INTERNED_STRING__INIT, *list = &string;

	string.iid = iid;
	string.str = strdup(text);
	if (!string.str) {
		d->err = -ENOMEM;
		return;
	}
	hyb_make_utf8(string.str);
	data.event_categories = data.event_names = data.debug_annotation_names = data.debug_annotation_string_values =
		&list;
	data.n_event_categories = what == CATEGORY;
	data.n_event_names = what == EVENT;
	data.n_debug_annotation_names = what == NOTE;
	data.n_debug_annotation_string_values = what == VALUE;
	packet.interned_data = &data;
	put(d, &packet);
	free(string.str);
}

static void intern_words(struct define *d)
{
	unsigned int i;

	for (i = 0; i <= HYB_PARADIGM_MEASUREMENT; i++)
		intern(d, CATEGORY, hyb_perfetto_iid(HYB_OF_PARADIGM, i), hyb_paradigm_word(i));
	for (i = 0; i < HYB_KINDS; i++) {
		intern(d, EVENT, hyb_perfetto_iid(HYB_OF_KIND, i),
		       i == HYB_KIND_OFF ? "not recorded" : hyb_kind_word(i));
		intern(d, NOTE, hyb_perfetto_iid(HYB_OF_DEED, i), hyb_kind_word(i));
	}
	for (i = 0; i < HYB_FIELDS_AND_ATTRIBUTES; i++)
		intern(d, NOTE, hyb_perfetto_iid(HYB_OF_FIELD, i), hyb_field_info(i).name);
	for (i = 0; i < d->m->parameters.count; i++)
		intern(d, NOTE, hyb_perfetto_iid(HYB_OF_FIELD, HYB_FIELDS_AND_ATTRIBUTES + i),
		       hyb_names_text(&d->m->names, d->m->parameters.list[i].name));
}

static void intern_title(void *to, enum hyb_field_type type, uint32_t id, const char *name)
{
	if (type == HYB_FIELD_REGION)
		intern(to, EVENT, hyb_perfetto_iid(HYB_OF_REGION, id), name);
	else
		intern(to, VALUE, hyb_perfetto_iid(HYB_OF_NAMED + type - HYB_FIELD_NAMED, id), name);
}

int hyb_perfetto_define(const struct hyb_sink *sink, FILE *to)
{
	struct define d = { .buffer.append = append, .m = &sink->m->model, .sink = sink, .to = to };
	size_t i;

	d.pids = hyb_title_pids(d.m);
	if (!d.pids)
		return -ENOMEM;
	define_clock(&d);
	define_order(&d);
	for (i = 0; i < d.m->process_count; i++)
		define_process(&d, i);
	define_hosts(&d);
	for (i = 0; i < sink->count; i++)
		if (sink->infos[i].track.kind == HYB_TRACK_THREAD)
			define_thread(&d, &sink->infos[i].track);
		else
			define_cpu(&d, &sink->infos[i].track);
	intern_words(&d);
	hyb_title_all(d.m, intern_title, &d);
	free(d.pids);
	return d.err;
}
