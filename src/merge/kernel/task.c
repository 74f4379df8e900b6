/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks by their numbers, which are used again: what one stands for at a time is what its definitions say, and which
 * thread of which process that is, is found by the thread's own number and by when its stream began.
 */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"

static int by_tid(const void *a, const void *b)
{
	const struct hyb_kcandidate *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->thread->begun != y->thread->begun)
		return x->thread->begun < y->thread->begun ? -1 : 1;
	return 0;
}

static bool is_here(const struct hyb_reading *k, const struct hyb_model_process *p)
{
	return p->job == k->node->model->job && p->host == k->node->model->host;
}

int hyb_ktask_begin(struct hyb_reading *k)
{
	struct hyb_merge *m = k->m;
	struct hyb_model_process *p;
	size_t i, t, count = 0;

	for (i = 0; i < m->model.process_count; i++)
		count += is_here(k, &m->model.processes[i]) ? m->model.processes[i].thread_count : 0;
	k->candidates = calloc(count + 1, sizeof(*k->candidates));
	if (!k->candidates)
		return -ENOMEM;
	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		for (t = 0; is_here(k, p) && t < p->thread_count; t++)
			if (p->threads[t].tid)
				k->candidates[k->candidate_count++] = (struct hyb_kcandidate){
					.tid = p->threads[t].tid,
					.process = p,
					.thread = &p->threads[t],
					.index = SIZE_MAX,
				};
	}
	if (k->candidate_count)
		qsort(k->candidates, k->candidate_count, sizeof(*k->candidates), by_tid);
	return 0;
}

/* When the next other task of that number begins; INT64_MAX: there is none known. */
static int64_t until_when(struct hyb_reading *k, const struct hyb_ktask_state *task)
{
	const struct hyb_ktask *now = &task->defs[task->def];
	size_t i;

	for (i = task->def + 1; i < task->def_count; i++)
		if (task->defs[i].tid != now->tid || task->defs[i].tgid != now->tgid)
			return hyb_reading_time(k, task->defs[i].start);
	return INT64_MAX;
}

/*
 * The first thread of that number whose stream began while the task was this one, and which has not ended: so threads
 * of one process that have the same number one after the other are told apart.
 */
static size_t find_thread(struct hyb_reading *k, const struct hyb_ktask_state *task, uint64_t tid, uint32_t tgid)
{
	int64_t from = INT64_MIN, until = INT64_MAX;
	struct hyb_kcandidate *c;
	size_t i;

	if (task->defs) {
		until = until_when(k, task);
		if (task->def && task->defs[task->def].start)
			from = hyb_reading_time(k, task->defs[task->def].start);
	}
	i = HYB_SEARCH(n, k->candidate_count, k->candidates[n].tid < tid);
	for (; i < k->candidate_count && k->candidates[i].tid == tid; i++) {
		c = &k->candidates[i];
		if ((tgid && (uint64_t)c->process->source->manifest.pid != tgid) || c->thread->begun < from ||
		    c->thread->begun >= until)
			continue;
		if (c->index == SIZE_MAX)
			c->index = hyb_kthread_add(k, c->process, c->thread);
		if (c->index == SIZE_MAX || !k->threads[c->index].ended)
			return c->index;
	}
	return SIZE_MAX;
}

static struct hyb_model_process *find_process(const struct hyb_reading *k, uint32_t tgid)
{
	struct hyb_merge *m = k->m;
	size_t i;

	for (i = 0; tgid && i < m->model.process_count; i++)
		if (is_here(k, &m->model.processes[i]) && m->model.processes[i].source->manifest.pid == (int64_t)tgid)
			return &m->model.processes[i];
	return NULL;
}

size_t hyb_kthread_add(struct hyb_reading *k, struct hyb_model_process *process, struct hyb_model_thread *thread)
{
	struct hyb_kthread *t = hyb_array_room(k->threads, &k->thread_room, k->thread_count, sizeof(*t));
	struct hyb_kernel_row *row;

	if (t)
		k->threads = t;
	row = t ? calloc(1, sizeof(*row)) : NULL;
	if (!row) {
		k->err = -ENOMEM;
		return SIZE_MAX;
	}
	hyb_spill_row_init(&row->spill);
	row->file = &k->node->spill;
	row->node = k->node;
	t = &k->threads[k->thread_count];
	memset(t, 0, sizeof(*t));
	t->process = process;
	t->thread = thread;
	t->row = row;
	t->waker = HYB_KSTRING_NONE;
	t->cpu = t->waits_for = HYB_KCPU_NONE;
	return k->thread_count++;
}

static void bind(struct hyb_reading *k, struct hyb_ktask_state *task)
{
	const struct hyb_ktask *def = task->defs ? &task->defs[task->def] : NULL;

	task->region = NULL;
	task->label = HYB_KSTRING_NONE;
	task->process = NULL;
	task->thread = SIZE_MAX;
	if (!task->number || task->number == HYB_TASK_OTHER)
		return;
	if (def && def->tid) {
		task->process = find_process(k, def->tgid);
		task->thread = find_thread(k, task, def->tid, def->tgid);
	} else if (!def && k->node->model->tasks) {
		task->thread = find_thread(k, task, task->number, 0);
	}
	if (task->thread != SIZE_MAX) {
		task->process = k->threads[task->thread].process;
		hyb_merge_of(k->m, task->process)->kernel.seen = true;
	}
}

static struct hyb_ktask_state *add_task(struct hyb_reading *k, uint32_t number)
{
	struct hyb_ktask_state *task = hyb_array_room(k->tasks, &k->task_room, k->task_count, sizeof(*task));

	if (task)
		k->tasks = task;
	if (!task || hyb_id_map_add(k->task_map, number, k->task_count)) {
		k->err = -ENOMEM;
		return NULL;
	}
	task = &k->tasks[k->task_count++];
	memset(task, 0, sizeof(*task));
	task->number = number;
	task->defs = hyb_kdefs_tasks(&k->defs, number, &task->def_count);
	return task;
}

struct hyb_ktask_state *hyb_ktask_get(struct hyb_reading *k, uint32_t number, uint64_t time)
{
	size_t place = hyb_id_map_get(k->task_map, number);
	struct hyb_ktask_state *task;
	bool changed = place == HYB_ID_NONE;

	task = changed ? add_task(k, number) : &k->tasks[place];
	if (!task)
		return NULL;
	while (task->def + 1 < task->def_count && task->defs[task->def + 1].start <= time) {
		task->def++;
		changed = true;
	}
	if (!changed && task->thread != SIZE_MAX && k->threads[task->thread].ended)
		changed = true;
	if (changed)
		bind(k, task);
	return task;
}

struct hyb_kthread *hyb_ktask_thread(struct hyb_reading *k, const struct hyb_ktask_state *task)
{
	return task->thread == SIZE_MAX ? NULL : &k->threads[task->thread];
}

/* "solver (rank 3 thread 2)"; what is not the job's by its name alone. */
static void print_label(const struct hyb_reading *k, const struct hyb_ktask_state *task, char *buf, size_t size)
{
	const struct hyb_ktask *def = task->defs ? &task->defs[task->def] : NULL;
	const struct hyb_model_process *p = task->process;
	const char *name = def && *def->name ? def->name : p ? p->source->manifest.program : hyb_label_other;
	char whose[64];

	if (!task->number)
		name = hyb_label_idle;
	if (def && def->kind == HYB_TASK_KIND_HYBMON) {
		snprintf(buf, size, "%s (hybmon)", name);
		return;
	}
	if (!p) {
		snprintf(buf, size, "%s", name);
		return;
	}
	if (p->ranked)
		snprintf(whose, sizeof(whose), "rank %" PRIu32, p->group);
	else
		snprintf(whose, sizeof(whose), "pid %" PRId64, p->source->manifest.pid);
	if (task->thread == SIZE_MAX)
		snprintf(buf, size, "%s (%s, other thread)", name, whose);
	else if (k->threads[task->thread].thread->number)
		snprintf(buf, size, "%s (%s thread %" PRIu32 ")", name, whose,
			 k->threads[task->thread].thread->number);
	else
		snprintf(buf, size, "%s (%s)", name, whose);
}

uint64_t hyb_ktask_label(struct hyb_reading *k, struct hyb_ktask_state *task)
{
	char buf[128];

	if (task->label == HYB_KSTRING_NONE) {
		print_label(k, task, buf, sizeof(buf));
		task->label = hyb_reading_string(k, buf);
	}
	return task->label;
}

static enum hyb_region_kind kind_of(const struct hyb_ktask_state *task)
{
	const struct hyb_ktask *def = task->defs ? &task->defs[task->def] : NULL;

	if (def && def->kind == HYB_TASK_KIND_HYBMON)
		return HYB_REGION_TASK_HYBMON;
	if (!task->number)
		return HYB_REGION_IDLE;
	return !task->process && !(def && *def->name) ? HYB_REGION_TASK_UNKNOWN : HYB_REGION_ANY;
}

struct hyb_gregion *hyb_ktask_region(struct hyb_reading *k, struct hyb_ktask_state *task)
{
	const struct hyb_ktask *def = task->defs ? &task->defs[task->def] : NULL;
	bool ours = def && def->kind == HYB_TASK_KIND_HYBMON;
	char buf[128];

	if (!task->region) {
		print_label(k, task, buf, sizeof(buf));
		task->region = hyb_regions_get_kernel(&k->m->model.regions, buf, HYB_REGION_TASK, kind_of(task),
						      ours ? HYB_PARADIGM_MEASUREMENT : HYB_PARADIGM_KERNEL);
		if (!task->region)
			k->err = -ENOMEM;
	}
	return task->region;
}

uint64_t hyb_kcpu_who(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kcpu_state *c = &k->cpus[e->source];
	struct hyb_ktask_state *task;

	if (c->depth)
		return hyb_reading_region_string(k, c->frames[c->depth - 1].region);
	/* Which one it is, is not recorded. */
	if (e->what == HYB_KERNEL_WAKING && e->detail & (HYB_WAKING_IRQ | HYB_WAKING_SOFTIRQ))
		return hyb_reading_string(k, e->detail & HYB_WAKING_IRQ ? "irq" : "softirq");
	task = hyb_ktask_get(k, e->task, e->time);
	return task ? hyb_ktask_label(k, task) : HYB_KSTRING_NONE;
}
