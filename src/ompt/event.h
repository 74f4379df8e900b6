/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hot path of OpenMP's events: what core/record/record.h is to MPI's wrappers. A callback finds its region in the
 * thread's own table, puts one group of records into the stream, and keeps the stack of what is open, so that every
 * Enter gets its Leave whatever tasks do. No lock, no allocation, no system call but for what is marked cold.
 */
#ifndef HYB_OMPT_EVENT_H
#define HYB_OMPT_EVENT_H

#include "ompt/ompt.h"
#include "core/process/process.h"
#include "core/record/objects.h"
#include "core/record/record.h"
#include "core/record/stack.h"
#include "core/record/thread.h"

/* The constructs, as regions: HYB_OMP_KIND(NAME, role, name) in kinds.h. */
enum hyb_omp_kind {
	HYB_OMP_NONE = 0,
#define HYB_OMP_KIND(kind, role, name) HYB_OMP_##kind,
#include "ompt/kinds.h"
#undef HYB_OMP_KIND
	HYB_OMP_KINDS,
};

/* Something that the thread has begun and not ended. */
struct hyb_omp_open {
	uint64_t what;		/* task: its data; parallel: its data; member: the parallel's region; lock: its own */
	uint64_t task;		/* data of the task that is executed in it, 0: an implicit one */
	uint32_t region;	/* 0: it is none */
	uint16_t kind;
	bool recorded;		/* its Enter was written, so its Leave will be */
	bool team_over;		/* parallel: with its Leave the thread leaves the team, too */
};

struct hyb_omp_place {		/* of a thread's table of regions */
	uint64_t key;		/* kind and code pointer, 0: free */
	uint32_t region;
	uint32_t object;	/* in which the code was when the region was defined */
};

struct hyb_omp_parallel;
struct hyb_omp_team;
struct hyb_omp_lock;

struct hyb_omp_held {		/* a lock that the thread has */
	struct hyb_omp_lock *lock;
	uint64_t order;
};

#define HYB_OMP_LOCKS 64	/* that a thread finds at once */

/* What a thread needs beside its stream; goes to another OpenMP thread when this one ends. */
struct hyb_omp_thread {
	struct hyb_omp_open *top;	/* the next free one */
	struct hyb_omp_open *base;
	struct hyb_omp_open *limit;
	struct hyb_omp_place *places;
	uint32_t mask;			/* of places: their number, less one */
	uint32_t places_turn;		/* hyb_objects_turn in which they hold */
	uint32_t used;
	uint32_t tasks;			/* numbers given out */
	const uint64_t *last_end;	/* of the record that was kept, see hyb_omp_keep; NULL: there is none */
	uint64_t last;			/* its last word */
	uint64_t last_time;		/* of the last event */
	/* the record behind the one that was kept has its time, if it is one of these */
	enum hyb_record_type last_next;
	struct hyb_omp_parallel *parallels;	/* not in use */
	struct hyb_omp_team *team;		/* the one that it was in last, */
	uint64_t team_key;			/* and how it is found: see team.c */
	struct hyb_omp_held *held;
	uint32_t held_count;
	uint32_t held_room;
	const void *code;		/* see hyb_omp_take_code */
	uint32_t discards;		/* points that wait, see hyb_omp_cancel; */
	uint32_t discard_region;	/* of each, */
	int discard_flags;		/* and its flags */
	struct hyb_omp_lock **locks;	/* HYB_OMP_LOCKS, by hash of their address */
};

extern __thread struct hyb_omp_thread hyb_omp_self __attribute__((tls_model("initial-exec")));

/* thread.c: room for one more open region; false without memory. */
bool hyb_omp_grow(struct hyb_omp_thread *o) HYB_COLD;
/* thread.c: closes what lies above `to`: a task that left without a word, an end that never came. */
void hyb_omp_unwind(struct hyb_omp_thread *o, struct hyb_omp_open *to) HYB_COLD;
/* thread.c: ends all that the thread has open. */
void hyb_omp_end_all(void) HYB_COLD;
/* thread.c: closes the tasks above that of `data`, 0: all of the present team; nothing where that task is not there. */
void hyb_omp_leave_tasks(struct hyb_omp_thread *o, uint64_t data) HYB_COLD;
/* thread.c: the same, where they were left some time ago, without a word; then the points that wait. */
void hyb_omp_catch_up(struct hyb_omp_thread *o, uint64_t data) HYB_COLD;
/* thread.c: records a cancellation; and the points that wait. */
void hyb_omp_cancel_point(uint32_t region, int flags) HYB_COLD;
void hyb_omp_tell_discards(struct hyb_omp_thread *o) HYB_COLD;
/* region.c: the region of a construct at a place that the thread has not seen since a library was unloaded. */
uint32_t hyb_omp_new_region(struct hyb_omp_thread *o, enum hyb_omp_kind kind, const void *code) HYB_COLD;

#define HYB_OMP_LEFT_OUT UINT32_MAX	/* the region of what HYBMON_FILTER leaves out */

#define HYB_OMP_KIND_SHIFT 56
#define HYB_OMP_KEY(kind, code) ((uint64_t)(kind) << HYB_OMP_KIND_SHIFT ^ (uint64_t)(uintptr_t)(code))
#define HYB_OMP_HASH(key) (((key) * UINT64_C(0x9e3779b97f4a7c15)) >> 32)

/* Instead of a code pointer: the place of the construct that a region is of. No code lies so low. */
#define HYB_OMP_PLACE_OF(region) ((const void *)(uintptr_t)(region))
#define HYB_OMP_PLACES_OF UINT64_C(0x10000)

/* The code of the region that was asked for last, for its Enter; NULL: it has none that is known. */
static HYB_HOT const void *hyb_omp_take_code(void)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	const void *code = o->code;

	o->code = NULL;
	return (uint64_t)(uintptr_t)code < HYB_OMP_PLACES_OF ? NULL : code;
}

/* The region of a construct whose code returns to `code`. */
static HYB_HOT uint32_t hyb_omp_region(enum hyb_omp_kind kind, const void *code)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t key = HYB_OMP_KEY(kind, code);
	const struct hyb_omp_place *places = o->places;

	o->code = code;
	if (hyb_unlikely(!places || o->places_turn != __atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED)))
		return hyb_omp_new_region(o, kind, code);
	for (uint64_t i = HYB_OMP_HASH(key);; i++) {
		const struct hyb_omp_place *place = &places[i & o->mask];

		if (hyb_likely(place->key == key))
			return place->region;
		if (!place->key)
			return hyb_omp_new_region(o, kind, code);
	}
}

/* Nothing was recorded since hyb_omp_keep. The place alone does not tell: chunks take turns in the same memory. */
static HYB_HOT bool hyb_omp_is_kept(const struct hyb_omp_thread *o, const struct hyb_thread *t)
{
	return o->last_end && o->last_end == t->pos && t->pos[-1] == o->last;
}

/* The time of a record of that type. same: that of the one before, if that was kept for such a one. */
static HYB_HOT uint64_t hyb_omp_now(const struct hyb_thread *t, enum hyb_record_type type, bool same)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;

	if (same && o->last_next == type && hyb_omp_is_kept(o, t))
		return o->last_time;
	return hyb_counter();
}

/* The first word of a group behind t->pos; NULL if there is no space. */
static HYB_HOT uint64_t *hyb_omp_head(struct hyb_thread *t, enum hyb_record_type type, uint32_t id, uint64_t now)
{
	hyb_omp_self.last_time = now;
	if (hyb_unlikely(t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch)) {
		if (!hyb_thread_make_room(t, now))
			return NULL;
	}
	*t->pos = hyb_head(type, id, now);
	return t->pos + 1;
}

/*
 * Begins a group of records, unpublished; NULL if it is not to be recorded: recording is off, there is no space, or
 * the thread is inside of an MPI call, whose own group may not be whole. same: see hyb_omp_now.
 */
static HYB_HOT uint64_t *hyb_omp_record_at(enum hyb_record_type type, uint32_t id, bool same)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t *p;

	if (hyb_is_off(HYB_RECORDING_ON) || hyb_unlikely(id == HYB_OMP_LEFT_OUT))
		return NULL;
	if (hyb_unlikely(t->frame != NULL) &&
	    hyb_frame_nested(t, (uintptr_t)__builtin_frame_address(0), __builtin_return_address(0)))
		return NULL;
	if (type == HYB_ENTER)
		hyb_count_enter(t, HYB_COUNTED_OMP);
	p = hyb_omp_head(t, type, id, hyb_omp_now(t, type, same));
	if (type == HYB_ENTER && p && hyb_stacks_are_on())
		p = hyb_stack_put(id, p, HYB_STACK_RUNTIME, hyb_omp_take_code());
	return p;
}

static HYB_HOT uint64_t *hyb_omp_record(enum hyb_record_type type, uint32_t id)
{
	return hyb_omp_record_at(type, id, false);
}

/* Whether the end of something that was recorded is: also while recording is switched off, but not after its end. */
static HYB_HOT bool hyb_omp_may_end(struct hyb_thread *t)
{
	if (hyb_is_off(HYB_RECORDING_ON) && (!t->pos || !hyb_process_is_recording()))
		return false;
	/* An MPI call that was left by longjmp ends before what it was in. */
	if (hyb_unlikely(t->frame != NULL))
		hyb_frame_publish_outer((uintptr_t)__builtin_frame_address(0), __builtin_return_address(0));
	return true;
}

/* Begins the group of such an end, unpublished. */
static HYB_HOT uint64_t *hyb_omp_record_end(enum hyb_record_type type, uint32_t id, bool same)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now;

	if (!hyb_omp_may_end(t))
		return NULL;
	now = hyb_omp_now(t, type, same);
	if (type == HYB_LEAVE)
		hyb_count_leave(t, HYB_COUNTED_OMP, now);
	return hyb_omp_head(t, type, id, now);
}

static HYB_HOT uint64_t hyb_omp_word(enum hyb_record_type type, uint64_t payload)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | payload;
}

/* The task that is executed where `at` is the top of the stack; 0: an implicit one. */
static HYB_HOT uint64_t hyb_omp_task_at(const struct hyb_omp_thread *o, const struct hyb_omp_open *at)
{
	return at == o->base ? 0 : (at - 1)->task;
}

/* Puts something on the stack of what is open. */
static HYB_HOT void hyb_omp_push(enum hyb_omp_kind kind, uint32_t region, uint64_t what, bool recorded)
{
	struct hyb_omp_thread *o = &hyb_omp_self;

	if (hyb_unlikely(o->top == o->limit) && !hyb_omp_grow(o))
		return;
	o->top->task = kind == HYB_OMP_TASK ? what : kind == HYB_OMP_MEMBER ? 0 : hyb_omp_task_at(o, o->top);
	o->top->what = what;
	o->top->region = region;
	o->top->kind = (uint16_t)kind;
	o->top->recorded = recorded;
	o->top->team_over = false;
	o->top++;
}

/*
 * The runtime says which task is being executed: those above it are gone. An untied task leaves its thread without a
 * word, and what comes then is not inside of it.
 */
static HYB_HOT void hyb_omp_settle(const ompt_data_t *task)
{
	struct hyb_omp_thread *o = &hyb_omp_self;

	if (hyb_unlikely(task && (hyb_omp_task_at(o, o->top) != task->value || o->discards)))
		hyb_omp_catch_up(o, task->value);
}

/*
 * The innermost open one of a kind, with nothing above it; NULL if there is none. What is outside of the thread's
 * present team is another construct's, and what is outside of its present task another task's: one that moved here
 * in the middle of a construct ends what is open on another thread.
 */
static HYB_HOT struct hyb_omp_open *hyb_omp_innermost(enum hyb_omp_kind kind)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	struct hyb_omp_open *at = o->top;

	while (at != o->base && (at - 1)->kind != kind) {
		at--;
		if ((at->kind == HYB_OMP_MEMBER && kind != HYB_OMP_PARALLEL) ||
		    (at->kind == HYB_OMP_TASK && kind != HYB_OMP_PARALLEL && kind != HYB_OMP_MEMBER))
			return NULL;
	}
	if (at == o->base)
		return NULL;
	if (hyb_unlikely(at != o->top))
		hyb_omp_unwind(o, at);
	return at - 1;
}

/*
 * Enters a region; what is attached follows at what it returns, which may be NULL. kind: one for all constructs of a
 * sort, since runtimes do not always say the same of one at its end.
 */
static HYB_HOT uint64_t *hyb_omp_enter(enum hyb_omp_kind kind, uint32_t region, uint64_t what)
{
	uint64_t *p = hyb_omp_record(HYB_ENTER, region);

	hyb_omp_push(kind, region, what, p != NULL);
	return p;
}

/* Leaves what hyb_omp_innermost found; returns as hyb_omp_leave. */
static HYB_HOT uint64_t *hyb_omp_leave_open(struct hyb_omp_open *open, bool same)
{
	if (hyb_unlikely(!open))
		return NULL;
	hyb_omp_self.top = open;
	if (hyb_unlikely(!open->recorded))
		return NULL;
	return hyb_omp_record_end(HYB_LEAVE, open->region, same);
}

/*
 * Leaves the innermost region of a kind; what is attached follows at what it returns, NULL if there is nothing to be
 * recorded.
 */
static HYB_HOT uint64_t *hyb_omp_leave(enum hyb_omp_kind kind)
{
	return hyb_omp_leave_open(hyb_omp_innermost(kind), false);
}

/* Publishes what ends at p, if there is anything. */
static HYB_HOT void hyb_omp_publish(uint64_t *p)
{
	if (hyb_likely(p != NULL))
		hyb_publish(p);
}

/*
 * The record that ends at p was published; NULL: there is none. If nothing is recorded before it, a record of type
 * `next` that is written with `same` has its time; 0: none.
 */
static HYB_HOT void hyb_omp_keep(const uint64_t *p, enum hyb_record_type next)
{
	struct hyb_omp_thread *o = &hyb_omp_self;

	o->last_end = p;
	o->last_next = next;
	if (hyb_likely(p != NULL))
		o->last = p[-1];
}

/*
 * Leaves what hyb_omp_innermost found, with nothing attached, and publishes that. Where its Enter was kept, has nothing
 * attached and was a short time ago, the two become one record in its place, as in hyb_leave_call. Returns where what
 * was written ends, NULL if nothing was.
 */
static HYB_HOT const uint64_t *hyb_omp_leave_bare(struct hyb_omp_open *open, bool same)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	struct hyb_thread *t = &hyb_self;
	uint64_t now, begin;
	uint64_t *p;

	if (hyb_unlikely(!open))
		return NULL;
	o->top = open;
	if (hyb_unlikely(!open->recorded || !hyb_omp_may_end(t)))
		return NULL;
	now = hyb_omp_now(t, HYB_LEAVE, same);
	if (hyb_likely(o->last >> HYB_ID_SHIFT == hyb_head(HYB_ENTER, open->region, 0) >> HYB_ID_SHIFT &&
		       hyb_omp_is_kept(o, t))) {
		begin = t->epoch << HYB_TIME_BITS | (o->last & HYB_TIME_MASK);
		if (hyb_fits_call(t, open->region, begin, now) && !hyb_kernel_moved(t)) {
			o->last_time = now;
			/* Readers that have seen the Enter look at it again: see format.h. */
			__atomic_store_n(t->pos - 1, hyb_call(open->region, begin, now), __ATOMIC_RELEASE);
			return t->pos;
		}
	}
	hyb_count_leave(t, HYB_COUNTED_OMP, now);
	p = hyb_omp_head(t, HYB_LEAVE, open->region, now);
	hyb_omp_publish(p);
	return p;
}

/*
 * Before a barrier or a construct that shares work. Of a single construct by GCC, LLVM's runtime tells the begin and
 * not the end; none of those may be in it, so here at the latest it is over.
 */
static HYB_HOT void hyb_omp_end_single(void)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;

	if (hyb_unlikely(o->top != o->base && (o->top - 1)->kind == HYB_OMP_SINGLE))
		hyb_omp_publish(hyb_omp_leave(HYB_OMP_SINGLE));
}

/* A construct of sort `sort` that a task comes to or leaves, without anything attached. */
static HYB_HOT void hyb_omp_scope(enum hyb_omp_kind sort, enum hyb_omp_kind kind, int endpoint,
				  const ompt_data_t *task, const void *code)
{
	hyb_omp_settle(task);
	if (endpoint & ompt_scope_begin)
		hyb_omp_publish(hyb_omp_enter(sort, hyb_omp_region(kind, code), 0));
	if (endpoint & ompt_scope_end)
		hyb_omp_publish(hyb_omp_leave(sort));
}

#define HYB_OMP_TASK_MASK ((UINT64_C(1) << 48) - 1)	/* of a task's data: its number; above, its region */

#endif
