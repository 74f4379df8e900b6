/* SPDX-License-Identifier: BSD-3-Clause */
/* What each OpenMP thread has, and the slow paths of its stack; see event.h. */
#include "ompt/callbacks.h"

#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"

#define STACK_FIRST 64

__thread struct hyb_omp_thread hyb_omp_self;

bool hyb_omp_grow(struct hyb_omp_thread *o)
{
	size_t depth = (size_t)(o->top - o->base);
	size_t room = depth ? 2 * depth : STACK_FIRST;
	struct hyb_omp_open *stack = hyb_alloc_apart(room * sizeof(*stack));

	if (!stack)
		return false;
	hyb_self.unguarded = true;
	if (depth)
		memcpy(stack, o->base, depth * sizeof(*stack));
	o->base = stack;
	o->top = stack + depth;
	o->limit = stack + room;
	return true;
}

/*
 * The end of something whose own end did not come: it was at some time since the thread's last record, which is the
 * time that readers are to take.
 */
static void end_one(struct hyb_omp_thread *o, const struct hyb_omp_open *open, bool late)
{
	uint64_t *p;

	if (!open->recorded)
		return;
	p = hyb_omp_record_end(open->region ? HYB_LEAVE : HYB_POINT, open->region, false);
	if (!p)
		return;
	if (late)
		*p++ = hyb_omp_word(HYB_LATE, 0);
	if (open->kind == HYB_OMP_TASK)
		*p++ = hyb_omp_word(HYB_TASK_SWITCH, hyb_omp_task_at(o, open) & HYB_OMP_TASK_MASK);
	if (open->kind == HYB_OMP_MEMBER || open->team_over)
		*p++ = hyb_omp_word(HYB_TEAM_END, 0);
	if (open->kind == HYB_OMP_PARALLEL)
		*p++ = hyb_omp_word(HYB_JOIN, 0);
	hyb_publish(p);
	hyb_omp_keep(NULL, 0);
}

static void unwind(struct hyb_omp_thread *o, const struct hyb_omp_open *to, bool late)
{
	while (o->top != to) {
		o->top--;
		end_one(o, o->top, late);
	}
}

void hyb_omp_unwind(struct hyb_omp_thread *o, struct hyb_omp_open *to)
{
	unwind(o, to, true);
}

void hyb_omp_cancel_point(uint32_t region, int flags)
{
	uint64_t *p = hyb_omp_record(HYB_POINT, region);

	if (p) {
		*p++ = hyb_omp_word(HYB_CANCEL, (uint32_t)flags);
		hyb_publish(p);
	}
}

void hyb_omp_tell_discards(struct hyb_omp_thread *o)
{
	for (; o->discards; o->discards--)
		hyb_omp_cancel_point(o->discard_region, o->discard_flags);
}

void hyb_omp_end_all(void)
{
	hyb_omp_tell_discards(&hyb_omp_self);
	unwind(&hyb_omp_self, hyb_omp_self.base, false);
}

static void leave_tasks(struct hyb_omp_thread *o, uint64_t data, bool late)
{
	struct hyb_omp_open *at = o->top;
	struct hyb_omp_open *lowest = NULL;
	bool found = !data;

	while (at != o->base && (--at)->kind != HYB_OMP_MEMBER) {
		if (at->kind != HYB_OMP_TASK)
			continue;
		if (at->what == data) {
			found = true;
			break;
		}
		lowest = at;
	}
	if (found && lowest)
		unwind(o, lowest, late);
}

void hyb_omp_leave_tasks(struct hyb_omp_thread *o, uint64_t data)
{
	leave_tasks(o, data, false);
}

void hyb_omp_catch_up(struct hyb_omp_thread *o, uint64_t data)
{
	leave_tasks(o, data, true);
	hyb_omp_tell_discards(o);
}

/* What threads that ended have left. Memory is never given back, so that programs that make threads use it again. */
struct spare {
	struct spare *next;
	struct hyb_omp_thread state;
};

static struct {
	int lock;
	struct spare *full;
	struct spare *empty;	/* structs whose contents have been taken */
} spares;

/* Not so in a child made by fork, where a thread that is not there may hold the lock. */
static bool is_recorded(void)
{
	return hyb_process_is_recording();
}

void hyb_omp_thread_begin(int type, ompt_data_t *data)
{
	struct spare *spare;
	uint64_t signals;

	(void)type;
	(void)data;
	if (hyb_omp_self.base || !is_recorded())
		return;
	hyb_sys_lock(&spares.lock, &signals);
	spare = spares.full;
	if (spare) {
		hyb_omp_self = spare->state;
		/* Of another stream, which may have lain where this one does. */
		hyb_omp_keep(NULL, 0);
		spares.full = spare->next;
		spare->next = spares.empty;
		spares.empty = spare;
	}
	hyb_sys_unlock(&spares.lock, &signals);
}

void hyb_omp_thread_end(ompt_data_t *data)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	struct spare *spare;
	uint64_t signals;

	(void)data;
	if (!o->base)
		return;
	hyb_omp_end_all();
	if (!is_recorded())
		return;
	hyb_sys_lock(&spares.lock, &signals);
	spare = spares.empty;
	if (spare)
		spares.empty = spare->next;
	else
		spare = hyb_alloc(sizeof(*spare));
	if (spare) {
		spare->state = *o;
		spare->next = spares.full;
		spares.full = spare;
	}
	hyb_sys_unlock(&spares.lock, &signals);
	memset(o, 0, sizeof(*o));
}
