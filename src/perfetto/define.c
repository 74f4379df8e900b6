/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes before the events: the clock, processes, threads and CPUs as tracks, and all strings that events name by
 * numbers.
 */
#include "perfetto/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/printable.h"

#define PID_LIMIT (1u << 22) /* Linux gives out less: numbers from here on are of nobody */
#define CLOCK_OF_EVENTS 6    /* what Perfetto takes the times of packets for */

struct define {
	const struct hyb_model *m;
	const struct hyb_sink *sink;
	FILE *to;
	int64_t *pids;	      /* of each process */
	unsigned char *taken; /* a bit for each number that a process or thread has */
	int64_t next;	      /* of those that are nobody's */
	int err;
};

static void put(struct define *d, Hyb__TracePacket *packet)
{
	Hyb__Trace trace = HYB__TRACE__INIT;
	uint8_t *bytes;
	size_t size;

	trace.n_packet = 1;
	trace.packet = &packet;
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = HYB_PERFETTO_SEQUENCE;
	size = hyb__trace__get_packed_size(&trace);
	bytes = malloc(size);
	if (!bytes) {
		d->err = -ENOMEM;
		return;
	}
	hyb__trace__pack(&trace, bytes);
	fwrite(bytes, 1, size, d->to); /* errors are found when it is closed */
	free(bytes);
}

/* The trace begins at 0, and the real time then is known: the UI shows either. */
static void define_clock(struct define *d)
{
	Hyb__TracePacket packet = HYB__TRACE_PACKET__INIT;
	Hyb__ClockSnapshot snapshot = HYB__CLOCK_SNAPSHOT__INIT;
	Hyb__ClockSnapshot__Clock events = HYB__CLOCK_SNAPSHOT__CLOCK__INIT, real = HYB__CLOCK_SNAPSHOT__CLOCK__INIT;
	Hyb__ClockSnapshot__Clock *clocks[] = { &events, &real };

	events.has_clock_id = events.has_timestamp = real.has_clock_id = real.has_timestamp = true;
	events.clock_id = CLOCK_OF_EVENTS;
	real.clock_id = 1;
	real.timestamp = (uint64_t)d->sink->start;
	snapshot.n_clocks = 2;
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = CLOCK_OF_EVENTS;
	packet.clock_snapshot = &snapshot;
	packet.has_sequence_flags = packet.has_first_packet_on_sequence = packet.first_packet_on_sequence = true;
	packet.sequence_flags = 1;
	put(d, &packet);
}

static void put_track(struct define *d, Hyb__TrackDescriptor *track, uint64_t uuid)
{
	Hyb__TracePacket packet = HYB__TRACE_PACKET__INIT;

	track->has_uuid = true;
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

/* Perfetto knows processes and threads by their numbers, of which those of several nodes may be the same. */
static int64_t take_number(struct define *d, int64_t number)
{
	unsigned char bit = (unsigned char)(1u << (number & 7));

	if (number <= 0 || number >= PID_LIMIT || d->taken[number / 8] & bit)
		return d->next++;
	d->taken[number / 8] |= bit;
	return number;
}

/* "MPI Rank 3 (solver)", and on which node if there are several; not by a path, of which the UI shows the end. */
static char *name_process(const struct define *d, const struct hyb_model_process *p)
{
	const char *program = hyb_names_text(&d->m->names, p->program), *slash = strrchr(program, '/');
	bool nodes = d->m->hosts.table.count > 1;
	const char *host = nodes ? hyb_names_text(&d->m->hosts, p->host) : "";
	char *name;
	int ret;

	program = slash ? slash + 1 : program;
	if (p->ranked)
		ret = asprintf(&name, "MPI Rank %u (%s)%s%s", p->group, program, nodes ? " on " : "", host);
	else
		ret = asprintf(&name, "%s%s%s", *program ? program : p->source->name, nodes ? " on " : "", host);
	if (ret < 0)
		return NULL;
	hyb_make_utf8(name);
	return name;
}

static void define_process(struct define *d, size_t index)
{
	const struct hyb_model_process *p = &d->m->processes[index];
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__ProcessDescriptor process = HYB__PROCESS_DESCRIPTOR__INIT;
	char **command = calloc(p->arg_count + 1, sizeof(*command)), *label = (char *)p->ended;
	uint32_t i;

	process.process_name = name_process(d, p);
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
	d->pids[index] = take_number(d, p->source->manifest.pid);
	process.has_pid = process.has_legacy_sort_index = track.has_sibling_order_rank = true;
	process.pid = (int32_t)d->pids[index];
	process.legacy_sort_index = track.sibling_order_rank = (int32_t)index;
	track.process = &process;
	put_track(d, &track, hyb_perfetto_uuid(index, HYB_UUID_PROCESS));
out:
	free(process.process_name);
	free(command);
}

static void define_thread(struct define *d, const struct hyb_track *t)
{
	const struct hyb_model_process *p = &d->m->processes[t->process];
	const struct hyb_model_thread *thread = &p->threads[t->thread];
	Hyb__TrackDescriptor track = HYB__TRACK_DESCRIPTOR__INIT;
	Hyb__ThreadDescriptor descriptor = HYB__THREAD_DESCRIPTOR__INIT;
	bool first = !thread->number;
	char name[64];

	snprintf(name, sizeof(name), first ? "Master thread" : "%s %u",
		 hyb_teams_index(&d->m->teams, t->location) != HYB_TEAMS_NONE ? "OMP thread" : "Thread",
		 thread->number);
	descriptor.thread_name = name;
	descriptor.has_pid = descriptor.has_tid = descriptor.has_legacy_sort_index = track.has_sibling_order_rank =
		true;
	descriptor.pid = (int32_t)d->pids[t->process];
	descriptor.tid = first ? descriptor.pid : take_number(d, (int64_t)thread->tid);
	descriptor.legacy_sort_index = track.sibling_order_rank = (int32_t)thread->number;
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
	track.has_parent_uuid = track.has_sibling_order_rank = track.has_sibling_merge_behavior = true;
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

	string.has_iid = true;
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
	packet.has_sequence_flags = true;
	packet.sequence_flags = 2;
	put(d, &packet);
	free(string.str);
}

static void intern_words(struct define *d)
{
	unsigned int i;

	for (i = 0; i <= HYB_PARADIGM_MEASUREMENT; i++)
		intern(d, CATEGORY, hyb_perfetto_category(i), hyb_paradigm_word(i));
	for (i = 0; i < HYB_KINDS; i++) {
		intern(d, EVENT, hyb_perfetto_name(HYB_NAME_OF_KIND, i), hyb_kind_word(i));
		intern(d, NOTE, hyb_perfetto_note(HYB_NOTE_KIND, i), hyb_kind_word(i));
	}
	intern(d, EVENT, hyb_perfetto_name(HYB_NAME_OF_PAUSE, 0), "not recorded");
	for (i = 0; i < HYB_FIELDS; i++)
		intern(d, NOTE, hyb_perfetto_note(HYB_NOTE_FIELD, i), hyb_field_info(i)->name);
	for (i = 0; i < HYB_ATTRIBUTES; i++)
		intern(d, NOTE, hyb_perfetto_note(HYB_NOTE_ATTRIBUTE, i), hyb_attribute_word(i));
}

/* What has no name of its own is told by its number. */
static void intern_named(struct define *d, enum hyb_perfetto_value kind, uint32_t id, const char *what,
			 const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %u", what, id);
	intern(d, VALUE, hyb_perfetto_value(kind, id), name ? name : text);
}

static void intern_comms(struct define *d)
{
	const struct hyb_comms *c = &d->m->comms;
	const struct hyb_wins *w = &d->m->wins;
	const struct hyb_gcomm *g;
	uint32_t i;

	for (i = 0; d->m->ranks && i < c->table.count; i++) {
		g = hyb_comms_at(c, i);
		if (g->state == HYB_GCOMM_KNOWN)
			intern_named(d, HYB_VALUE_OF_COMM, g->id, "communicator",
				     g->name			 ? g->name
				     : g->kind == HYB_COMM_WORLD ? "MPI_COMM_WORLD"
				     : g->kind == HYB_COMM_SELF	 ? "MPI_COMM_SELF"
								 : NULL);
	}
	for (i = 0; i < w->table.count; i++)
		if (hyb_wins_at(w, i)->id != HYB_COMM_NONE)
			intern_named(d, HYB_VALUE_OF_WINDOW, hyb_wins_at(w, i)->id, "window",
				     hyb_wins_at(w, i)->name);
}

static void intern_model(struct define *d)
{
	const struct hyb_regions *r = &d->m->regions;
	const struct hyb_files *f = &d->m->files;
	const struct hyb_names *names = &d->m->names;
	uint32_t i;

	for (i = 0; i < r->table.count; i++)
		if (hyb_regions_at(r, i)->id != HYB_REGION_UNUSED)
			intern(d, EVENT, hyb_perfetto_name(HYB_NAME_OF_REGION, hyb_regions_at(r, i)->id),
			       hyb_regions_at(r, i)->name);
	for (i = 0; i < f->files.count; i++)
		intern(d, VALUE, hyb_perfetto_value(HYB_VALUE_OF_FILE, i),
		       hyb_names_text(names, hyb_files_at(f, i)->name));
	for (i = 0; i < f->handles.count; i++)
		intern(d, VALUE, hyb_perfetto_value(HYB_VALUE_OF_HANDLE, i),
		       hyb_names_text(names, hyb_files_at(f, hyb_files_handle(f, i)->file)->name));
	for (i = 0; i < names->table.count; i++)
		intern(d, VALUE, hyb_perfetto_value(HYB_VALUE_OF_TEXT, i), hyb_names_text(names, i));
}

int hyb_perfetto_define(const struct hyb_sink *sink, FILE *to)
{
	struct define d = { .m = &sink->m->model, .sink = sink, .to = to, .next = PID_LIMIT };
	size_t i;

	d.pids = calloc(d.m->process_count + 1, sizeof(*d.pids));
	d.taken = calloc(PID_LIMIT / 8, 1);
	if (!d.pids || !d.taken)
		d.err = -ENOMEM;
	if (!d.err) {
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
		intern_comms(&d);
		intern_model(&d);
	}
	free(d.pids);
	free(d.taken);
	return d.err;
}
