/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks. libgomp copies what a task needs, its data, and calls the task's code with the copy. It gets ours instead, with
 * a head of ours before the data: which task it is, and what to call. Nothing is allocated for that.
 *
 * libgomp reads or writes words at the beginning of the data: the event of a task that is detached, the first and
 * last iteration of a taskloop's task, and what its reductions are. So these are the head's first words, too, and go
 * to the task's data when it begins.
 *
 * Where the program gives no function that copies, libgomp's own copying serves, and ours for large data. libgomp
 * discards tasks of a cancelled group only if no such function was called for them. So where there may be cancellation
 * ours is always given, and discards by the same rule, and so knows of it.
 */
#include "ompt/gomp/work.h"

#include <string.h>

#include "core/sys/trie.h"

#define WORDS 3			/* that libgomp knows of */
#define ON_STACK 4096		/* so much data is copied an additional time, on the stack */

struct head {
	uint64_t words[WORDS];	/* as the program's data has them; libgomp writes the first ones */
	void (*code)(void *data);
	ompt_data_t task;
	const void *place;	/* its creation is told when it is copied; NULL: it was told */
	int flags;
	bool discards;		/* if its group is cancelled when it would begin */
	bool detached;		/* the first word is its event, */
	bool noted;		/* which is in the table */
	uint32_t size;		/* of the head, with what comes before the data for the sake of its alignment */
	uint32_t written;	/* how many words libgomp writes */
};

/* What our function that copies is given. */
struct order {
	struct head head;
	const void *from;
	size_t size;
	void (*copy)(void *to, void *from);
	bool copied;
};

enum {	/* libgomp's flags */
	UNTIED = 1 << 0, FINAL = 1 << 1, MERGEABLE = 1 << 2, DEPENDS = 1 << 3, UP = 1 << 8, IF = 1 << 10, NO_GROUP = 1 << 11,
	DETACHED = 1 << 13,
};

static HYB_HOT int flags_of(unsigned int flags, bool deferred)
{
	return ompt_task_explicit | (flags & UNTIED ? ompt_task_untied : 0) | (flags & FINAL ? ompt_task_final : 0) |
	       (flags & MERGEABLE ? ompt_task_mergeable : 0) | (deferred ? 0 : ompt_task_undeferred);
}

static HYB_HOT uint64_t present_task(void)
{
	return hyb_omp_task_at(&hyb_omp_self, hyb_omp_self.top);
}

/* The event of a detached task, of which the task's end is one half and the event's fulfilment the other. */
struct event {
	struct hyb_node node;	/* its key is the event */
	uint64_t task;
	unsigned int halves;
};

enum { ENDED = 1, FULFILLED = 2 };

static struct hyb_trie events;

/* An event is a task's address, so it comes again: both halves are forgotten when the task is whole. */
static HYB_COLD struct event *find_event(uint64_t event)
{
	return (struct event *)hyb_trie_add(&events, event, sizeof(struct event));
}

/* Before anybody knows the event, or when its task begins: then it may be fulfilled already. */
static HYB_COLD struct event *note_event(struct head *head)
{
	struct event *event = find_event(head->words[0]);

	if (event)
		__atomic_store_n(&event->task, head->task.value, __ATOMIC_RELAXED);
	head->noted = true;
	return event;
}

/* Whether this half is the second. */
static bool is_whole(struct event *event, unsigned int half)
{
	if (!(__atomic_fetch_or(&event->halves, half, __ATOMIC_ACQ_REL) & ~half))
		return false;
	__atomic_store_n(&event->task, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&event->halves, 0, __ATOMIC_RELEASE);
	return true;
}

static HYB_COLD void tell_fulfilment(uint64_t fulfilled)
{
	struct event *event = find_event(fulfilled);
	ompt_data_t task;
	bool late;

	if (!event)
		return;
	task.value = __atomic_load_n(&event->task, __ATOMIC_RELAXED);
	late = is_whole(event, FULFILLED);
	if (task.value)
		hyb_omp_task_schedule(&task, late ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
}

/* Fortran's hands over the event itself, too. */
#define FULFIL(id) \
	void hyb_gomp_##id(uint64_t event); \
	void hyb_gomp_##id(uint64_t event) \
	{ \
		if (hyb_gomp_is_on()) \
			tell_fulfilment(event); \
		HYB_GOMP_NEXT(id, void (*)(uint64_t))(event); \
	}
FULFIL(omp_fulfill_event)
FULFIL(omp_fulfill_event_)

/* Whether the present task's group or team is cancelled. */
static HYB_COLD bool is_cancelled(void)
{
	enum { TASKGROUP = 8 };

	return hyb_gomp_ask.cancellation_point(TASKGROUP);
}

/* What libgomp calls in the place of the task's code. */
static void do_task(void *copy)
{
	struct head *head = copy;
	void *data = (char *)copy + head->size;
	struct event *event = NULL;
	ompt_data_t before;
	bool on = hyb_gomp_is_on();
	bool rested, detaches;

	memcpy(data, head->words, head->written * sizeof(head->words[0]));
	rested = on && hyb_gomp_wake(hyb_gomp_self.seat);
	if (hyb_unlikely(!on || hyb_gomp_self.off)) {
		head->code(data);
		return;
	}
	before.value = present_task();
	if (hyb_unlikely(head->discards && is_cancelled())) {
		hyb_omp_task_schedule(&head->task, ompt_task_cancel, &before);
		goto rest;
	}
	if (hyb_unlikely(head->detached))
		event = head->noted ? find_event(head->words[0]) : note_event(head);
	hyb_omp_task_schedule(&before, ompt_task_switch, &head->task);
	head->code(data);
	detaches = hyb_unlikely(event != NULL) && !is_whole(event, ENDED);
	hyb_omp_task_schedule(&head->task, detaches ? ompt_task_detach : ompt_task_complete, &before);
rest:
	if (rested)
		hyb_gomp_rest(hyb_gomp_self.seat);
}

static HYB_HOT void fill_head(struct head *head, void (*code)(void *), const void *data, size_t size, size_t alignment,
			      uint32_t written)
{
	const size_t words = size / sizeof(head->words[0]);

	if (size)
		memcpy(head->words, data, size < sizeof(head->words) ? size : sizeof(head->words));
	head->code = code;
	head->task.value = 0;
	head->place = NULL;
	head->discards = false;
	head->detached = false;
	head->noted = false;
	head->size = (uint32_t)((sizeof(*head) + alignment - 1) & ~(alignment - 1));
	head->written = written < words ? written : (uint32_t)words;
}

/* Our function that copies: of a taskloop each copy is another task. */
static void copy_task(void *to, void *from)
{
	struct order *order = from;
	struct head *head = to;
	char *data = (char *)to + order->head.size;

	*head = order->head;
	order->copied = true;
	if (head->place)
		hyb_omp_task_create(NULL, NULL, &head->task, head->flags, 0, head->place);
	head->place = NULL;
	if (hyb_unlikely(head->detached))
		note_event(head);
	if (order->copy)
		order->copy(data, (void *)(uintptr_t)order->from);
	else if (order->size)
		memcpy(data, order->from, order->size);
}

static HYB_HOT bool may_cancel(void)
{
	return hyb_gomp_ask.cancellation && hyb_gomp_ask.cancellation_point && hyb_gomp_ask.cancellation();
}

static HYB_HOT size_t aligned(long alignment)
{
	return alignment > (long)_Alignof(struct head) ? (size_t)alignment : _Alignof(struct head);
}

/* A depend object: the address and a number for its kind, of which GCC has the first ones. */
static void tell_object(ompt_data_t *task, void *const *object)
{
	static const int kinds[] = { 0, ompt_dependence_type_in, ompt_dependence_type_out, ompt_dependence_type_inout,
				     ompt_dependence_type_mutexinoutset, ompt_dependence_type_inoutset };
	uint64_t kind = (uint64_t)(uintptr_t)object[1];
	ompt_dependence_t d = { .dependence_type = kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : 0 };

	d.variable.ptr = object[0];
	hyb_omp_dependences(task, &d, 1);
}

/* An older way, and one with all kinds: of each how many, and depend objects behind those. */
void hyb_gomp_tell_dependences(ompt_data_t *task, void **depend)
{
	static const int kinds[] = { ompt_dependence_type_inout, ompt_dependence_type_mutexinoutset,
				     ompt_dependence_type_in };
	ompt_dependence_t d;
	uint64_t count = (uint64_t)(uintptr_t)depend[0];
	uint64_t left[3] = { 0 };
	void **at = depend + 2;
	unsigned int kind = 0;

	if (count) {
		left[0] = (uint64_t)(uintptr_t)depend[1];
		left[2] = count - left[0];
	} else {
		count = (uint64_t)(uintptr_t)depend[1];
		for (int i = 0; i < 3; i++)
			left[i] = (uint64_t)(uintptr_t)depend[2 + i];
		at = depend + 5;
	}
	for (uint64_t i = 0; i < count; i++) {
		while (kind < 3 && !left[kind])
			kind++;
		if (kind == 3) {
			tell_object(task, at[i]);
			continue;
		}
		left[kind]--;
		d.variable.ptr = at[i];
		d.dependence_type = kinds[kind];
		hyb_omp_dependences(task, &d, 1);
	}
}

/*
 * As many words are passed on as these functions have arguments, and two that a later libgomp may have given them.
 */
typedef void (*next_t)(void (*code)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, long a,
		       long b, long c, long d, long e, long f, long g, long h);
#define ARGUMENTS void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, long a, \
		  long b, long c, long d, long e, long f, long g, long h
#define PASSED a, b, c, d, e, f, g, h

/* By libgomp's own copying: with the data behind the head. */
static void pass_block(next_t next, const struct head *head, ARGUMENTS)
{
	size_t align = aligned(alignment);
	char *block = __builtin_alloca(head->size + (size_t)size + align);
	char *at = (char *)(((uintptr_t)block + align - 1) & ~(align - 1));

	(void)function;
	(void)copy;
	memcpy(at, head, sizeof(*head));
	if (size)
		memcpy(at + head->size, data, (size_t)size);
	next(do_task, at, NULL, size + (long)head->size, (long)align, PASSED);
}

/* By our function. False: the task was not even made, since its group is cancelled. */
static bool pass_order(next_t next, const struct head *head, ARGUMENTS)
{
	struct order order = { .head = *head, .from = data, .size = (size_t)size, .copy = copy };

	(void)function;
	next(do_task, &order, copy_task, size + (long)head->size, (long)aligned(alignment), PASSED);
	return order.copied;
}

static HYB_COLD void tell_discarded(ompt_data_t *task)
{
	ompt_data_t present = { .value = present_task() };

	hyb_omp_task_schedule(task, ompt_task_cancel, &present);
}

void hyb_gomp_GOMP_task(ARGUMENTS);
void hyb_gomp_GOMP_task(ARGUMENTS)
{
	const void *place = HYB_GOMP_SITE;
	const next_t next = HYB_GOMP_NEXT(GOMP_task, next_t);
	const unsigned int flags = (unsigned int)b;
	bool depends = flags & DEPENDS;
	struct head head;
	bool cancels;

	if (hyb_unlikely(!hyb_gomp_is_on() || !hyb_gomp_wants(HYB_OMP_GROUP_TASK))) {
		next(function, data, copy, size, alignment, PASSED);
		return;
	}
	fill_head(&head, function, data, (size_t)size, aligned(alignment), flags & DETACHED ? 1 : 0);
	hyb_omp_task_create(NULL, NULL, &head.task, flags_of(flags, (bool)a), depends, place);
	if (hyb_unlikely(depends && hyb_gomp_wants(HYB_OMP_GROUP_DEPEND)))
		hyb_gomp_tell_dependences(&head.task, (void **)c);
	head.detached = flags & DETACHED;
	/*
	 * What is detached waits for its event, unless libgomp itself discards it. Then its event is known only when it
	 * begins; whoever fulfils it before that does not know of what task.
	 */
	cancels = !copy && may_cancel();
	head.discards = cancels && !head.detached;
	if (hyb_likely(!copy && (head.detached ? cancels : !cancels && size <= ON_STACK)))
		pass_block(next, &head, function, data, copy, size, alignment, PASSED);
	else if (!pass_order(next, &head, function, data, copy, size, alignment, PASSED))
		tell_discarded(&head.task);
}

static void taskloop(next_t next, uint64_t count, const void *place, ARGUMENTS)
{
	const unsigned int flags = (unsigned int)a;
	const bool group = !(flags & NO_GROUP);
	struct head head;

	/* as if the loop were in a taskgroup; libgomp waits for that in the same call */
	if (group)
		hyb_gomp_sync(ompt_sync_region_taskgroup, ompt_scope_begin, place);
	if (hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		hyb_omp_work(ompt_work_taskloop, ompt_scope_begin, NULL, NULL, count, place);
	fill_head(&head, function, data, (size_t)size, aligned(alignment), 2);
	head.place = place;
	head.flags = flags_of(flags, flags & IF);
	head.discards = !copy && may_cancel();
	if (!hyb_gomp_wants(HYB_OMP_GROUP_TASK))
		next(function, data, copy, size, alignment, PASSED);
	else
		pass_order(next, &head, function, data, copy, size, alignment, PASSED);
	if (hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		hyb_omp_work(ompt_work_taskloop, ompt_scope_end, NULL, NULL, 0, place);
	if (group)
		hyb_gomp_sync(ompt_sync_region_taskgroup, ompt_scope_end, place);
}

#define COUNT(start, end, step) hyb_gomp_count(start, end, step)
#define COUNT_ULL(start, end, step) \
	hyb_gomp_count_ull((unsigned int)a & UP, (uint64_t)(start), (uint64_t)(end), (uint64_t)(step))
#define HYB_GOMP_TASKLOOP(id, COUNTS) \
	void hyb_gomp_##id(ARGUMENTS); \
	void hyb_gomp_##id(ARGUMENTS) \
	{ \
		const next_t next = HYB_GOMP_NEXT(id, next_t); \
\
		if (hyb_likely(hyb_gomp_is_on())) \
			taskloop(next, COUNTS(d, e, f), HYB_GOMP_SITE, function, data, copy, size, alignment, PASSED); \
		else \
			next(function, data, copy, size, alignment, PASSED); \
	}
#include "ompt/gomp/wrappers.h"
