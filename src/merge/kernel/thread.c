/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kernel events mean for the threads that are recorded: intervals that nest, each put on disk when it begins and
 * completed when it ends. Where something is missing, what is open ends, and nothing is known of the thread until an
 * event says where it is.
 */
#include "merge/kernel/reading.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

#define FAULT_MINOR 0u /* numbers of regions */
#define FAULT_MAJOR 1u
#define FAULT_UNRESOLVED 2u
#define STATE_DEAD 0xb0u /* dead, zombie, to be forgotten */
#define LEAVE_VALUES (HYB_SPAN_VALUES / 2)

static void set_value(struct hyb_span *span, unsigned int at, enum hyb_attribute_id attribute, uint64_t value)
{
	bool text = hyb_attribute_info(attribute)->type == HYB_VALUE_TEXT;

	if (text && value == HYB_KSTRING_NONE)
		return;
	span->attribute[at] = (uint8_t)attribute;
	span->value[at] = value;
}

uint64_t hyb_kthread_keep(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_span *span)
{
	uint64_t place = 0;
	int ret;

	if (t->row->spill.first == HYB_SPILL_NONE)
		t->row->begin = span->begin;
	ret = hyb_spill_add(&k->node->spill, &t->row->spill, span, &place);
	if (ret)
		k->err = ret;
	return place;
}

static uint64_t add_span(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_span *span)
{
	return k->spans ? hyb_kthread_keep(k, t, span) : 0;
}

/* Begins an interval; what its Enter says is in span. */
static void open_frame(struct hyb_reading *k, struct hyb_kthread *t, uint32_t what, uint32_t id, uint32_t number,
		       struct hyb_span *span)
{
	struct hyb_gregion *region = hyb_reading_region(k, what, number);
	struct hyb_kframe *f;

	f = region ? hyb_array_room(t->frames, &t->room, t->depth, sizeof(*f)) : NULL;
	if (!f) {
		k->err = -ENOMEM;
		return;
	}
	t->frames = f;
	span->region = region;
	span->begin = span->end = k->now;
	f = &t->frames[t->depth++];
	f->what = what;
	f->id = id;
	f->begin = k->now;
	f->region = region;
	f->place = add_span(k, t, span);
}

/* Ends the innermost one at that time; what its Leave says is in span. */
static void close_frame(struct hyb_reading *k, struct hyb_kthread *t, int64_t end, struct hyb_span *span)
{
	const struct hyb_kframe *f = &t->frames[--t->depth];
	const size_t values = offsetof(struct hyb_span, value) + LEAVE_VALUES * sizeof(span->value[0]);
	const size_t attributes = offsetof(struct hyb_span, attribute) + LEAVE_VALUES;
	struct hyb_kernel_row *row = t->row;
	uint32_t holder;
	int ret;

	if (f->what == HYB_KERNEL_SWITCH)
		hyb_kholders_end(k, t, &holder);
	span->end = end > f->begin ? end : f->begin;
	span->region = f->region;
	hyb_reading_sum(k, t->process, f->region, f->begin, span->end);
	if (!k->spans || k->err)
		return;
	ret = hyb_spill_change(&k->node->spill, &row->spill, f->place, offsetof(struct hyb_span, end), &span->end,
			       sizeof(span->end) + sizeof(span->region));
	if (!ret && span->attribute[LEAVE_VALUES])
		ret = hyb_spill_change(&k->node->spill, &row->spill, f->place, values,
				       &span->value[LEAVE_VALUES], LEAVE_VALUES * sizeof(span->value[0]));
	if (!ret && span->attribute[LEAVE_VALUES])
		ret = hyb_spill_change(&k->node->spill, &row->spill, f->place, attributes,
				       &span->attribute[LEAVE_VALUES], LEAVE_VALUES);
	if (ret)
		k->err = ret;
}

/* Ends what has no end of its own. A fault that was not resolved is none of the ways in which faults end. */
static void cut_frame(struct hyb_reading *k, struct hyb_kthread *t, int64_t end)
{
	struct hyb_kframe *f = &t->frames[t->depth - 1];
	struct hyb_span span = { .begin = 0 };

	if (f->what == HYB_KERNEL_FAULT_BEGIN) {
		f->region = hyb_reading_region(k, HYB_KERNEL_FAULT_BEGIN, FAULT_UNRESOLVED);
		if (!f->region)
			return;
	} else {
		k->node->repaired++;
	}
	close_frame(k, t, end, &span);
}

static void cut_down_to(struct hyb_reading *k, struct hyb_kthread *t, size_t depth)
{
	while (t->depth > depth && !k->err)
		cut_frame(k, t, k->now);
}

/* Something without duration. */
static void add_point(struct hyb_reading *k, struct hyb_kthread *t, struct hyb_gregion *region, struct hyb_span *span)
{
	if (!region)
		return;
	span->begin = span->end = k->now;
	span->region = region;
	add_span(k, t, span);
	hyb_reading_sum(k, t->process, region, k->now, k->now);
}

static bool is_out(const struct hyb_kthread *t)
{
	return t->depth && t->frames[t->depth - 1].what == HYB_KERNEL_SWITCH;
}

/* True if it is the end of what the thread waited in, which comes as soon as it goes on. */
static bool ends_wait(const struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	uint32_t in = t->depth > 1 ? t->frames[t->depth - 2].what : 0;

	return !t->frames[t->depth - 1].id && ((e->what == HYB_KERNEL_SYSCALL_EXIT && in == HYB_KERNEL_SYSCALL_ENTER) ||
					       (e->what == HYB_KERNEL_FAULT_END && in == HYB_KERNEL_FAULT_BEGIN));
}

/*
 * It does something, so it has a CPU. There are kernels that have no record of some switches, one in 10,000: then
 * nobody knows since when. The thread was off the CPU at least until the last switch there that is known; and
 * until now, if it waited for what ends now.
 */
static void must_run(struct hyb_reading *k, struct hyb_kthread *t, uint32_t cpu, const struct hyb_kernel_event *e)
{
	int64_t since = k->cpus[e->source].switched;

	if (is_out(t))
		cut_frame(k, t, ends_wait(t, e) ? k->now : since);
	t->cpu = cpu;
}

/* Whatever is under way does not come back: the call that ends it, or one that another thread ended. */
static void cut_thread(struct hyb_reading *k, struct hyb_kthread *t, int64_t end)
{
	struct hyb_span span = { .begin = 0 };

	while (t->depth && !k->err)
		close_frame(k, t, end, &span);
}

static void switch_out(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e, uint64_t next)
{
	uint32_t state = e->detail & HYB_SWITCH_STATE, involuntary;
	struct hyb_span span = { .begin = 0 };

	/* It was seen on another CPU already: this one's clock is behind. */
	if (t->cpu != HYB_KCPU_NONE && t->cpu != e->source) {
		k->node->repaired++;
		return;
	}
	must_run(k, t, k->node->model->tasks ? e->source : HYB_KCPU_NONE, e);
	while (t->depth && (t->frames[t->depth - 1].what == HYB_KERNEL_IRQ_ENTER ||
			    t->frames[t->depth - 1].what == HYB_KERNEL_SOFTIRQ_ENTER) && !k->err)
		cut_frame(k, t, k->now);
	t->waker = HYB_KSTRING_NONE;
	if (t->exits || (state != HYB_SWITCH_STATE && state & STATE_DEAD)) {
		cut_thread(k, t, k->now);
		t->ended = true;
		return;
	}
	/* What it does on a CPU whose events are missing would not be seen. */
	if (k->blind) {
		cut_down_to(k, t, 0);
		return;
	}
	set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_NEXT, next);
	if (state != HYB_SWITCH_STATE)
		set_value(&span, 1, HYB_ATTRIBUTE_KERNEL_STATE, state);
	set_value(&span, 2, HYB_ATTRIBUTE_KERNEL_STACK, hyb_reading_stack(k, e->stack, e->time));
	involuntary = !!(e->detail & HYB_SWITCH_INVOLUNTARY);
	open_frame(k, t, HYB_KERNEL_SWITCH, involuntary, involuntary, &span);
	if (involuntary)
		hyb_kholders_begin(k, t, e->source, (uint32_t)e->word[0]);
}

static struct hyb_kthread *thread_of(struct hyb_reading *k, uint32_t number, uint64_t time)
{
	struct hyb_ktask_state *task = hyb_ktask_get(k, number, time);

	return task ? hyb_ktask_thread(k, task) : NULL;
}

/* The event's thread `number` has a CPU again. */
static void switch_in(struct hyb_reading *k, uint32_t number, const struct hyb_kernel_event *e, uint32_t cpu)
{
	struct hyb_kthread *t = thread_of(k, number, e->time);
	struct hyb_span span = { .begin = 0 };
	uint64_t held = HYB_KSTRING_NONE;
	struct hyb_ktask_state *task;
	uint32_t holder;

	if (t && is_out(t) && hyb_kholders_end(k, t, &holder)) {
		task = hyb_ktask_get(k, holder, e->time);
		if (task)
			held = hyb_ktask_label(k, task);
		/* Tables may have moved. */
		t = thread_of(k, number, e->time);
	}
	if (!t)
		return;
	t->cpu = e->source;
	if (!is_out(t))
		return;
	set_value(&span, LEAVE_VALUES, HYB_ATTRIBUTE_KERNEL_CPU, cpu);
	set_value(&span, LEAVE_VALUES + 1, HYB_ATTRIBUTE_KERNEL_WAKER, t->waker);
	set_value(&span, LEAVE_VALUES + 2, HYB_ATTRIBUTE_KERNEL_HELD, held);
	close_frame(k, t, k->now, &span);
}

static void on_switch(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	uint32_t next = (uint32_t)e->word[0];
	struct hyb_ktask_state *task;
	struct hyb_kthread *t = thread_of(k, e->task, e->time);
	uint64_t label = HYB_KSTRING_NONE;

	if (!k->node->model->tasks)
		hyb_kholders_switch(k, e->source, e->task);
	if (t && !(k->node->model->tasks && next == HYB_TASK_OTHER)) {
		task = hyb_ktask_get(k, next, e->time);
		if (task)
			label = hyb_ktask_label(k, task);
		/* Tables may have moved. */
		t = thread_of(k, e->task, e->time);
	}
	if (t)
		switch_out(k, t, e, label);
	if (!k->node->model->tasks)
		switch_in(k, next, e, k->node->model->cpus[e->source].number);
}

static void on_waking(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kthread *t = thread_of(k, (uint32_t)e->word[0], e->time);
	uint64_t who;

	if (!t || !is_out(t) || t->waker != HYB_KSTRING_NONE)
		return;
	who = hyb_kcpu_who(k, e);
	t = thread_of(k, (uint32_t)e->word[0], e->time);
	if (t)
		t->waker = who;
}

/* The place of the innermost frame of that kind behind a frame; SIZE_MAX: there is none. */
static size_t find_frame(const struct hyb_kthread *t, uint32_t what)
{
	size_t i = t->depth;

	while (i-- > 0)
		if (t->frames[i].what == what)
			return i;
	return SIZE_MAX;
}

static void on_syscall(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	struct hyb_span span = { .begin = 0 };
	size_t i;

	if (e->what == HYB_KERNEL_SYSCALL_ENTER) {
		/* It comes from the program, so nothing else can be under way. */
		cut_down_to(k, t, 0);
		open_frame(k, t, e->what, e->detail, e->detail, &span);
		return;
	}
	i = find_frame(t, HYB_KERNEL_SYSCALL_ENTER);
	if (i == SIZE_MAX) {
		k->node->repaired++;
		return;
	}
	cut_down_to(k, t, i + 1);
	set_value(&span, LEAVE_VALUES, HYB_ATTRIBUTE_KERNEL_RETURN, e->word[0]);
	if (!k->err)
		close_frame(k, t, k->now, &span);
}

static void on_fault(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	uint32_t kind = e->detail & HYB_FAULT_MAJOR ? FAULT_MAJOR : FAULT_MINOR;
	size_t i = find_frame(t, HYB_KERNEL_FAULT_BEGIN);
	struct hyb_span span = { .begin = 0 };
	struct hyb_gregion *region;

	set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_ADDRESS, e->word[0]);
	if (e->what == HYB_KERNEL_FAULT_BEGIN) {
		/* When the one before was given up nobody knows. */
		if (i != SIZE_MAX && i + 1 == t->depth)
			cut_frame(k, t, t->frames[i].begin);
		set_value(&span, 1, HYB_ATTRIBUTE_KERNEL_INSTRUCTION, e->word[1]);
		if (!k->err)
			open_frame(k, t, e->what, 0, FAULT_MINOR, &span);
		return;
	}
	region = hyb_reading_region(k, HYB_KERNEL_FAULT_BEGIN, kind);
	if (e->detail & HYB_FAULT_NO_BEGIN || i == SIZE_MAX || !region) {
		add_point(k, t, region, &span);
		return;
	}
	cut_down_to(k, t, i + 1);
	t->frames[i].region = region;
	span.attribute[0] = 0;
	if (!k->err)
		close_frame(k, t, k->now, &span);
}

static void on_interrupt(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	bool hard = e->what == HYB_KERNEL_IRQ_ENTER || e->what == HYB_KERNEL_IRQ_EXIT;
	uint32_t what = hard ? HYB_KERNEL_IRQ_ENTER : HYB_KERNEL_SOFTIRQ_ENTER;
	struct hyb_span span = { .begin = 0 };
	size_t i = t->depth;

	if (e->what == what) {
		set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_STACK, hyb_reading_stack(k, e->stack, e->time));
		open_frame(k, t, what, e->detail, e->detail, &span);
		return;
	}
	while (i-- > 0)
		if (t->frames[i].what == what && t->frames[i].id == e->detail)
			break;
	if (i == SIZE_MAX) {
		k->node->repaired++;
		return;
	}
	cut_down_to(k, t, i + 1);
	if (!k->err)
		close_frame(k, t, k->now, &span);
}

static void on_signal(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kthread *t = thread_of(k, e->task, e->time);
	struct hyb_span span = { .begin = 0 };
	struct hyb_ktask_state *to;
	size_t i;

	if (!t)
		return;
	set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_CODE, (uint64_t)(int64_t)(int32_t)(e->word[0] >> 32));
	if (e->what == HYB_KERNEL_SIGNAL_DELIVER) {
		i = find_frame(t, HYB_KERNEL_FAULT_BEGIN);
		if (i != SIZE_MAX)
			cut_down_to(k, t, i);
	} else {
		if (e->word[1] & HYB_SIGNAL_NOT_SENT)
			return;
		to = hyb_ktask_get(k, (uint32_t)e->word[0], e->time);
		if (to)
			set_value(&span, 1, HYB_ATTRIBUTE_KERNEL_TASK, hyb_ktask_label(k, to));
		t = thread_of(k, e->task, e->time);
	}
	if (t)
		add_point(k, t, hyb_reading_region(k, e->what, e->detail), &span);
}

static void on_transfer(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	uint32_t number = 0;
	struct hyb_span span = { .begin = 0 };

	if (e->what == HYB_KERNEL_BLOCK_ISSUE) {
		number = e->detail & HYB_BLOCK_WRITE;
		set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_BYTES, (uint32_t)e->word[0]);
		set_value(&span, 1, HYB_ATTRIBUTE_KERNEL_DEVICE, hyb_reading_device(k, (uint32_t)(e->word[0] >> 32)));
	} else if (e->what != HYB_KERNEL_TCP_RETRANSMIT) {
		set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_BYTES, e->word[0]);
	}
	add_point(k, t, hyb_reading_region(k, e->what, number), &span);
}

/* Of all that was counted the sum so far is of use to readers: they show how fast it grows. */
static void on_counts(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	struct hyb_kernel_process *p = &hyb_merge_of(k->m, t->process)->kernel;
	struct hyb_span span = { .begin = k->now, .end = k->now };
	size_t i;

	if (k->needs)
		return;
	pthread_mutex_lock(&k->m->kernel.lock);
	for (i = 0; i < HYB_KCOUNTS; i++) {
		t->counts[i] += e->word[i];
		p->counts[i] += e->word[i];
	}
	p->counted = true;
	hyb_gmetric_class_use(k->m->kernel.counts);
	pthread_mutex_unlock(&k->m->kernel.lock);
	memcpy(span.value, t->counts, sizeof(t->counts));
	add_span(k, t, &span);
}

/* What the current thread does, or what is done on its back. */
static void on_current(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_kernel_event *e)
{
	must_run(k, t, e->source, e);
	switch (e->what) {
	case HYB_KERNEL_EXIT:
		cut_thread(k, t, k->now);
		t->exits = true;
		break;
	case HYB_KERNEL_SYSCALL_ENTER:
	case HYB_KERNEL_SYSCALL_EXIT:
		on_syscall(k, t, e);
		break;
	case HYB_KERNEL_FAULT_BEGIN:
	case HYB_KERNEL_FAULT_END:
		on_fault(k, t, e);
		break;
	case HYB_KERNEL_IRQ_ENTER:
	case HYB_KERNEL_IRQ_EXIT:
	case HYB_KERNEL_SOFTIRQ_ENTER:
	case HYB_KERNEL_SOFTIRQ_EXIT:
		on_interrupt(k, t, e);
		break;
	case HYB_KERNEL_NET_SEND:
	case HYB_KERNEL_NET_RECV:
	case HYB_KERNEL_TCP_RETRANSMIT:
	case HYB_KERNEL_BLOCK_ISSUE:
		on_transfer(k, t, e);
		break;
	}
}

void hyb_kthread_event(struct hyb_reading *k, const struct hyb_kernel_event *e)
{
	struct hyb_kthread *t;

	switch (e->what) {
	case HYB_KERNEL_SWITCH:
		on_switch(k, e);
		return;
	case HYB_KERNEL_WAKING:
		on_waking(k, e);
		return;
	case HYB_KERNEL_MIGRATE:
		t = thread_of(k, (uint32_t)e->word[0], e->time);
		if (t)
			hyb_kholders_move(k, t, (e->word[0] >> 32) & 0xffff);
		return;
	case HYB_KERNEL_RESUME:
		switch_in(k, e->task, e, e->detail);
		return;
	case HYB_KERNEL_FORK:
		return;
	case HYB_KERNEL_SIGNAL_GENERATE:
	case HYB_KERNEL_SIGNAL_DELIVER:
		on_signal(k, e);
		return;
	}
	t = thread_of(k, e->task, e->time);
	if (!t)
		return;
	if (e->what == HYB_KERNEL_COUNTS)
		on_counts(k, t, e);
	else
		on_current(k, t, e);
}

/*
 * Whether what a thread does is hidden by a gap. A switch that is missing is one away from who had the CPU, or to who
 * has it behind the gap.
 */
static bool is_hidden(const struct hyb_reading *k, const struct hyb_kernel_event *e, const struct hyb_kthread *t,
		      const struct hyb_kthread *behind)
{
	if (t->ended)
		return false;
	/* All threads have one stream: of one that tells of a loss, others may have gone on. */
	if (k->node->model->tasks && e->task)
		return t == behind;
	if (k->node->model->tasks || t->cpu == e->source)
		return t->cpu == e->source;
	/* Where a thread is that has a CPU of which all is known is known, too. */
	return e->detail == HYB_LOST_SWITCH ? t == behind : t->cpu == HYB_KCPU_NONE;
}

void hyb_kthread_gap(struct hyb_reading *k, const struct hyb_kernel_event *e, int64_t until)
{
	const struct hyb_kthread *behind = NULL;
	struct hyb_kthread *t;
	struct hyb_span span;
	int64_t since = k->now;
	size_t i;

	/* What other threads of the stream did meanwhile stands before it. */
	if (k->node->model->tasks && e->task && e->word[1] && hyb_reading_time(k, e->word[1]) < since)
		since = hyb_reading_time(k, e->word[1]);
	if (e->detail == HYB_LOST_SWITCH || k->node->model->tasks)
		behind = thread_of(k, e->task, e->time);
	for (i = 0; i < k->thread_count && !k->err; i++) {
		t = &k->threads[i];
		if (!is_hidden(k, e, t, behind))
			continue;
		/* It goes on with what it is in once it has a CPU again, or has it already: must_run(). */
		if (e->detail != HYB_LOST_SWITCH)
			cut_thread(k, t, since);
		t->ended = t->exits;
		if (!k->node->model->tasks)
			t->cpu = HYB_KCPU_NONE;
		memset(&span, 0, sizeof(span));
		set_value(&span, 0, HYB_ATTRIBUTE_KERNEL_UNTIL, (uint64_t)until);
		set_value(&span, 1, HYB_ATTRIBUTE_KERNEL_LOST, e->lost);
		span.begin = span.end = since;
		span.region = k->m->kernel.lost;
		add_span(k, t, &span);
	}
}

void hyb_kthread_finish(struct hyb_reading *k, int64_t end)
{
	struct hyb_span span;
	size_t i;

	for (i = 0; i < k->thread_count; i++) {
		memset(&span, 0, sizeof(span));
		while (k->threads[i].depth && !k->err)
			close_frame(k, &k->threads[i], end, &span);
	}
}
