/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who had the CPU while a thread that was ready to run waited for it. Who takes it is not always who keeps it: a
 * kernel thread may run for a microsecond, and then another rank for the whole time slice.
 *
 * Each CPU has a list of the recorded threads that wait for it. When a task leaves the CPU, each of them notes how long
 * that task had it meanwhile.
 */
#include "merge/kernel/reading.h"

#include <errno.h>

#include "reader/containers/array.h"

static struct hyb_kholder *holder_of(struct hyb_reading *k, struct hyb_kthread *t, uint32_t task)
{
	struct hyb_kholder *h;

	for (size_t i = t->holder_count; i-- > 0;)
		if (t->holders[i].task == task)
			return &t->holders[i];
	h = hyb_array_room(t->holders, &t->holder_room, t->holder_count, sizeof(*h));
	if (!h) {
		k->err = -ENOMEM;
		return NULL;
	}
	t->holders = h;
	h = &t->holders[t->holder_count++];
	*h = (struct hyb_kholder){ .task = task };
	return h;
}

static void note(struct hyb_reading *k, struct hyb_kthread *t, uint32_t task)
{
	struct hyb_kholder *h;

	if (k->now <= t->held)
		return;
	h = holder_of(k, t, task);
	if (h)
		h->ns += k->now - t->held;
	t->held = k->now;
}

void hyb_kholders_switch(struct hyb_reading *k, uint32_t source, uint32_t task)
{
	for (size_t i = k->cpus[source].waiting; i != SIZE_MAX && !k->err; i = k->threads[i].also_waits)
		note(k, &k->threads[i], task);
}

static void join(struct hyb_reading *k, struct hyb_kthread *t, uint32_t source)
{
	t->waits_for = source;
	t->also_waits = k->cpus[source].waiting;
	k->cpus[source].waiting = (size_t)(t - k->threads);
}

static void part(struct hyb_reading *k, struct hyb_kthread *t)
{
	const size_t index = (size_t)(t - k->threads);
	size_t *at = &k->cpus[t->waits_for].waiting;

	while (*at != SIZE_MAX && *at != index)
		at = &k->threads[*at].also_waits;
	if (*at == index)
		*at = t->also_waits;
	t->waits_for = HYB_KCPU_NONE;
}

void hyb_kholders_begin(struct hyb_reading *k, struct hyb_kthread *t, uint32_t source, uint32_t next)
{
	if (k->node->model->tasks || t->waits_for != HYB_KCPU_NONE)
		return;
	t->holder_count = 0;
	t->held = k->now;
	t->next = next;
	join(k, t, source);
}

void hyb_kholders_move(struct hyb_reading *k, struct hyb_kthread *t, uint32_t number)
{
	const struct hyb_model_node *node = k->node->model;
	const struct hyb_kcpu_state *from;
	uint32_t to = 0;

	if (t->waits_for == HYB_KCPU_NONE || k->cpus[t->waits_for].cpu->number == number)
		return;
	while (to < node->cpu_count && node->cpus[to].number != number)
		to++;
	from = &k->cpus[t->waits_for];
	if (from->known)
		note(k, t, from->task);
	part(k, t);
	if (to < node->cpu_count)
		join(k, t, to);
}

bool hyb_kholders_end(struct hyb_reading *k, struct hyb_kthread *t, uint32_t *task)
{
	const struct hyb_kholder *most = NULL;
	uint32_t source = t->waits_for;

	if (source == HYB_KCPU_NONE)
		return false;
	/* It goes on elsewhere, or its wait is cut: whoever has the CPU has it still. */
	if (k->cpus[source].known)
		note(k, t, k->cpus[source].task);
	part(k, t);
	for (size_t i = 0; i < t->holder_count; i++)
		if (!most || t->holders[i].ns > most->ns)
			most = &t->holders[i];
	if (!most || most->task == t->next)
		return false;
	*task = most->task;
	return true;
}
