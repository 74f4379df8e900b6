/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the streams of one process, event by event; convert.c counts or writes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/convert.h"

#define CHECK_EVENTS 65536u /* how often the stop flag is looked at and progress told */

static void tell_progress(struct hyb_convert *c, uint64_t bytes)
{
	struct hyb_merge *m = c->m;
	uint64_t done;

	if (bytes > c->t->size)
		bytes = c->t->size;
	if (bytes <= c->told)
		return;
	done = __atomic_add_fetch(&m->read_done, bytes - c->told, __ATOMIC_RELAXED);
	c->told = bytes;
	if (m->options.progress)
		m->options.progress(m->options.progress_arg, done, m->read_total);
}

/* Of a ring the oldest may be gone since, so that the same number of events would reach further. */
static bool is_new(const struct hyb_merge_thread *t, const struct hyb_event *event, uint64_t seen)
{
	return seen == t->seen || event->time > t->seen_last;
}

/* Marks that the thread's stream could not take, up to a time. They do not count among its events. */
static void tell_marks(struct hyb_convert *c, uint64_t time)
{
	struct hyb_event mark;

	while (hyb_defs_mark(c->ids.defs, c->t->number, &c->marks, time, &mark))
		hyb_convert_mark(c, &mark);
}

/* Of samples only regions are told: what else there is, has its other half elsewhere. False: nothing of the event. */
static bool is_told_of_sample(struct hyb_event *event)
{
	bool late;

	switch (event->type) {
	case HYB_LEAVE:
		late = event->count > event->head && event->words[event->head] == (uint64_t)HYB_LATE << HYB_TYPE_SHIFT;
		event->count = event->head + late;
		return true;
	case HYB_ENTER:
	case HYB_POLL:
		event->count = event->head;
		return true;
	case HYB_MARK:
	case HYB_EVENT_GAP:
		return true;
	default:
		return false;
	}
}

static int read_events(struct hyb_convert *c, struct hyb_reader *reader)
{
	const bool regions = hyb_merge_regions_only(c->m);
	const bool tail = c->m->options.tail && !hyb_merge_thin(c->m) && c->pass == HYB_PASS_WRITE;
	const bool bounded = c->pass != HYB_PASS_COUNT && c->ts->grows && !regions;
	uint64_t seen = 0, last = 0;
	struct hyb_event event;
	uint32_t n = 0;
	int ret;

	while ((ret = hyb_reader_next(reader, &event)) > 0) {
		if (__builtin_expect(bounded, 0) && is_new(c->ts, &event, seen))
			break;
		seen++;
		last = event.time;
		if (__builtin_expect(tail, 0)) {
			c->held = hyb_tail_may_change(c, &event);
			if (c->held)
				hyb_convert_hold(c, false);
			if (hyb_tail_told(c, &event))
				continue;
		}
		if (__builtin_expect(regions, 0) && !is_told_of_sample(&event))
			continue;
		if (!c->t->timed) {
			c->t->timed = true;
			c->t->first =
				hyb_convert_ns(c, event.gap ? event.gap->from : event.time);
			c->now = c->left = c->t->first < c->now ? c->now : c->t->first;
		}
		/* Nothing comes between a fork and the team that it is for. */
		if (__builtin_expect(c->has_marks, 0) && !(c->forks && hyb_convert_begins_team(&event)))
			tell_marks(c, event.time);
		hyb_convert_event(c, &event);
		if (__builtin_expect(c->err || (c->out && c->out->err), 0))
			break;
		if (++n == CHECK_EVENTS) {
			n = 0;
			if (*c->m->options.stop)
				return -EINTR;
			tell_progress(c, hyb_reader_stats(reader)->words * sizeof(uint64_t));
		}
	}
	if (c->pass == HYB_PASS_COUNT) {
		c->ts->seen = seen;
		c->ts->seen_last = last;
	}
	return c->err;
}

static void add_stats(struct hyb_convert *c, const struct hyb_reader_stats *s)
{
	struct hyb_merge_counts *n = &c->counts;

	n->lost_records = s->lost_records;
	n->lost_chunks = s->lost_chunks;
	n->corrupt_chunks = s->corrupt_chunks;
	n->unknown_records = s->unknown_records;
}

static int read_thread(struct hyb_convert *c)
{
	const struct hyb_diag *diag = c->pass == HYB_PASS_COUNT ? c->m->options.diag : NULL;
	struct hyb_reader *reader;
	int ret;

	memset(&c->counts, 0, sizeof(c->counts));
	c->t->timed = false;
	c->depth = 0;
	c->teams.depth = 0;
	c->forks = false;
	c->waits = false;
	c->said_count = 0;
	c->told = 0;
	c->rma.count = 0;
	c->rma.settled = 0;
	c->rma.handed = hyb_rma_first_handed(c->s, c->t->number);
	c->rma_used = false;
	c->has_marks = c->ids.defs && c->ids.defs->mark_count;
	c->marks = 0;
	hyb_convert_begin_halves(c);
	hyb_convert_begin_metrics(c);
	if (c->pass == HYB_PASS_COUNT || hyb_merge_regions_only(c->m)) {
		c->ts->seen = 0;
		c->ts->grows = true;
	}
	c->reader = NULL;
	c->place = (struct hyb_tail_place){ .seq = 0 };
	c->before = 0;
	c->gap_before = false;
	c->held = false;
	ret = hyb_reader_open(c->t->path, c->p->source->owner, diag, &reader);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		/* Empty is what a writer leaves that died, or only just began. */
		if (ret != -ENODATA && c->pass == HYB_PASS_COUNT)
			__atomic_add_fetch(&c->m->unreadable, 1, __ATOMIC_RELAXED);
		hyb_convert_hold(c, true);
		return c->err;
	}
	c->reader = reader;
	/* All that is in a stream which was closed before it is read is there. */
	if (c->pass == HYB_PASS_COUNT || hyb_merge_regions_only(c->m))
		c->ts->grows = !hyb_reader_closed(reader);
	if (hyb_merge_thin(c->m))
		hyb_reader_thin(reader, c->m->samples, c->m->sample_words);
	c->t->tid = hyb_reader_header(reader)->tid;
	c->t->begun = hyb_convert_ns(c, hyb_reader_header(reader)->start_time);
	if (hyb_merge_goes_on(c->m) && !hyb_tail_thread_begin(c)) {
		hyb_reader_close(reader);
		return c->err;
	}
	ret = read_events(c, reader);
	/* Before marks that lie later than the last event, and what the kernel did since. */
	if (!ret && !c->held)
		hyb_convert_hold(c, true);
	if (!ret && c->t->timed) {
		if (c->has_marks)
			tell_marks(c, UINT64_MAX);
		hyb_convert_finish(c);
	}
	ret = ret ? ret : c->err;
	add_stats(c, hyb_reader_stats(reader));
	hyb_reader_close(reader);
	tell_progress(c, c->t->size);
	return ret;
}

static struct hyb_track track_of(const struct hyb_convert *c)
{
	return (struct hyb_track){
		.kind = HYB_TRACK_THREAD,
		.index = c->p->first_track + (size_t)(c->t - c->p->threads),
		.location = c->t->location,
		.process = (size_t)(c->p - c->m->model.processes),
		.thread = (size_t)(c->t - c->p->threads),
	};
}

static int write_thread(struct hyb_convert *c)
{
	const struct hyb_track track = track_of(c);
	static const struct hyb_sinks nobody;
	const bool looks = c->pass == HYB_PASS_LOOK;
	struct hyb_outlet out;
	uint64_t events = 0;
	int ret = hyb_outlet_open(&out, looks ? &nobody : &c->m->sinks, &track), closed;

	c->out = &out;
	if (!ret && !hyb_selection_is_all(&c->m->selection))
		ret = hyb_outlet_select(&out, &c->m->selection, &c->s->excerpt,
					looks ? HYB_EXCERPT_LOOK : HYB_EXCERPT_TELL);
	if (!ret && !hyb_merge_goes_on(c->m))
		hyb_convert_program_begin(c);
	if (!ret && !looks)
		ret = hyb_nest_begin(c);
	if (!ret)
		ret = read_thread(c);
	if (!ret)
		hyb_convert_program_end(c);
	c->out = NULL;
	closed = hyb_outlet_close(&out, &events);
	c->counts.events = events;
	return ret ? ret : closed;
}

static void note_times(struct hyb_model_process *p, const struct hyb_model_thread *t)
{
	if (!t->timed)
		return;
	if (!p->timed || t->first < p->first)
		p->first = t->first;
	if (!p->timed || t->last > p->last)
		p->last = t->last;
	p->timed = true;
}

/* One that is not selected has tracks, too: they are empty. */
static int pass_over(struct hyb_merge *m, struct hyb_model_process *p, enum hyb_pass pass)
{
	struct hyb_convert c = { .m = m, .p = p };
	struct hyb_outlet out;
	struct hyb_track track;
	uint64_t events = 0;
	size_t i;
	int ret = 0, closed;

	for (i = 0; !ret && i < p->thread_count; i++) {
		c.t = &p->threads[i];
		c.told = 0;
		tell_progress(&c, c.t->size);
		if (pass != HYB_PASS_WRITE)
			continue;
		track = track_of(&c);
		ret = hyb_outlet_open(&out, &m->sinks, &track);
		closed = hyb_outlet_close(&out, &events);
		ret = ret ? ret : closed;
	}
	return ret;
}

int hyb_merge_convert(struct hyb_merge *m, struct hyb_model_process *p, enum hyb_pass pass,
		      struct hyb_match *match)
{
	const struct hyb_diag *diag = NULL; /* what is wrong with them was said by the survey */
	struct hyb_convert c = { .m = m, .p = p, .s = hyb_merge_of(m, p), .match = match, .pass = pass };
	size_t i;
	int ret;

	if (pass >= HYB_PASS_PAIR && !(pass == HYB_PASS_PAIR && m->pairs_of_all) && m->selection.rank_count &&
	    !(p->ranked && hyb_selection_has_rank(&m->selection, p->group)))
		return pass_over(m, p, pass);
	c.pairs = m->pairs.begun;
	hyb_numbers_free(&c.s->made_up);
	c.s->gaps = 0;
	c.s->pauses = 0;
	c.clock = hyb_clocks_get(m->model.clocks, (size_t)p->clock);
	if (pass > HYB_PASS_PAIR)
		c.final = hyb_nodes_final(&m->nodes, (size_t)p->clock);
	ret = hyb_ids_open(&c.ids, p->source, p->group, &m->model.links, p->job, &m->model.comms, &m->model.wins,
			     &m->model.regions, m->model.sources, &m->model.names, diag);
	if (ret)
		return ret;
	hyb_convert_begin_sites(&c);
	hyb_convert_begin_stacks(&c);
	ret = hyb_convert_new_halves(&c);
	if (!ret)
		ret = hyb_ids_add_metrics(&c.ids, &m->model.metrics);
	for (i = 0; !ret && i < p->thread_count; i++) {
		c.t = &p->threads[i];
		c.ts = &c.s->threads[i];
		c.now = INT64_MIN;
		c.sites.seq = 0;
		hyb_convert_begin_thread_stacks(&c);
		ret = pass >= HYB_PASS_LOOK ? write_thread(&c) : read_thread(&c);
		c.ts->counts = c.counts;
		c.s->rma_threads += pass == HYB_PASS_COUNT && c.rma_used;
		if (!ret && pass == HYB_PASS_COUNT) {
			note_times(p, c.t);
			ret = hyb_locks_thread_end(&c.s->locks);
		}
	}
	if (!ret && pass == HYB_PASS_PAIR)
		ret = hyb_convert_end_halves(&c);
	if (!ret && pass == HYB_PASS_COUNT)
		ret = hyb_locks_settle(&c.s->locks);
	if (!ret && pass == HYB_PASS_COUNT)
		ret = hyb_convert_shared_rma(&c);
	if (!ret)
		ret = hyb_convert_end_sites(&c);
	if (!ret)
		ret = hyb_convert_end_stacks(&c);
	free(c.stack);
	free(c.teams.open);
	free(c.said);
	free(c.rma.ops);
	hyb_nest_free(&c);
	hyb_convert_free_halves(&c);
	hyb_convert_free_metrics(&c);
	hyb_convert_free_sites(&c);
	hyb_convert_free_stacks(&c);
	hyb_ids_close(&c.ids);
	return ret;
}

int hyb_merge_add_processes(struct hyb_merge *m)
{
	const struct hyb_model *model = &m->model;
	size_t i, t;

	m->processes = calloc(model->process_count + 1, sizeof(*m->processes));
	if (!m->processes)
		return -ENOMEM;
	for (i = 0; i < model->process_count; i++) {
		m->processes[i].kernel.process = &model->processes[i];
		m->processes[i].threads =
			calloc(model->processes[i].thread_count + 1, sizeof(*m->processes[i].threads));
		if (!m->processes[i].threads)
			return -ENOMEM;
		for (t = 0; t < model->processes[i].thread_count; t++)
			m->processes[i].threads[t].alone = HYB_COMM_NONE;
	}
	return 0;
}

static void free_thread(struct hyb_merge_thread *t)
{
	hyb_begun_free(&t->receives);
	hyb_metric_uses_free(&t->metrics);
}

void hyb_merge_free_processes(struct hyb_merge *m)
{
	struct hyb_merge_process *s;
	size_t i, t;

	for (i = 0; m->processes && i < m->model.process_count; i++) {
		s = &m->processes[i];
		for (t = 0; s->threads && t < m->model.processes[i].thread_count; t++)
			free_thread(&s->threads[t]);
		free(s->threads);
		hyb_numbers_free(&s->cancelled);
		hyb_numbers_free(&s->left_out);
		hyb_numbers_free(&s->unpaired);
		hyb_numbers_free(&s->opened);
		hyb_numbers_free(&s->made_up);
		hyb_numbers_free(&s->begun);
		hyb_numbers_free(&s->handed);
		hyb_numbers_free(&s->handed_there);
		hyb_numbers_free(&s->told);
		free(s->handed_list);
		hyb_task_ends_free(&s->task_ends);
		hyb_task_teams_free(&s->created);
		hyb_locks_free(&s->locks);
		free(s->kernel.sums);
		hyb_excerpt_process_free(&s->excerpt);
	}
	free(m->processes);
}
