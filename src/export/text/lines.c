/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines are stable: tests and scripts read them. */
#include "export/text/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/kernel.h"
#include "export/text/mpi.h"
#include "export/text/records.h"
#include "export/text/vocabulary.h"
#include "reader/containers/array.h"

static const char *const stream_kinds[] = { "?", "defs", "thread", "cpu", "task" };
static const char *const counters[] = { "?", "tsc", "cntvct", "monotonic-raw" };

/* Events of the kernel do not carry the counter that definitions have. */
static void put_stream_time(const struct print_stream *s, uint64_t raw)
{
	const struct hyb_file_header *h = hyb_reader_header(s->reader);

	if (h->kind == HYB_STREAM_CPU || h->kind == HYB_STREAM_TASK || h->kind == HYB_STREAM_SAMPLE)
		print_put_seconds((int64_t)((uint64_t)print_kernel_ns(s->process, raw) - (uint64_t)s->process->start));
	else
		print_put_time(s->process, raw);
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

void print_def(const struct print_options *o, struct print_process *p, const struct hyb_event *e)
{
	const struct print_line line = {
		.options = o, .process = p, .words = e->words, .count = e->count, .id = e->id,
	};

	if (e->type == HYB_DEF_CLOCK && !o->times)
		return;
	printf("%s def", p->label);
	if (e->type == HYB_EVENT_GAP)
		printf(" gap chunks=%" PRIu64 " records=%" PRIu64, e->gap->chunks, e->gap->records);
	else if (!print_definition(&line, e->type) && !print_metric_definition(&line, e->type))
		printf(" unknown type=0x%02x words=%u", e->type, e->count);
	putchar('\n');
	if (o->raw)
		put_raw(p->label, e);
}

void print_stream_line(const struct print_options *o, const struct print_stream *s)
{
	static const struct print_field kind[] = {
		F(ALWAYS, NAMED(stream_kinds), " kind=", GOT(hyb_file_header, kind), "") { NULL }
	};
	static const struct print_field rest[] = {
		F(TIMES, NAMED(counters), " counter=", GOT(hyb_file_header, counter), "")
		F(TIMES, NUMBER, " tid=", GOT(hyb_file_header, tid), "")
		F(TIMES, NUMBER, " chunk=", GOT(hyb_file_header, chunk_size), "") { NULL }
	};
	const struct hyb_file_header *h = hyb_reader_header(s->reader);
	const struct print_line line = { .options = o, .process = s->process, .decoded = h };

	printf("%s stream state=%s", s->label, h->state == HYB_STREAM_CLOSED ? "closed" : "open");
	print_fields(&line, kind);
	if (h->ring)
		printf(" ring=%" PRIu64, h->slots);
	if (h->name[0]) {
		fputs(" name=", stdout);
		print_put_part(h->name, sizeof(h->name), SIZE_MAX);
	}
	print_fields(&line, rest);
	if (o->times) {
		fputs(" start=", stdout);
		put_stream_time(s, h->start_time);
	}
	putchar('\n');
}

/* What every line of a stream begins with. */
static void put_head(const struct print_options *o, const struct print_stream *s, uint64_t time)
{
	fputs(s->label, stdout);
	putchar(' ');
	if (o->times) {
		put_stream_time(s, time);
		putchar(' ');
	}
}

static void print_gap(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e)
{
	static const char *const causes[] = { "overwritten", "no-space", "corrupt" };
	static const struct print_field fields[] = {
		F(ALWAYS, NUMBER, "gap chunks=", GOT(hyb_gap, chunks), "")
		F(ALWAYS, NUMBER, " records=", GOT(hyb_gap, records), "")
		F(ALWAYS, FLAGS(causes), " cause=", GOT_BITS(hyb_gap, causes, 2, 0), "") { NULL }
	};
	const struct print_line line = { .options = o, .process = s->process, .decoded = e->gap };

	put_head(o, s, e->time);
	print_fields(&line, fields);
	if (o->times) {
		fputs(" since=", stdout);
		put_stream_time(s, e->gap->from);
	}
	putchar('\n');
}

/* The event itself, without what is attached to it. */
static void print_head_line(const struct print_line *line, struct print_stream *s, const struct hyb_event *e)
{
	struct print_line timed = *line;

	timed.count = e->head;
	put_head(line->options, s, e->time);
	if (e->type == HYB_KERNEL)
		print_kernel(&timed, e->id);
	else if (e->type == HYB_METRIC)
		print_metric(&timed, &s->metrics, e);
	else if (e->type == HYB_KERNEL_SUMS)
		print_sums(line->options, e);
	else if (!print_timed(&timed, e->type))
		printf("type 0x%02x id=%" PRIu64, e->type, e->id);
	putchar('\n');
}

/* Whether there is such a record is chance, or it has addresses. */
static bool differs(const struct print_stream *s, const struct hyb_attached *a)
{
	return a->type == HYB_BEGAN || a->type == HYB_SITE || (a->type == HYB_STACK && s->process->defs);
}

void print_event(const struct print_options *o, struct print_stream *s, const struct hyb_event *e)
{
	struct print_line line = {
		.options = o, .process = s->process, .words = e->words, .count = e->count, .id = e->id, .time = e->time,
	};
	struct hyb_attached a;

	if (e->type == HYB_EVENT_GAP) {
		print_gap(o, s, e);
		return;
	}
	/* How what a call did falls into groups is of no interest to those who compare. */
	if (e->type != HYB_MORE || o->times)
		print_head_line(&line, s, e);
	line.decoded = &a;
	for (uint32_t pos = 0; hyb_attached_next(e, &pos, &a);) {
		if (differs(s, &a) && !o->times)
			continue;
		line.words = a.words;
		line.count = a.count;
		put_head(o, s, e->time);
		print_attached(&line, a.type);
		putchar('\n');
	}
	if (o->raw)
		put_raw(s->label, e);
}

static void print_open(const struct print_options *o, const struct print_stream *s, const char *what, uint64_t region,
		       uint64_t site, uint64_t time)
{
	const struct print_process *p = s->process;

	printf("%s %s ", s->label, what);
	print_put_region(p, region);
	print_put_site(p, site, time);
	if (o->times) {
		fputs(" since ", stdout);
		print_put_time(p, time);
	}
	putchar('\n');
}

void print_open_regions(const struct print_options *o, const struct print_stream *s)
{
	struct print_line line = { .options = o, .process = s->process };
	struct hyb_standing standing = { .waits = HYB_WAITS_UNTOLD };
	const struct print_open *innermost = s->open_count ? &s->open[s->open_count - 1] : NULL;

	if (hyb_standing_read(s->reader, &standing) > 0 && s->process->defs)
		hyb_standing_translate(s->process->defs, &standing);
	for (size_t i = 0; i < s->open_count; i++)
		print_open(o, s, "stands in", s->open[i].region,
			   &s->open[i] == innermost && !standing.polls ? standing.site : 0, s->open[i].time);
	if (standing.polls)
		print_open(o, s, "asks by", standing.region, standing.site, standing.time);
	print_pending(&line, s->label, &standing);
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
