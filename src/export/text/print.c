/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of hybmon-print, see print.h. They are stable: tests and scripts read them. */
#include "export/text/print.h"
#include "reader/containers/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const roles[] = {
	"function", "p2p",	  "barrier", "one2all", "all2one",
	"all2all",  "coll-other", "rma",     "file-io", "file-meta",
	"parallel", "loop",	  "sections", "single", "workshare",
	"master",   "critical",	  "atomic",  "ordered", "implicit-barrier",
	"task",	    "task-wait",  "lock",    "wrapper", "section",
	"flush",    "transfer",	  "allocate", "free", "phase", "iteration",
};
static const char *const paradigms[] = { "user", "mpi", "openmp", "kernel", "measurement" };
static const char *const comm_kinds[] = { "null", "world", "self", "intra", "inter" };
static const char *const meeting_roles[] = { "?",	"spawn", "parent", "accept",
					     "connect", "join",	 "pair" };
static const char *const stream_kinds[] = { "?", "defs", "thread", "cpu", "task" };
static const char *const counters[] = { "?", "tsc", "cntvct", "monotonic-raw" };

/* The name of a number, or the number where this version has no name for it. */
static void put_named(const char *key, const char *const *names, size_t count, uint32_t n)
{
	if (n < count)
		printf(" %s=%s", key, names[n]);
	else
		printf(" %s=%u", key, n);
}

/* Text from the program: anything that could break a line, a word, or a terminal, as \xNN. */
static void put_bytes(const char *text, size_t length)
{
	hyb_printable_put(stdout, text, length, "\"\\");
}

static void put_text(const char *text)
{
	put_bytes(text, strlen(text));
}

/* As one word, hence in quotes where there are blanks in it. */
void print_put_word(const char *text)
{
	bool quote = !*text || strpbrk(text, " \"\\");

	if (quote)
		putchar('"');
	put_text(text);
	if (quote)
		putchar('"');
}

static void put_seconds(int64_t ns)
{
	uint64_t abs = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	printf("%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", abs / 1000000000, abs % 1000000000);
}

static void put_time(const struct print_process *p, uint64_t raw)
{
	put_seconds((int64_t)((uint64_t)hyb_clock_ns(p->clock, raw) - (uint64_t)p->start));
}

/* The same of an event: those of the kernel do not carry the counter that definitions have. */
static void put_stream_time(const struct print_stream *s, uint64_t raw)
{
	const struct hyb_file_header *h = hyb_reader_header(s->reader);

	if (h->kind == HYB_STREAM_CPU || h->kind == HYB_STREAM_TASK || h->kind == HYB_STREAM_SAMPLE)
		put_seconds((int64_t)((uint64_t)print_kernel_ns(s->process, raw) - (uint64_t)s->process->start));
	else
		put_time(s->process, raw);
}

void print_put_comm(const struct print_process *p, uint64_t id)
{
	const struct hyb_comm *comm = p->defs ? hyb_defs_comm(p->defs, id) : NULL;
	char buf[32];

	print_put_word(hyb_comm_name(comm, id, buf, sizeof(buf)));
}

void print_put_file(const struct print_process *p, uint64_t id)
{
	const struct hyb_file *file = p->defs ? hyb_defs_file(p->defs, id) : NULL;

	if (file && file->name[0])
		print_put_word(file->name);
	else
		printf("file?%" PRIu64, id);
}

static const struct hyb_region *find_region(const struct print_process *p, uint64_t id)
{
	return p->defs ? hyb_defs_region(p->defs, id) : NULL;
}

static void put_region(const struct print_process *p, uint64_t id)
{
	const struct hyb_region *region = find_region(p, id);

	if (!region) {
		printf("region?%" PRIu64, id);
		return;
	}
	put_text(region->name);
	print_put_source(region);
	print_put_place(p, region);
}

static void put_raw(const char *label, const struct hyb_event *e)
{
	if (!e->words)
		return;
	printf("%s   raw %" PRIu64 ":%u", label, e->seq, e->word);
	for (uint32_t i = 0; i < e->count; i++)
		printf(" %016" PRIx64, e->words[i]);
	putchar('\n');
}

void print_process_line(const struct print_options *o, const struct print_process *p)
{
	static const char *const states[] = { "unknown", "running", "finalized", "ended" };
	const struct hyb_manifest *m = &p->process->manifest;
	const char *base = strrchr(m->program, '/');

	printf("%s process", p->label);
	if (!p->process->has_manifest) {
		puts(" without manifest");
		return;
	}
	printf(" state=%s ended=", states[m->state]);
	print_put_word(m->ended);
	if (hyb_manifest_get(m, "kernel", 0)) {
		print_kernel_line(p);
		return;
	}
	printf(" ranks=%" PRId64 " threads=%" PRIu64 " lost=%" PRIu64 " program=", m->ranks,
	       m->threads, m->lost);
	print_put_word(o->times || !base ? m->program : base + 1);
	if (o->times) {
		fputs(" host=", stdout);
		print_put_word(m->host);
		printf(" pid=%" PRId64 " started=", m->pid);
		print_put_word(m->started);
		fputs(" mpi=", stdout);
		print_put_word(m->mpi);
	}
	putchar('\n');
}

void print_put_members(const uint32_t *ranks, uint32_t count)
{
	if (!count)
		putchar('-');
	for (uint32_t i = 0; i < count;) {
		uint32_t last = i;

		while (last + 1 < count && ranks[last + 1] == ranks[last] + 1)
			last++;
		printf("%s%u", i ? "," : "", ranks[i]);
		if (last > i)
			printf("%c%u", last > i + 1 ? '-' : ',', ranks[last]);
		i = last + 1;
	}
}

static void put_id(const struct print_options *o, uint64_t id)
{
	if (o->times)
		printf(" id=%" PRIu64, id);
}

static void print_region_def(const struct print_options *o, const struct hyb_event *e)
{
	const uint64_t room = (e->count - 2) * UINT64_C(8);
	struct hyb_def_region def;

	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" region ", stdout);
	put_bytes((const char *)(e->words + 2), def.name_length < room ? def.name_length : room);
	put_id(o, e->id);
	put_named("role", roles, COUNT_OF(roles), def.role);
	put_named("paradigm", paradigms, COUNT_OF(paradigms), def.paradigm);
	printf(" coll=%u", def.coll);
}

static void print_comm_def(const struct print_options *o, const struct print_process *p,
			   const struct hyb_event *e)
{
	struct hyb_def_comm def;

	/* What was added to it later is not shown. */
	memcpy(&def, e->words + 1, offsetof(struct hyb_def_comm, step));
	fputs(" comm ", stdout);
	print_put_comm(p, e->id);
	put_id(o, e->id);
	put_named("kind", comm_kinds, COUNT_OF(comm_kinds), def.kind);
	printf(" rank=%d size=%u remote-size=%u parent=", (int)def.rank, def.size, def.remote_size);
	print_put_comm(p, def.parent);
	printf(" same-members=%u", def.same_members);
	if (o->times)
		printf(" key=%016" PRIx64 "%016" PRIx64, def.key[0], def.key[1]);
}

static bool print_mpi_def(const struct hyb_event *e)
{
	struct hyb_def_mpi def;

	if (e->type != HYB_DEF_MPI || e->count <= sizeof(def) / 8)
		return false;
	memcpy(&def, e->words + 1, sizeof(def));
	printf(" mpi any-source=%d any-tag=%d proc-null=%d", def.any_source, def.any_tag, def.proc_null);
	return true;
}

static void print_meeting_def(const struct print_options *o, const struct print_process *p,
			      const struct hyb_event *e)
{
	struct hyb_def_meeting def;

	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" meeting ", stdout);
	print_put_comm(p, e->id);
	put_named("role", meeting_roles, COUNT_OF(meeting_roles), def.role);
	if (def.root != UINT32_MAX)
		printf(" root=%u", def.root);
	if (o->times) {
		printf(" port=%016" PRIx64 "%016" PRIx64 " time=", def.port[0], def.port[1]);
		put_time(p, def.counter);
	}
}

static void print_members_def(const struct print_process *p, const struct hyb_event *e)
{
	const uint32_t room = (e->count - 3) * 2;
	struct hyb_def_members def;

	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" members ", stdout);
	print_put_comm(p, e->id);
	printf(" %sfirst=%u count=%u world-ranks=", def.remote ? "remote " : "", def.first,
	       def.count);
	print_put_members((const uint32_t *)(e->words + 3), def.count < room ? def.count : room);
}

static void print_win_def(const struct print_options *o, const struct print_process *p,
			  const struct hyb_event *e)
{
	const struct hyb_win *win = p->defs ? hyb_defs_win(p->defs, e->id) : NULL;
	struct hyb_def_win def;
	char buf[32];

	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" win ", stdout);
	print_put_word(hyb_win_name(win, e->id, buf, sizeof(buf)));
	put_id(o, e->id);
	fputs(" comm=", stdout);
	print_put_comm(p, def.comm);
	if (o->times)
		printf(" key=%016" PRIx64 "%016" PRIx64, def.key[0], def.key[1]);
}

static void print_group_def(const struct hyb_event *e)
{
	const uint32_t room = (e->count - 3) * 2;
	struct hyb_def_members def;

	memcpy(&def, e->words + 1, sizeof(def));
	printf(" group %" PRIu64 " first=%u count=%u world-ranks=", e->id, def.first, def.count);
	print_put_members((const uint32_t *)(e->words + 3), def.count < room ? def.count : room);
}

static void print_win_name_def(const struct print_process *p, const struct hyb_event *e)
{
	const struct hyb_win *win = p->defs ? hyb_defs_win(p->defs, e->id) : NULL;
	const uint64_t room = (e->count - 2) * UINT64_C(8);

	if (win && win->defined)
		printf(" win-name win#%u ", win->number);
	else
		printf(" win-name win?%" PRIu64 " ", e->id);
	put_bytes((const char *)(e->words + 2), e->words[1] < room ? e->words[1] : room);
}

static void print_name_def(const struct print_process *p, const struct hyb_event *e)
{
	const struct hyb_comm *comm = p->defs ? hyb_defs_comm(p->defs, e->id) : NULL;
	const uint64_t room = (e->count - 2) * UINT64_C(8);

	if (comm && comm->defined)
		printf(" comm-name comm#%u ", comm->number);
	else
		printf(" comm-name comm?%" PRIu64 " ", e->id);
	put_bytes((const char *)(e->words + 2), e->words[1] < room ? e->words[1] : room);
}

static bool print_usage_def(const struct print_options *o, const struct hyb_event *e)
{
	static const char *const whens[] = { "?", "begin", "init", "finalize", "end" };
	struct hyb_def_usage u;

	if (e->type != HYB_DEF_USAGE || e->count <= sizeof(u) / 8)
		return false;
	memcpy(&u, e->words + 1, sizeof(u));
	printf(" usage stream=%u", u.stream);
	put_named("at", whens, COUNT_OF(whens), u.when);
	if (o->times)
		printf(" counter=%" PRIu64 " cpu=%" PRId64 " delayed=%" PRId64 " voluntary=%" PRId64 " involuntary=%" PRId64
		       " minor=%" PRId64 " major=%" PRId64, u.counter, (int64_t)u.cpu, (int64_t)u.delayed,
		       (int64_t)u.voluntary, (int64_t)u.involuntary, (int64_t)u.minor, (int64_t)u.major);
	return true;
}

static bool print_mark_def(const struct print_options *o, const struct hyb_event *e)
{
	struct hyb_def_mark mark;

	if (e->type != HYB_DEF_MARK || e->count <= sizeof(mark) / 8)
		return false;
	memcpy(&mark, e->words + 1, sizeof(mark));
	printf(" recording %s stream=%u", mark.which == HYB_MARK_ON ? "on" : "off", mark.stream);
	if (o->times)
		printf(" counter=%" PRIu64, mark.counter);
	return true;
}

static void print_file_def(const struct print_options *o, const struct print_process *p,
			   const struct hyb_event *e)
{
	struct hyb_def_file def;

	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" file ", stdout);
	print_put_file(p, e->id);
	put_id(o, e->id);
	if (def.comm != HYB_IO_NO_COMM) {
		fputs(" comm=", stdout);
		print_put_comm(p, def.comm);
	}
	printf(" mode=0x%x", def.mode);
}

void print_def(const struct print_options *o, const struct print_process *p,
	       const struct hyb_event *e)
{
	struct hyb_def_clock clock;
	struct hyb_def_sync sync;

	if (e->type == HYB_DEF_CLOCK && !o->times)
		return;
	printf("%s def", p->label);
	if (e->type == HYB_DEF_REGION && e->count >= 2) {
		print_region_def(o, e);
	} else if (e->type == HYB_DEF_COMM && e->count > offsetof(struct hyb_def_comm, step) / 8) {
		print_comm_def(o, p, e);
	} else if (e->type == HYB_DEF_MEMBERS && e->count >= 3) {
		print_members_def(p, e);
	} else if (e->type == HYB_DEF_MEETING && e->count > sizeof(struct hyb_def_meeting) / 8) {
		print_meeting_def(o, p, e);
	} else if (e->type == HYB_DEF_COMM_NAME && e->count >= 2) {
		print_name_def(p, e);
	} else if (e->type == HYB_DEF_WIN && e->count > sizeof(struct hyb_def_win) / 8) {
		print_win_def(o, p, e);
	} else if (e->type == HYB_DEF_GROUP && e->count >= 3) {
		print_group_def(e);
	} else if (print_topology_def(p, e) || print_omp_def(o, p, e) || print_kernel_def(o, p, e) ||
		   print_mark_def(o, e) || print_usage_def(o, e) || print_mpi_def(e) || print_told_def(o, p, e) ||
		   print_metric_definition(o, p, e)) {
		/* done */
	} else if (e->type == HYB_DEF_WIN_NAME && e->count >= 2) {
		print_win_name_def(p, e);
	} else if (e->type == HYB_DEF_FILE && e->count > sizeof(struct hyb_def_file) / 8) {
		print_file_def(o, p, e);
	} else if (e->type == HYB_DEF_SYNC && e->count > sizeof(sync) / 8) {
		memcpy(&sync, e->words + 1, sizeof(sync));
		printf(" sync rank=%" PRIu32, sync.rank);
		if (o->times)
			printf(" out=%" PRIu64 " there=%" PRIu64 " back=%" PRIu64, sync.out, sync.there, sync.back);
	} else if (e->type == HYB_DEF_CLOCK && e->count > sizeof(clock) / 8) {
		memcpy(&clock, e->words + 1, sizeof(clock));
		printf(" clock counter=%" PRIu64 " monotonic-raw=%" PRIu64 " monotonic=%" PRIu64
		       " realtime=%" PRIu64 " width=%" PRIu64,
		       clock.counter, clock.monotonic_raw, clock.monotonic, clock.realtime,
		       clock.width);
	} else if (e->type == HYB_EVENT_GAP) {
		printf(" gap chunks=%" PRIu64 " records=%" PRIu64, e->gap->chunks, e->gap->records);
	} else {
		printf(" unknown type=0x%02x words=%u", e->type, e->count);
	}
	putchar('\n');
	if (o->raw)
		put_raw(p->label, e);
}

void print_stream_line(const struct print_options *o, const struct print_stream *s)
{
	const struct hyb_file_header *h = hyb_reader_header(s->reader);

	printf("%s stream state=%s", s->label, h->state == HYB_STREAM_CLOSED ? "closed" : "open");
	put_named("kind", stream_kinds, COUNT_OF(stream_kinds), h->kind);
	if (h->ring)
		printf(" ring=%" PRIu64, h->slots);
	if (h->name[0]) {
		char name[sizeof(h->name) + 1] = "";

		memcpy(name, h->name, sizeof(h->name));
		fputs(" name=", stdout);
		print_put_word(name);
	}
	if (o->times) {
		put_named("counter", counters, COUNT_OF(counters), h->counter);
		printf(" tid=%" PRIu64 " chunk=%u start=", h->tid, h->chunk_size);
		put_stream_time(s, h->start_time);
	}
	putchar('\n');
}

/* What every line of a stream begins with. */
void print_put_head(const struct print_options *o, const struct print_stream *s, uint64_t time)
{
	fputs(s->label, stdout);
	putchar(' ');
	if (o->times) {
		put_stream_time(s, time);
		putchar(' ');
	}
}

static void print_gap(const struct print_options *o, const struct print_stream *s,
		      const struct hyb_event *e)
{
	static const char *const causes[] = { "overwritten", "no-space", "corrupt" };
	const struct hyb_gap *gap = e->gap;
	const char *comma = "";

	print_put_head(o, s, e->time);
	printf("gap chunks=%" PRIu64 " records=%" PRIu64 " cause=", gap->chunks, gap->records);
	for (size_t i = 0; i < COUNT_OF(causes); i++) {
		if (gap->causes & 1u << i) {
			printf("%s%s", comma, causes[i]);
			comma = ",";
		}
	}
	if (o->times) {
		fputs(" since=", stdout);
		put_stream_time(s, gap->from);
	}
	putchar('\n');
}

/* A row of failing polls, or of calls without effect. */
static void print_poll(const struct print_options *o, const struct print_stream *s,
		       const struct hyb_event *e)
{
	uint64_t kind = hyb_event_poll_kind(e);
	struct hyb_poll poll;

	memcpy(&poll, e->words + 1, sizeof(poll));
	fputs("poll ", stdout);
	put_region(s->process, e->id);
	printf(" count=%" PRIu64 "%s", poll.count,
	       kind == HYB_POLL_VAIN ? "" : kind == HYB_POLL_SETTLED ? " settled" : kind == HYB_POLL_IDLE ? " idle" : " ?");
	if (!o->times)
		return;
	printf(" inside-ticks=%" PRIu64 " until=", poll.inside);
	put_time(s->process, poll.last);
}

/* The event itself, without what is attached to it. */
static void print_head_line(const struct print_options *o, struct print_stream *s,
			    const struct hyb_event *e)
{
	print_put_head(o, s, e->time);
	switch (e->type) {
	case HYB_ENTER:
	case HYB_LEAVE:
		fputs(e->type == HYB_ENTER ? "enter " : "leave ", stdout);
		put_region(s->process, e->id);
		break;
	case HYB_MARK:
		if (e->id == HYB_MARK_OFF || e->id == HYB_MARK_ON)
			fputs(e->id == HYB_MARK_OFF ? "recording off" : "recording on", stdout);
		else
			printf("mark %" PRIu64, e->id);
		break;
	case HYB_POLL:
		print_poll(o, s, e);
		break;
	case HYB_KERNEL:
		print_kernel(o, s, e);
		break;
	case HYB_METRIC:
		print_metric(o, s, e);
		break;
	case HYB_KERNEL_SUMS:
		print_sums(o, e);
		break;
	case HYB_MORE:
		fputs("more ", stdout);
		put_region(s->process, e->id);
		break;
	case HYB_POINT:
		fputs("point", stdout);
		if (e->id) {
			putchar(' ');
			put_region(s->process, e->id);
		}
		break;
	default:
		printf("type 0x%02x id=%" PRIu64, e->type, e->id);
	}
	putchar('\n');
}

void print_event(const struct print_options *o, struct print_stream *s,
		 const struct hyb_event *e)
{
	struct hyb_attached a;

	if (e->type == HYB_EVENT_GAP) {
		print_gap(o, s, e);
		return;
	}
	/* How what a call did falls into groups is of no interest to those who compare. */
	if (e->type != HYB_MORE || o->times)
		print_head_line(o, s, e);
	for (uint32_t pos = 0; hyb_attached_next(e, &pos, &a);)
		print_attached(o, s, e, &a);
	if (o->raw)
		put_raw(s->label, e);
}

static void print_open(const struct print_options *o, const struct print_stream *s, const char *what, uint64_t region,
		       uint64_t site, uint64_t time)
{
	const struct print_process *p = s->process;

	printf("%s %s ", s->label, what);
	put_region(p, region);
	print_put_address(site && p->defs ? hyb_defs_object_of(p->defs, site, time) : NULL, site);
	if (o->times) {
		fputs(" since ", stdout);
		put_time(p, time);
	}
	putchar('\n');
}

void print_open_regions(const struct print_options *o, const struct print_stream *s)
{
	struct hyb_standing standing = { .waits = HYB_WAITS_UNTOLD };
	const struct print_open *innermost = s->open_count ? &s->open[s->open_count - 1] : NULL;

	if (hyb_standing_read(s->reader, &standing) > 0 && s->process->defs)
		hyb_standing_translate(s->process->defs, &standing);
	for (size_t i = 0; i < s->open_count; i++)
		print_open(o, s, "stands in", s->open[i].region,
			   &s->open[i] == innermost && !standing.polls ? standing.site : 0, s->open[i].time);
	if (standing.polls)
		print_open(o, s, "asks by", standing.region, standing.site, standing.time);
	print_standing(s, &standing);
	hyb_standing_free(&standing);
}

int print_track(struct print_stream *s, const struct hyb_event *e)
{
	struct print_open *open;

	if (e->type == HYB_EVENT_GAP) {
		/* What was open may have been left in the gap. */
		s->open_count = 0;
	} else if (e->type == HYB_LEAVE) {
		if (s->open_count && s->open[s->open_count - 1].region == e->id)
			s->open_count--;
	} else if (e->type == HYB_ENTER) {
		open = hyb_array_room(s->open, &s->open_room, s->open_count, sizeof(*open));
		if (!open)
			return -ENOMEM;
		s->open = open;
		s->open[s->open_count++] = (struct print_open){ e->id, e->time };
	}
	return 0;
}
