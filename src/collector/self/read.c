/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the rings of the source `self`; see self.h. All threads' records go into one stream, in the order of time. A
 * file for each thread would be mostly empty if threads are many and brief. Records younger than the moment when the
 * first ring was looked at wait for the next round, since another ring may still get older ones.
 */
#include "collector/self/self.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/clock.h"
#include "collector/common/event.h"

#define TRAILER		32	/* pid, tid, time, cpu, id */
/* of a fault's end: id, time, address. Its begin has the instruction's address after the id */
#define FAULT_WORDS	3

struct queue {	/* a heap by the time of the next record */
	struct hyb_self_thread **threads;
	size_t count;
};

static const uint64_t *trailer_of(const struct perf_event_header *header)
{
	return hyb_ring_trailer(header, TRAILER);
}

static bool is_fault(const struct hyb_self_thread *t, uint64_t id)
{
	return t->faults[0] >= 0 && (id == t->ids[0] || id == t->ids[1] || id == t->ids[2]);
}

/* The last word is the number of the event that had no room. The words before it are as that event has them. */
static uint64_t time_of_lost(const struct hyb_self_thread *t, const struct perf_event_header *header)
{
	const uint64_t *end = (const uint64_t *)((const char *)header + header->size);

	return is_fault(t, end[-1]) ? end[-2] : end[-3];
}

/* The time of a record, 0: it is not taken. */
static uint64_t time_of(const struct hyb_self_thread *t, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	bool begins;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		begins = w[0] == t->ids[0];
		if (header->size < sizeof(*header) + (begins ? FAULT_WORDS + 1 : FAULT_WORDS) * sizeof(*w))
			return 0;
		return begins ? w[2] : w[1];
	case PERF_RECORD_LOST:
		return header->size < sizeof(*header) + 4 * sizeof(*w) ? 0 : time_of_lost(t, header);
	case PERF_RECORD_SWITCH:
		return header->size < sizeof(*header) + TRAILER ? 0 : trailer_of(header)[1];
	default:
		return 0;
	}
}

static void take_fault(struct hyb_self_thread *t, const uint64_t *w)
{
	uint32_t task = hyb_task_shown(t->task);

	if (w[0] == t->ids[0])
		hyb_output_event2(&hyb_self_state.out, w[2], HYB_KERNEL_FAULT_BEGIN, HYB_FAULT_USER, task, w[3], w[1]);
	else
		hyb_output_event1(&hyb_self_state.out, w[1], HYB_KERNEL_FAULT_END,
				  HYB_FAULT_USER | (w[0] == t->ids[2] ? HYB_FAULT_MAJOR : 0), task, w[2]);
}

static void take_lost(struct hyb_self_thread *t, uint64_t count, uint64_t time)
{
	t->told_lost += count;
	hyb_self_state.lost += count;
	hyb_output_event2(&hyb_self_state.out, time, HYB_KERNEL_LOST, HYB_LOST_FULL, hyb_task_shown(t->task), count,
			  t->last);
}

static void take_switch(struct hyb_self_thread *t, const struct perf_event_header *header)
{
	const uint64_t *trailer = trailer_of(header);	/* pid, tid; time; cpu; id */
	uint32_t task = hyb_task_shown(t->task);

	if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		hyb_output_event(&hyb_self_state.out, trailer[1], HYB_KERNEL_RESUME, (uint32_t)trailer[2], task);
		return;
	}
	hyb_output_event1(&hyb_self_state.out, trailer[1], HYB_KERNEL_SWITCH, HYB_SWITCH_STATE |
			  (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? HYB_SWITCH_INVOLUNTARY : 0),
			  task, HYB_TASK_OTHER);
}

static void take(struct hyb_self_thread *t)
{
	const uint64_t *w;

	if (!t->next) {
		t->exit_told = true;
		hyb_output_event(&hyb_self_state.out, t->next_time, HYB_KERNEL_EXIT, 0, hyb_task_shown(t->task));
		return;
	}
	w = (const uint64_t *)(t->next + 1);
	if (t->next->type == PERF_RECORD_SAMPLE)
		take_fault(t, w);
	else if (t->next->type == PERF_RECORD_LOST)
		take_lost(t, w[1], t->next_time);
	else
		take_switch(t, t->next);
	t->last = t->next_time;
}

/* Finds the next record that is taken. After the last one comes that the thread has ended. False: there is no more. */
static bool load(struct hyb_self_thread *t)
{
	do {
		t->next = hyb_ring_next(&t->main);
	} while (t->next && !(t->next_time = time_of(t, t->next)));
	if (t->next)
		return true;
	t->next_time = t->exited;
	return t->exited && !t->exit_told;
}

static void drain_side(struct hyb_self_thread *t)
{
	const struct perf_event_header *header;
	uint32_t who[4];	/* tgid, parent's, tid, parent's; of COMM: tgid, tid, name */

	hyb_ring_look(&t->side);
	while ((header = hyb_ring_next(&t->side))) {
		if (header->size < sizeof(*header) + sizeof(who) + TRAILER)
			continue;
		memcpy(who, header + 1, sizeof(who));
		if (header->type == PERF_RECORD_FORK) {
			hyb_tasks_forked(who[0], who[2], who[1], who[3], trailer_of(header)[1]);
			hyb_self_begun(who[0], who[2]);
		} else if (header->type == PERF_RECORD_COMM) {
			hyb_tasks_renamed(who[0], who[1], (const char *)(header + 1) + 8, trailer_of(header)[1]);
		} else if (header->type == PERF_RECORD_EXIT && who[2] == t->tid) {
			t->exited = trailer_of(header)[1];
		}
	}
	hyb_ring_release(&t->side);
}

/* Restores the heap below place i. */
static void sift(struct queue *q, size_t i)
{
	struct hyb_self_thread *moved = q->threads[i];
	size_t child;

	while ((child = 2 * i + 1) < q->count) {
		if (child + 1 < q->count && q->threads[child + 1]->next_time < q->threads[child]->next_time)
			child++;
		if (q->threads[child]->next_time >= moved->next_time)
			break;
		q->threads[i] = q->threads[child];
		i = child;
	}
	q->threads[i] = moved;
}

/* Takes all records up to this time, in the order of time. */
static void take_all(struct queue *q, uint64_t until)
{
	for (size_t i = q->count / 2; i-- > 0;)
		sift(q, i);
	while (q->count && q->threads[0]->next_time <= until) {
		take(q->threads[0]);
		if (!load(q->threads[0]))
			q->threads[0] = q->threads[--q->count];
		if (q->count)
			sift(q, 0);
	}
}

/* Tells what was lost last, which no other record would tell, and forgets the thread. */
static void finish(struct hyb_self_thread *t, uint64_t time)
{
	uint64_t lost = 0;

	for (int i = 0; i < HYB_SELF_FAULTS; i++)
		lost += t->faults[i] < 0 ? 0 : hyb_event_lost(t->faults[i]);
	if (t->main.page)
		lost += hyb_event_lost(t->main.fd);
	if (lost > t->told_lost)
		take_lost(t, lost - t->told_lost, time);
	hyb_self_ended(t);
}

void hyb_self_drain(bool last)
{
	uint64_t until = hyb_clock_raw();
	struct hyb_self_thread *t;
	struct queue q = { .count = 0 };

	/* Threads that begin meanwhile come first in the list, so their side rings are read in the next round. */
	for (t = hyb_self_state.threads; t; t = t->link)
		drain_side(t);
	q.threads = malloc((hyb_self_state.count + 1) * sizeof(struct hyb_self_thread *));
	if (!q.threads)
		return;
	for (t = hyb_self_state.threads; t; t = t->link) {
		hyb_ring_look(&t->main);
		if (load(t))
			q.threads[q.count++] = t;
	}
	take_all(&q, last ? UINT64_MAX : until);
	free(q.threads);
	for (struct hyb_self_thread **at = &hyb_self_state.threads; (t = *at);) {
		if (t->next)
			hyb_ring_back(&t->main, t->next);
		t->next = NULL;
		hyb_ring_release(&t->main);
		if (!last && !t->exit_told) {
			at = &t->link;
			continue;
		}
		*at = t->link;
		finish(t, last ? hyb_clock_raw() : until);
	}
}
