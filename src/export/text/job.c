/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of hybmon-print through an experiment: clocks, processes, streams. */
#include "export/text/job.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/kernel.h"
#include "export/text/summary.h"

struct print_job job;

/* What the definitions would say, from the streams. */
static uint32_t look_at_streams(const struct hyb_process *p, uint64_t *first)
{
	struct hyb_reader *reader;
	uint32_t counter = 0;

	for (size_t i = 0; i < p->stream_count && !counter; i++) {
		if (hyb_reader_open(p->streams[i].path, p->owner, NULL, &reader))
			continue;
		counter = hyb_reader_header(reader)->counter;
		*first = hyb_reader_header(reader)->start_time;
		hyb_reader_close(reader);
	}
	return counter;
}

/* Adds the clock tuples of a process, and gives the clock's number. */
static size_t survey_process(const struct hyb_process *p, uint64_t *first)
{
	const struct hyb_manifest *m = &p->manifest;
	struct hyb_defs *defs = NULL;
	uint32_t counter;
	int number;

	*first = 0;
	/* What is wrong with it is said when it is printed. */
	if (p->defs && !p->missing)
		hyb_defs_open(p->defs, p->owner, NULL, &defs);
	if (defs)
		*first = defs->start_time;
	counter = defs ? defs->counter : look_at_streams(p, first);
	number = hyb_clocks_add(job.clocks, *m->host ? m->host : p->path, m->boot, counter,
				hyb_manifest_hz(m), defs ? defs->clocks : NULL,
				defs ? defs->clock_count : 0);
	hyb_defs_close(defs);
	if (number < 0)
		print_die(-number);
	return (size_t)number;
}

void print_survey(const struct hyb_experiment *x)
{
	uint64_t *first = print_must(calloc(x->count + 1, sizeof(*first)));
	int err;

	hyb_clocks_free(job.clocks);
	free(job.clock_of);
	job.clock_of = print_must(calloc(x->count + 1, sizeof(*job.clock_of)));
	err = hyb_clocks_new(&job.clocks);
	if (err)
		print_die(-err);
	for (size_t i = 0; i < x->count; i++)
		job.clock_of[i] = survey_process(&x->processes[i], &first[i]);
	err = hyb_clocks_fit(job.clocks);
	if (err)
		print_die(-err);
	for (size_t i = 0; i < x->count && !job.start_known; i++) {
		const struct hyb_clock *clock = hyb_clocks_get(job.clocks, job.clock_of[i]);

		if (first[i] && (!job.start || hyb_clock_ns(clock, first[i]) < job.start))
			job.start = hyb_clock_ns(clock, first[i]);
	}
	job.start_known = true;
	free(first);
}

static char *process_label(const struct hyb_process *p)
{
	char label[4 * NAME_MAX + 1];

	if (p->manifest.rank >= 0)
		snprintf(label, sizeof(label), "%" PRId64, p->manifest.rank);
	else
		hyb_printable(label, sizeof(label), job.print.times ? p->name : "-");
	return print_must(strdup(label));
}

void print_open_defs(struct view *v, const struct hyb_diag *diag)
{
	const struct hyb_process *p = v->print.process;

	if (v->print.defs || !p->defs || hyb_defs_open(p->defs, p->owner, diag, &v->print.defs))
		return;
	if (job.print.defs)
		hyb_reader_open(p->defs, p->owner, NULL, &v->print.records);
}

void print_open_view(struct view *v, const struct hyb_process *p, size_t clock)
{
	memset(v, 0, sizeof(*v));
	v->name = print_must(strdup(p->name));
	v->print.process = p;
	v->print.label = process_label(p);
	v->print.clock = hyb_clocks_get(job.clocks, clock);
	v->print.start = job.start;
	if (job.print.defs)
		print_process_line(&job.print, &v->print);
	if (!p->defs && !job.synthetic)
		hyb_diag_say(&job.diag, HYB_SEV_WARNING,
			     "%s: there are no definitions: numbers take the place of names",
			     p->path);
}

static void close_stream(struct print_stream *s)
{
	if (job.print.events)
		print_open_regions(&job.print, s);
	if (job.print.summary)
		print_count_stream(s);
	job.failed |= s->damaged;
	hyb_reader_close(s->reader);
	free(s->label);
	free(s->open);
	hyb_metric_end(&s->metrics);
	free(s);
}

void print_close_view(struct view *v)
{
	for (size_t i = 0; i < v->count; i++) {
		if (v->streams[i].stream)
			close_stream(v->streams[i].stream);
	}
	free(v->streams);
	hyb_reader_close(v->print.records);
	hyb_defs_close(v->print.defs);
	print_kernel_free(&v->print);
	free(v->print.label);
	free(v->print.counts);
	free(v->name);
}

struct print_stream *print_open_stream(struct view *v, const struct hyb_stream_file *file)
{
	struct print_stream *s = print_must(calloc(1, sizeof(*s)));

	if (hyb_reader_open(file->path, v->print.process->owner, &job.diag, &s->reader)) {
		free(s);
		return NULL;
	}
	if (asprintf(&s->label, "%s.%s%u", v->print.label,
		     file->kind == HYB_STREAM_CPU    ? "cpu" :
		     file->kind == HYB_STREAM_TASK   ? "task" :
		     file->kind == HYB_STREAM_SAMPLE ? "sample" :
						       "",
		     file->number) < 0)
		print_die(ENOMEM);
	s->process = &v->print;
	s->number = file->number;
	s->thread = file->kind == HYB_STREAM_THREAD;
	if (job.print.defs)
		print_stream_line(&job.print, s);
	return s;
}

static void tell_event(struct print_stream *s, const struct hyb_event *e)
{
	if (job.print.summary && print_count(s, e))
		print_die(ENOMEM);
	if (print_track(s, e))
		print_die(ENOMEM);
	if (job.print.events) {
		print_event(&job.print, s, e);
		print_check_output();
	}
}

/* What the thread's stream could not take, up to a time. */
static uint64_t tell_marks(struct print_stream *s, uint64_t time)
{
	const struct hyb_defs *defs = s->thread ? s->process->defs : NULL;
	struct hyb_event mark;
	uint64_t count = 0;

	for (; defs && hyb_defs_mark(defs, s->number, &s->marks, time, &mark); count++)
		tell_event(s, &mark);
	return count;
}

uint64_t print_read_stream(struct print_stream *s)
{
	/* A program that runs may write faster than this prints. */
	const uint64_t upto = hyb_reader_header(s->reader)->newest_seq;
	struct hyb_event e;
	uint64_t count = 0;

	while (hyb_reader_next(s->reader, &e) > 0) {
		if (e.gap)
			s->damaged |= (e.gap->causes & HYB_GAP_CORRUPT) != 0;
		count += tell_marks(s, e.time);
		tell_event(s, &e);
		count++;
		if (e.seq > upto)
			return count;
	}
	return count + tell_marks(s, UINT64_MAX);
}

uint64_t print_read_defs(struct view *v)
{
	struct hyb_event e;
	uint64_t count = 0;

	while (v->print.records && hyb_reader_next(v->print.records, &e) > 0) {
		print_def(&job.print, &v->print, &e);
		print_check_output();
		count++;
	}
	return count;
}

bool print_wanted_process(const struct hyb_process *p)
{
	return !p->missing && (job.rank < 0 || p->manifest.rank == job.rank);
}

bool print_wanted_stream(const struct hyb_stream_file *file)
{
	const char *name = strrchr(file->path, '/');

	if (job.only && strcmp(name ? name + 1 : file->path, job.only))
		return false;
	return job.thread < 0 || (file->kind == HYB_STREAM_THREAD && file->number == job.thread);
}

void print_show(const struct hyb_experiment *x)
{
	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];
		struct print_stream *s;
		struct view v;

		if (!print_wanted_process(p))
			continue;
		print_open_view(&v, p, job.clock_of[i]);
		print_open_defs(&v, &job.diag);
		print_read_defs(&v);
		for (size_t f = 0; f < p->stream_count; f++) {
			if (!print_wanted_stream(&p->streams[f]))
				continue;
			s = print_open_stream(&v, &p->streams[f]);
			if (!s)
				continue;
			print_read_stream(s);
			close_stream(s);
		}
		print_close_view(&v);
	}
}
