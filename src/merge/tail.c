/* SPDX-License-Identifier: BSD-3-Clause */
/* See tail.h. */
#include "merge/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "merge/convert.h"

struct hyb_tail *hyb_tail_new(void)
{
	struct hyb_tail *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	hyb_regions_init(&t->regions);
	hyb_names_init(&t->names);
	return t;
}

void hyb_tail_free(struct hyb_tail *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++) {
		free(t->threads[i].path);
		free(t->threads[i].stack);
	}
	free(t->threads);
	hyb_regions_free(&t->regions);
	hyb_names_free(&t->names);
	hyb_sources_free(t->sources);
	hyb_nodes_free(&t->nodes);
	free(t->last);
	free(t);
}

/* What one has the other gets; locks stay where they are. */
static void swap(struct hyb_tail *t, struct hyb_merge *m)
{
	struct hyb_model *model = &m->model;
	const struct hyb_tail had = *t;

	t->regions.table = model->regions.table;
	t->regions.next = model->regions.next;
	t->names = model->names;
	t->sources = model->sources;
	t->nodes = m->nodes;
	model->regions.table = had.regions.table;
	model->regions.next = had.regions.next;
	model->names = had.names;
	model->sources = had.sources;
	m->nodes = had.nodes;
}

void hyb_tail_keep(struct hyb_tail *t, struct hyb_merge *m)
{
	t->goes_on = true;
	t->start = m->start;
	swap(t, m);
}

void hyb_tail_give(struct hyb_tail *t, struct hyb_merge *m)
{
	swap(t, m);
}

/* Whose thread a track is. */
static const char *path_of(const struct hyb_model *model, size_t process, size_t thread)
{
	return model->processes[process].threads[thread].path;
}

static size_t count_threads(const struct hyb_model *model)
{
	size_t count = 0;

	for (size_t i = 0; i < model->process_count; i++)
		count += model->processes[i].thread_count;
	return count;
}

static int compare(const struct hyb_tail *t, const struct hyb_model *model)
{
	size_t k = 0;

	if (count_threads(model) != t->count || model->process_count != t->processes || model->track_count != t->tracks ||
	    hyb_clocks_count(model->clocks) != t->clocks)
		return -ESTALE;
	for (size_t i = 0; i < model->process_count; i++)
		for (size_t n = 0; n < model->processes[i].thread_count; n++)
			if (strcmp(t->threads[k++].path, path_of(model, i, n)))
				return -ESTALE;
	return 0;
}

/* What is open in one thread of a process lasts as long as another one is known to live. */
static void take_times(const struct hyb_tail *t, struct hyb_merge *m)
{
	hyb_nodes_make_final(m);
	for (size_t i = 0; i < t->processes; i++)
		if (t->last[i] > m->model.processes[i].last)
			m->model.processes[i].last = t->last[i];
}

static int list_threads(struct hyb_tail *t, const struct hyb_model *model)
{
	t->tracks = model->track_count;
	t->clocks = hyb_clocks_count(model->clocks);
	t->processes = model->process_count;
	t->last = malloc((t->processes + 1) * sizeof(*t->last));
	t->threads = calloc(count_threads(model) + 1, sizeof(*t->threads));
	if (!t->last || !t->threads)
		return -ENOMEM;
	for (size_t i = 0; i < model->process_count; i++) {
		t->last[i] = INT64_MIN;
		for (size_t n = 0; n < model->processes[i].thread_count; n++) {
			t->threads[t->count].path = strdup(path_of(model, i, n));
			if (!t->threads[t->count++].path)
				return -ENOMEM;
		}
	}
	return 0;
}

int hyb_tail_begin(struct hyb_tail *t, struct hyb_merge *m)
{
	int ret = t->goes_on ? compare(t, &m->model) : list_threads(t, &m->model);

	if (!ret && t->goes_on)
		take_times(t, m);
	return ret;
}

static struct hyb_tail_thread *thread_of(const struct hyb_convert *c)
{
	return &c->m->options.tail->threads[c->p->first_track + (size_t)(c->t - c->p->threads)];
}

bool hyb_tail_thread_begin(struct hyb_convert *c)
{
	const struct hyb_tail_thread *t = thread_of(c);
	struct hyb_open_region *stack;

	if (t->over)
		return false;
	stack = hyb_array_hold(c->stack, &c->room, t->depth + 1, sizeof(*stack));
	if (!stack) {
		c->err = -ENOMEM;
		return false;
	}
	c->stack = stack;
	if (t->depth)
		memcpy(stack, t->stack, t->depth * sizeof(*stack));
	c->depth = t->depth;
	if (!t->begun)
		return true;
	c->now = t->now;
	c->left = t->left;
	c->nest.off = t->off;
	c->marks = t->marks;
	c->t->timed = t->now != INT64_MIN;
	c->place = t->place;
	c->before = t->place.told;
	c->gap_before = t->place.gap;
	hyb_reader_from(c->reader, t->place.seq ? t->place.seq : 1, t->place.lost);
	return true;
}

/* What is missing has no place of its own: what was told of the chunk that is read again comes again. */
static bool was_gap_told(struct hyb_convert *c, const struct hyb_gap *gap)
{
	if (gap->chunks && c->gap_before) {
		c->gap_before = false;
		return true;
	}
	c->place.gap |= gap->chunks > 0;
	c->place.lost += gap->records;
	return false;
}

bool hyb_tail_told(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_tail_place *p = &c->place;

	if (event->type == HYB_EVENT_GAP)
		return was_gap_told(c, event->gap);
	/* What is MORE now belongs to its Enter the next time. */
	if (event->type == HYB_MORE)
		return false;
	if (event->seq != p->seq) {
		p->seq = event->seq;
		p->told = 0;
		p->gap = false;
		c->before = 0;
		c->gap_before = false;
	}
	if (c->before) {
		c->before--;
		return true;
	}
	p->told++;
	return false;
}

/*
 * Calls that find nothing are counted in place, in the record that was written last; and how long what is missing at the
 * end lasts is not known yet.
 */
bool hyb_tail_may_change(const struct hyb_convert *c, const struct hyb_event *event)
{
	return (event->type == HYB_POLL || event->type == HYB_EVENT_GAP) && !c->before && hyb_reader_is_last(c->reader);
}

static void note_process(struct hyb_convert *c)
{
	int64_t *last = &c->m->options.tail->last[c->p - c->m->model.processes];

	if (c->p->timed && c->p->last > *last)
		*last = c->p->last;
	if (c->now > *last)
		*last = c->now;
}

void hyb_tail_thread_end(struct hyb_convert *c)
{
	struct hyb_tail_thread *t = thread_of(c);
	struct hyb_open_region *stack = malloc((c->depth + 1) * sizeof(*stack));

	if (!stack) {
		c->err = -ENOMEM;
		return;
	}
	note_process(c);
	if (c->depth)
		memcpy(stack, c->stack, c->depth * sizeof(*stack));
	free(t->stack);
	t->stack = stack;
	t->depth = c->depth;
	t->place = c->place;
	t->begun = true;
	t->over = !c->ts->grows;
	t->now = c->now;
	t->left = c->left;
	t->off = c->nest.off;
	t->marks = c->marks;
}
