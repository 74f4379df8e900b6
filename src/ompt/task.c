/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit tasks. What a task needs to be told again fits the one word that the runtime keeps for it: its region and
 * its number; so nothing is allocated for a task, and nothing has to come back from the thread that ends it.
 *
 * A task that a thread begins to execute is a region on top of what the thread is in: a barrier, a
 * taskwait, another task. It is left when the task ends, is suspended for good (detached), or has
 * gone without a word, as untied tasks do.
 */
#include "ompt/callbacks.h"

#include "core/record/stream.h"

#define REGION_SHIFT	48
#define END_SHIFT	48	/* of a record's word */
#define STREAM_SHIFT	32
#define STREAM_UNKNOWN	UINT64_C(0xffff)

static HYB_HOT uint64_t number_of(uint64_t data)
{
	return data & HYB_OMP_TASK_MASK;
}

static HYB_HOT uint64_t new_number(struct hyb_omp_thread *o)
{
	const struct hyb_stream *stream = hyb_self.stream;
	uint64_t creator = stream && stream->number < STREAM_UNKNOWN ? stream->number : STREAM_UNKNOWN;

	if (hyb_unlikely(!++o->tasks))
		o->tasks = 1;
	return creator << STREAM_SHIFT | o->tasks;
}

static uint32_t flags_of(int flags, int has_dependences)
{
	return (flags & ompt_task_target ? HYB_TASK_TARGET : 0) |
	       (flags & ompt_task_undeferred ? HYB_TASK_UNDEFERRED : 0) |
	       (flags & ompt_task_untied ? HYB_TASK_UNTIED : 0) |
	       (flags & ompt_task_final ? HYB_TASK_FINAL : 0) |
	       (flags & ompt_task_mergeable ? HYB_TASK_MERGEABLE : 0) |
	       (has_dependences ? HYB_TASK_HAS_DEPENDENCES : 0);
}

void hyb_omp_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
			 int has_dependences, const void *code)
{
	uint32_t region;
	uint64_t *p;

	(void)frame;
	if (!task)
		return;
	hyb_omp_settle(creator);
	/* What a taskwait with dependences is made of is never executed. */
	if (!(flags & (ompt_task_explicit | ompt_task_target)) || flags & ompt_task_taskwait) {
		task->value = 0;
		return;
	}
	region = hyb_omp_region(flags & ompt_task_target ? HYB_OMP_TASK_TARGET : HYB_OMP_TASK, code);
	p = hyb_omp_record(HYB_POINT, region);
	task->value = (uint64_t)region << REGION_SHIFT | new_number(&hyb_omp_self);
	if (hyb_unlikely(!p))
		return;
	*p++ = hyb_omp_word(HYB_TASK_CREATE, flags_of(flags, has_dependences));
	*p++ = number_of(task->value);
	hyb_publish(p);
}

/* Where a task of this thread's present team is on the stack; NULL: it is not. */
static struct hyb_omp_open *find_task(struct hyb_omp_thread *o, uint64_t data)
{
	struct hyb_omp_open *at = o->top;

	while (at != o->base && (--at)->kind != HYB_OMP_MEMBER) {
		if (at->kind == HYB_OMP_TASK && at->what == data)
			return at;
	}
	return NULL;
}

static HYB_HOT void begin_task(uint64_t data)
{
	uint64_t *p = hyb_omp_enter(HYB_OMP_TASK, (uint32_t)(data >> REGION_SHIFT), data);

	if (hyb_likely(p != NULL)) {
		*p++ = hyb_omp_word(HYB_TASK_SWITCH, number_of(data));
		hyb_publish(p);
	}
}

static uint64_t end_word(uint64_t data, enum hyb_task_end end)
{
	return hyb_omp_word(HYB_TASK_COMPLETE, (uint64_t)end << END_SHIFT | number_of(data));
}

/*
 * A task that was never begun (cancelled), whose end nobody is in any more (fulfilled from outside), or whose begin was
 * not recorded.
 */
static HYB_COLD void complete_elsewhere(uint64_t data, enum hyb_task_end end)
{
	uint64_t *p = hyb_omp_record(HYB_POINT, (uint32_t)(data >> REGION_SHIFT));

	if (p) {
		*p++ = end_word(data, end);
		hyb_publish(p);
	}
}

/*
 * The end of a task for a status of task_schedule. LLVM's runtime says "cancelled" of each part of an untied task in a
 * cancelled taskgroup, also where another part is still to come.
 */
static HYB_HOT enum hyb_task_end end_of(int status)
{
	return status == ompt_task_cancel ? HYB_TASK_CANCELLED : HYB_TASK_ENDED;
}

/*
 * The thread leaves a task, which is complete unless it was detached, and goes on with what is below it. One that it is
 * not in was discarded if it was cancelled. Then the thread was in the task that it goes on with all the time, and what
 * is above that on the stack is gone. That is recorded before the end: behind it, it would stand there (HYB_LATE), and
 * the task that is gone may have been completed by another thread meanwhile.
 */
static HYB_HOT void end_task(struct hyb_omp_thread *o, uint64_t data, int status, const ompt_data_t *next)
{
	struct hyb_omp_open *open = o->top;
	bool complete = status != ompt_task_detach;
	uint64_t *p;

	if (hyb_likely(open != o->base && (open - 1)->kind == HYB_OMP_TASK && (open - 1)->what == data)) {
		open--;
	} else {
		open = find_task(o, data);
		if (!open) {
			hyb_omp_settle(next);
			if (complete)
				complete_elsewhere(data, status == ompt_task_cancel ? HYB_TASK_DISCARDED :
										      HYB_TASK_ENDED);
			return;
		}
		hyb_omp_unwind(o, open + 1);
	}
	o->top = open;
	if (hyb_unlikely(!open->recorded)) {
		if (complete)
			complete_elsewhere(data, end_of(status));
		return;
	}
	p = hyb_omp_record_end(HYB_LEAVE, open->region, false);
	if (!p)
		return;
	if (complete)
		*p++ = end_word(data, end_of(status));
	*p++ = hyb_omp_word(HYB_TASK_SWITCH, number_of(hyb_omp_task_at(o, open)));
	hyb_publish(p);
}

/*
 * Some thread, which need not be one of OpenMP's, fulfilled the event of a task: that is the end of a task which was
 * left already (detached); else the task ends by itself.
 */
static HYB_COLD void fulfil(uint64_t data, bool early, enum hyb_task_end end)
{
	uint64_t *p = hyb_omp_record(HYB_POINT, (uint32_t)(data >> REGION_SHIFT));

	if (p) {
		*p++ = hyb_omp_word(HYB_TASK_FULFIL, (early ? HYB_TASK_EARLY : 0) | number_of(data));
		hyb_publish(p);
	}
	if (!early)
		complete_elsewhere(data, end);
}

void hyb_omp_task_schedule(ompt_data_t *prior_data, int status, ompt_data_t *next_data)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t prior = prior_data ? prior_data->value : 0;
	uint64_t next = next_data ? next_data->value : 0;

	switch (status) {
	case ompt_taskwait_complete:
		return;
	case ompt_task_early_fulfill:
	case ompt_task_late_fulfill:
		if (prior)
			fulfil(prior, status == ompt_task_early_fulfill, HYB_TASK_ENDED);
		return;
	case ompt_task_complete:
	case ompt_task_cancel:
	case ompt_task_detach:
		/* LLVM's word for a fulfilment, too, where the task's group was cancelled */
		if (prior && !next_data && status == ompt_task_cancel)
			fulfil(prior, find_task(o, prior), HYB_TASK_DISCARDED);
		else if (prior)
			end_task(o, prior, status, next_data);
		break;
	default:
		hyb_omp_settle(prior_data);
	}
	if (!next_data || hyb_omp_task_at(o, o->top) == next)
		return;
	if (!next || find_task(o, next))
		hyb_omp_leave_tasks(o, next);
	else
		begin_task(next);
}

void hyb_omp_task_dependence(ompt_data_t *source, ompt_data_t *sink)
{
	uint64_t *p;

	if (!source || !sink || !source->value || !sink->value)
		return;
	p = hyb_omp_record(HYB_POINT, (uint32_t)(sink->value >> REGION_SHIFT));
	if (!p)
		return;
	*p++ = hyb_omp_word(HYB_TASK_DEPEND, 0);
	*p++ = number_of(source->value);
	*p++ = number_of(sink->value);
	hyb_publish(p);
}

static uint32_t depend_kind(int type)
{
	if (type >= ompt_dependence_type_in && type <= ompt_dependence_type_inoutset)
		return (uint32_t)type;
	if (type == ompt_dependence_type_out_all_memory)
		return HYB_DEPEND_OUT_ALL;
	return type == ompt_dependence_type_inout_all_memory ? HYB_DEPEND_INOUT_ALL : 0;
}

#define DEPENDENCES_IN_GROUP ((HYB_GROUP_MAX - 1) / 3)

/*
 * What a task depends on, as its directive says it; an ordered construct's iterations have no task of their own and
 * are shown as the implicit task's.
 */
void hyb_omp_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count)
{
	uint64_t data = task ? task->value : 0;
	uint64_t *p;

	for (int i = 0; i < count;) {
		p = hyb_omp_record(HYB_POINT, (uint32_t)(data >> REGION_SHIFT));
		if (!p)
			return;
		for (int end = i + DEPENDENCES_IN_GROUP; i < count && i < end; i++) {
			*p++ = hyb_omp_word(HYB_DEPENDENCE, depend_kind(list[i].dependence_type));
			*p++ = number_of(data);
			*p++ = list[i].variable.value;
		}
		hyb_publish(p);
	}
}
