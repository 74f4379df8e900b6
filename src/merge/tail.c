/* SPDX-License-Identifier: BSD-3-Clause */
/* See tail.h. */
#include "merge/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "containers/array.h"
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
	hyb_nodes_free(&t->nodes);
	free(t);
}

/* What one has the other gets; locks stay where they are. */
static void swap(struct hyb_tail *t, struct hyb_merge *m)
{
	struct hyb_model *model = &m->model;
	const struct hyb_table regions = t->regions.table;
	const uint32_t next = t->regions.next;
	const struct hyb_names names = t->names;
	const struct hyb_nodes nodes = t->nodes;

	t->nodes = m->nodes;
	m->nodes = nodes;
	t->regions.table = model->regions.table;
	t->regions.next = model->regions.next;
	t->names = model->names;
	model->regions.table = regions;
	model->regions.next = next;
	model->names = names;
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

	if (count_threads(model) != t->count || hyb_clocks_count(model->clocks) != t->clocks)
		return -ESTALE;
	for (size_t i = 0; i < model->process_count; i++)
		for (size_t n = 0; n < model->processes[i].thread_count; n++)
			if (strcmp(t->threads[k++].path, path_of(model, i, n)))
				return -ESTALE;
	return 0;
}

int hyb_tail_begin(struct hyb_tail *t, const struct hyb_merge *m)
{
	const struct hyb_model *model = &m->model;

	if (t->goes_on)
		return compare(t, model);
	t->clocks = hyb_clocks_count(model->clocks);
	t->threads = calloc(count_threads(model) + 1, sizeof(*t->threads));
	if (!t->threads)
		return -ENOMEM;
	for (size_t i = 0; i < model->process_count; i++)
		for (size_t n = 0; n < model->processes[i].thread_count; n++) {
			t->threads[t->count].path = strdup(path_of(model, i, n));
			if (!t->threads[t->count++].path)
				return -ENOMEM;
		}
	return 0;
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
	if (!t->seq)
		return true;
	stack = hyb_array_hold(c->stack, &c->room, t->depth + 1, sizeof(*stack));
	if (!stack) {
		c->err = -ENOMEM;
		return false;
	}
	c->stack = stack;
	if (t->depth)
		memcpy(stack, t->stack, t->depth * sizeof(*stack));
	c->depth = t->depth;
	c->now = t->now;
	c->left = t->left;
	c->nest.off = t->off;
	c->marks = t->marks;
	c->t->timed = true;
	c->before = t->told;
	hyb_reader_from(c->reader, t->seq, t->lost);
	return true;
}

bool hyb_tail_told(struct hyb_convert *c, const struct hyb_event *event)
{
	struct hyb_tail_thread *t = thread_of(c);

	/* A gap has no place of its own; and what is MORE now belongs to its Enter the next time. */
	if (event->type == HYB_EVENT_GAP || event->type == HYB_MORE)
		return false;
	if (event->seq != t->seq) {
		t->seq = event->seq;
		t->told = 0;
		c->before = 0;
	}
	if (c->before) {
		c->before--;
		return true;
	}
	t->told++;
	return false;
}

void hyb_tail_thread_end(struct hyb_convert *c)
{
	struct hyb_tail_thread *t = thread_of(c);

	t->lost += c->reader ? hyb_reader_stats(c->reader)->lost_records : 0;
	t->over = !c->ts->grows;
	t->now = c->now;
	t->left = c->left;
	t->off = c->nest.off;
	t->marks = c->marks;
	free(t->stack);
	t->stack = NULL;
	t->depth = c->depth;
	if (!c->depth)
		return;
	t->stack = malloc(c->depth * sizeof(*t->stack));
	if (t->stack)
		memcpy(t->stack, c->stack, c->depth * sizeof(*t->stack));
	else
		c->err = -ENOMEM;
}
