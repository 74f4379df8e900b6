/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fake-omp WHAT: an OpenMP runtime as a tool sees it, and a program in it, which does what no runtime here can be made
 * to do, or not when it is wanted. It finds its tool as runtimes do.
 *
 *	target         target constructs, dependences, errors, sections
 *	older          the same by a runtime of OpenMP 5.0
 *	bare           by one that has few callbacks
 *	control        omp_control_tool() with each of its commands
 *	moved          a task that leaves its thread in the middle of a construct, without a word
 *	parts          tasks that one thread ends without a word and another tells of, before tasks are discarded
 *	single         single constructs whose end is not told
 *	barriers       three of them, each a millisecond, with a millisecond between
 *	deep N         parallel regions of one thread in one another, so many of them, twice
 *	storm N ROUNDS N threads with all there is at once, for the thread sanitizer: what orders them are the locks
 *	               and barriers of a runtime, and no others
 *
 * Before its end it loads the library that FAKE_OMP_LOADS names.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ompt/callbacks.h"

#define EVENTS 64
#define WORKERS_MAX 64

static ompt_callback_t callbacks[EVENTS];
static const char *what;

/* The callback for an event, or NULL. */
#define CALL(event, type, ...) do { \
		if (callbacks[ompt_callback_##event]) \
			((__typeof__(&type))callbacks[ompt_callback_##event])(__VA_ARGS__); \
	} while (0)
/* Where it is in the program. */
#define HERE ({ __label__ here; here: (const void *)&&here; })

static bool has(int event)
{
	if (!strcmp(what, "bare"))
		return event <= ompt_callback_implicit_task;
	return strcmp(what, "older") != 0 || event < ompt_callback_target_emi;
}

static int set_callback(int event, ompt_callback_t callback)
{
	if (event >= EVENTS || !has(event))
		return ompt_set_never;
	callbacks[event] = callback;
	return ompt_set_always;
}

static ompt_interface_fn_t lookup(const char *name)
{
	return strcmp(name, "ompt_set_callback") ? NULL : (ompt_interface_fn_t)set_callback;
}

static ompt_start_tool_result_t *start_tool(void)
{
	typedef ompt_start_tool_result_t *(*start_t)(unsigned int version, const char *runtime);
	start_t start = (start_t)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	ompt_start_tool_result_t *tool = start ? start(202011, "a runtime of the tests") : NULL;

	if (tool && !tool->initialize(lookup, 0, &tool->tool_data))
		tool = NULL;
	return tool;
}

static void begin_initial(ompt_data_t *parallel, ompt_data_t *task)
{
	ompt_data_t thread = { 0 };

	CALL(thread_begin, hyb_omp_thread_begin, 1, &thread);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, parallel, task, 1, 1, ompt_task_initial);
}

static void operation(int type, int from, int to, size_t bytes)
{
	ompt_data_t target = { 0 };
	ompt_id_t id = 0;

	CALL(target_data_op_emi, hyb_omp_data_op_emi, ompt_scope_begin, NULL, &target, &id, type, &id, from, &id, to,
	     bytes, HERE);
	CALL(target_data_op_emi, hyb_omp_data_op_emi, ompt_scope_end, NULL, &target, &id, type, &id, from, &id, to,
	     bytes, HERE);
	CALL(target_data_op, hyb_omp_data_op, 1, 1, type, &id, from, &id, to, bytes, HERE);
}

static void construct(int kind, int endpoint, ompt_data_t *task)
{
	ompt_data_t target = { 0 };

	CALL(target_emi, hyb_omp_target_emi, kind, endpoint, 0, task, NULL, &target, HERE);
	CALL(target, hyb_omp_target, kind, endpoint, 0, task, 1, HERE);
}

static void submit(unsigned int teams)
{
	ompt_data_t target = { 0 };
	ompt_id_t id = 0;

	CALL(target_submit_emi, hyb_omp_submit_emi, ompt_scope_begin, &target, &id, teams);
	CALL(target_submit_emi, hyb_omp_submit_emi, ompt_scope_end, &target, &id, teams);
	CALL(target_submit, hyb_omp_submit, 1, 1, teams);
}

static void devices(ompt_data_t *task)
{
	construct(ompt_target, ompt_scope_begin, task);
	operation(ompt_target_data_alloc, -1, 0, 800);
	operation(ompt_target_data_transfer_to_device, -1, 0, 800);
	submit(4);
	operation(ompt_target_data_transfer_from_device, 0, -1, 800);
	operation(ompt_target_data_delete, 0, -1, 0);
	construct(ompt_target, ompt_scope_end, task);
	construct(ompt_target_enter_data, ompt_scope_begin, task);
	operation(ompt_target_data_associate, -1, 0, 8);
	construct(ompt_target_enter_data, ompt_scope_end, task);
	construct(ompt_target_update_nowait, ompt_scope_begin, task);
	operation(ompt_target_data_alloc_async + ompt_target_data_transfer_to_device - 1, -1, 1, UINT64_C(5) << 32);
	construct(ompt_target_update_nowait, ompt_scope_end, task);
	construct(ompt_target_exit_data, ompt_scope_begin, task);
	operation(ompt_target_data_disassociate, -1, 0, 8);
	construct(ompt_target_exit_data, ompt_scope_end, task);
	/* an end whose begin was not told of */
	construct(ompt_target, ompt_scope_end, task);
}

static void dependences(ompt_data_t *creator)
{
	static const int types[] = {
		ompt_dependence_type_in, ompt_dependence_type_out, ompt_dependence_type_inout,
		ompt_dependence_type_mutexinoutset, ompt_dependence_type_inoutset,
		ompt_dependence_type_out_all_memory, ompt_dependence_type_inout_all_memory, 99,
	};
	ompt_dependence_t list[8];
	ompt_data_t first = { 0 }, second = { 0 };

	for (int i = 0; i < 8; i++)
		list[i] = (ompt_dependence_t){ { 0x1000u + (unsigned int)i }, types[i] };
	CALL(task_create, hyb_omp_task_create, creator, NULL, &first, ompt_task_explicit, 1, HERE);
	CALL(dependences, hyb_omp_dependences, &first, list, 8);
	CALL(task_create, hyb_omp_task_create, creator, NULL, &second, ompt_task_explicit, 1, HERE);
	CALL(dependences, hyb_omp_dependences, &second, list, 1);
	CALL(task_dependence, hyb_omp_task_dependence, &first, &second);
	CALL(task_schedule, hyb_omp_task_schedule, creator, ompt_task_switch, &first);
	CALL(task_schedule, hyb_omp_task_schedule, &first, ompt_task_complete, creator);
	CALL(task_schedule, hyb_omp_task_schedule, creator, ompt_task_switch, &second);
	CALL(task_schedule, hyb_omp_task_schedule, &second, ompt_task_complete, creator);
}

/* Tasks whose event is fulfilled: inside; behind their end; inside, where their group was cancelled. */
static void fulfilled(ompt_data_t *creator)
{
	static const int inside[] = { ompt_task_early_fulfill, 0, ompt_task_cancel };
	ompt_data_t tasks[3] = { { 0 } };

	for (int i = 0; i < 3; i++) {
		ompt_data_t *task = &tasks[i];

		CALL(task_create, hyb_omp_task_create, creator, NULL, task, ompt_task_explicit, 0, HERE);
		CALL(task_schedule, hyb_omp_task_schedule, creator, ompt_task_switch, task);
		if (inside[i]) {
			CALL(task_schedule, hyb_omp_task_schedule, task, inside[i], NULL);
			CALL(task_schedule, hyb_omp_task_schedule, task, ompt_task_complete, creator);
		} else {
			CALL(task_schedule, hyb_omp_task_schedule, task, ompt_task_detach, creator);
			CALL(task_schedule, hyb_omp_task_schedule, task, ompt_task_late_fulfill, NULL);
		}
	}
}

static void rest(ompt_data_t *parallel, ompt_data_t *task)
{
	static const char text[] = "one that is longer than what a single group of records has room for, so that this "
				   "ends right in the middle of w\303\266rds, which must not be seen as half a character";

	CALL(work, hyb_omp_work, ompt_work_sections, ompt_scope_begin, parallel, task, 2, HERE);
	CALL(dispatch, hyb_omp_dispatch, parallel, task, ompt_dispatch_section, (ompt_data_t){ .ptr = (void *)HERE });
	CALL(work, hyb_omp_work, ompt_work_sections, ompt_scope_end, parallel, task, 0, HERE);
	CALL(work, hyb_omp_work, ompt_work_scope, ompt_scope_begin, parallel, task, 1, HERE);
	CALL(reduction, hyb_omp_reduction, ompt_sync_region_reduction, ompt_scope_begin, parallel, task, HERE);
	CALL(reduction, hyb_omp_reduction, ompt_sync_region_reduction, ompt_scope_end, parallel, task, HERE);
	CALL(work, hyb_omp_work, ompt_work_scope, ompt_scope_end, parallel, task, 0, HERE);
	CALL(error, hyb_omp_error, ompt_warning, "too hot", 7, HERE);
	CALL(error, hyb_omp_error, ompt_fatal, text, sizeof(text) - 1, HERE);
	CALL(error, hyb_omp_error, ompt_warning, NULL, 0, NULL);
}

/* A construct behind each command; the results are printed. */
static void control(ompt_data_t *task)
{
	static const uint64_t commands[] = {
		ompt_control_flush, ompt_control_pause, ompt_control_pause, 9, ompt_control_start, ompt_control_end,
		ompt_control_start,
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (callbacks[ompt_callback_control_tool])
			printf(" %d", ((__typeof__(&hyb_omp_control_tool))callbacks[ompt_callback_control_tool])(
					      commands[i], 0, NULL, HERE));
		CALL(masked, hyb_omp_masked, ompt_scope_begin, NULL, task, HERE);
		CALL(masked, hyb_omp_masked, ompt_scope_end, NULL, task, HERE);
	}
	putchar('\n');
}

/* Two threads that take turns. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int now;
} turn = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static void await(int when)
{
	pthread_mutex_lock(&turn.lock);
	while (turn.now != when)
		pthread_cond_wait(&turn.changed, &turn.lock);
	pthread_mutex_unlock(&turn.lock);
}

static void pass(void)
{
	pthread_mutex_lock(&turn.lock);
	turn.now++;
	pthread_cond_broadcast(&turn.changed);
	pthread_mutex_unlock(&turn.lock);
}

static ompt_data_t moved_parallel, moved_task;

static void group(int endpoint, ompt_data_t *task)
{
	CALL(sync_region, hyb_omp_sync, ompt_sync_region_taskgroup, endpoint, &moved_parallel, task, HERE);
}

/* The task comes here in the middle of its taskgroup, while this thread is in one of its own. */
static void *take_over(void *unused)
{
	ompt_data_t thread = { 0 }, implicit = { 0 };

	(void)unused;
	CALL(thread_begin, hyb_omp_thread_begin, 2, &thread);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &moved_parallel, &implicit, 2, 1,
	     ompt_task_implicit);
	await(1);
	group(ompt_scope_begin, &implicit);
	CALL(task_schedule, hyb_omp_task_schedule, &implicit, ompt_task_switch, &moved_task);
	group(ompt_scope_end, &moved_task);
	CALL(task_schedule, hyb_omp_task_schedule, &moved_task, ompt_task_complete, &implicit);
	group(ompt_scope_end, &implicit);
	pass();
	await(3);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &implicit, 2, 1, ompt_task_implicit);
	CALL(thread_end, hyb_omp_thread_end, &thread);
	return NULL;
}

static void move(ompt_data_t *initial)
{
	ompt_data_t implicit = { 0 };
	pthread_t other;

	CALL(parallel_begin, hyb_omp_parallel_begin, initial, NULL, &moved_parallel, 2, 0, HERE);
	pthread_create(&other, NULL, take_over, NULL);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &moved_parallel, &implicit, 2, 0,
	     ompt_task_implicit);
	CALL(task_create, hyb_omp_task_create, &implicit, NULL, &moved_task, ompt_task_explicit | ompt_task_untied, 0,
	     HERE);
	CALL(mutex_acquire, hyb_omp_mutex_acquire, ompt_mutex_critical, 0, 0, 77, HERE);
	CALL(mutex_acquired, hyb_omp_mutex_acquired, ompt_mutex_critical, 77, HERE);
	CALL(task_schedule, hyb_omp_task_schedule, &implicit, ompt_task_switch, &moved_task);
	group(ompt_scope_begin, &moved_task);
	pass();
	await(2);
	/* it is gone; what this thread had before, it gives up now */
	CALL(mutex_released, hyb_omp_mutex_released, ompt_mutex_critical, 77, HERE);
	CALL(work, hyb_omp_work, ompt_work_loop_static, ompt_scope_begin, &moved_parallel, &implicit, 5, HERE);
	CALL(work, hyb_omp_work, ompt_work_loop, ompt_scope_end, &moved_parallel, &implicit, 5, HERE);
	pass();
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &implicit, 2, 0, ompt_task_implicit);
	pthread_join(other, NULL);
	CALL(parallel_end, hyb_omp_parallel_end, &moved_parallel, initial, 0, HERE);
}

static ompt_data_t parts[2], discards[2];

static void schedule(ompt_data_t *prior, int status, ompt_data_t *next)
{
	CALL(task_schedule, hyb_omp_task_schedule, prior, status, next);
}

/*
 * A thread that is late to leave the first part of an untied task is who tells of the task's end, as in LLVM's
 * __kmp_task_finish: the other, which executes the last part meanwhile, says nothing.
 */
static void *begin_parts(void *unused)
{
	ompt_data_t thread = { 0 }, implicit = { 0 };

	(void)unused;
	CALL(thread_begin, hyb_omp_thread_begin, 2, &thread);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &moved_parallel, &implicit, 2, 1,
	     ompt_task_implicit);
	for (int i = 0; i < 2; i++) {
		await(4 * i + 1);
		schedule(&implicit, ompt_task_switch, &parts[i]);
		schedule(&parts[i], ompt_task_switch, &implicit);
		pass();
		await(4 * i + 3);
		schedule(&parts[i], ompt_task_complete, &implicit);
		if (i == 1)
			schedule(&discards[i], ompt_task_cancel, &implicit);
		pass();
	}
	await(9);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &implicit, 2, 1, ompt_task_implicit);
	CALL(thread_end, hyb_omp_thread_end, &thread);
	return NULL;
}

/* Of the first discarded task the end is told at once, of the second none here. */
static void end_parts(ompt_data_t *implicit)
{
	for (int i = 0; i < 2; i++) {
		CALL(task_create, hyb_omp_task_create, implicit, NULL, &parts[i],
		     ompt_task_explicit | ompt_task_untied, 0, HERE);
		CALL(task_create, hyb_omp_task_create, implicit, NULL, &discards[i], ompt_task_explicit, 0, HERE);
	}
	group(ompt_scope_begin, implicit);
	for (int i = 0; i < 2; i++) {
		pass();
		await(4 * i + 2);
		schedule(implicit, ompt_task_switch, &parts[i]);
		pass();
		await(4 * i + 4);
		CALL(cancel, hyb_omp_cancel, &discards[i], ompt_cancel_taskgroup | ompt_cancel_discarded_task, NULL);
		if (i == 0)
			schedule(&discards[i], ompt_task_cancel, implicit);
	}
	group(ompt_scope_end, implicit);
	pass();
}

static void in_parts(ompt_data_t *initial)
{
	ompt_data_t implicit = { 0 };
	pthread_t other;

	CALL(parallel_begin, hyb_omp_parallel_begin, initial, NULL, &moved_parallel, 2, 0, HERE);
	pthread_create(&other, NULL, begin_parts, NULL);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &moved_parallel, &implicit, 2, 0,
	     ompt_task_implicit);
	end_parts(&implicit);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &implicit, 2, 0, ompt_task_implicit);
	pthread_join(other, NULL);
	CALL(parallel_end, hyb_omp_parallel_end, &moved_parallel, initial, 0, HERE);
}

static void barrier(ompt_data_t *parallel, ompt_data_t *task)
{
	const int kind = ompt_sync_region_barrier_explicit;

	CALL(sync_region, hyb_omp_sync, kind, ompt_scope_begin, parallel, task, HERE);
	CALL(sync_region_wait, hyb_omp_sync_wait, kind, ompt_scope_begin, parallel, task, HERE);
	usleep(1000);
	CALL(sync_region_wait, hyb_omp_sync_wait, kind, ompt_scope_end, parallel, task, HERE);
	CALL(sync_region, hyb_omp_sync, kind, ompt_scope_end, parallel, task, HERE);
}

static void untold_ends(ompt_data_t *parallel, ompt_data_t *task)
{
	static const int works[] = { ompt_work_loop, ompt_work_sections, ompt_work_single_other };
	ompt_data_t explicit = { 0 };

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		CALL(work, hyb_omp_work, ompt_work_single_executor, ompt_scope_begin, parallel, task, 1, HERE);
		CALL(work, hyb_omp_work, works[i], ompt_scope_begin, parallel, task, 3, HERE);
		CALL(work, hyb_omp_work, works[i], ompt_scope_end, parallel, task, 3, HERE);
	}
	CALL(work, hyb_omp_work, ompt_work_single_executor, ompt_scope_begin, parallel, task, 1, HERE);
	/* what may be in it */
	CALL(task_create, hyb_omp_task_create, task, NULL, &explicit, ompt_task_explicit, 0, HERE);
	CALL(task_schedule, hyb_omp_task_schedule, task, ompt_task_switch, &explicit);
	CALL(task_schedule, hyb_omp_task_schedule, &explicit, ompt_task_complete, task);
	CALL(sync_region, hyb_omp_sync, ompt_sync_region_taskwait, ompt_scope_beginend, parallel, task, HERE);
	barrier(parallel, task);
}

/* With some time of the program's own between. */
static void barriers(ompt_data_t *parallel, ompt_data_t *task)
{
	for (int i = 0; i < 3; i++) {
		usleep(1000);
		barrier(parallel, task);
	}
}

struct level {
	ompt_data_t parallel;
	ompt_data_t task;
};

/* The innermost has a barrier that does not say where it is. */
static void go_deep(ompt_data_t *initial, int depth)
{
	struct level *levels = calloc((size_t)depth + 1, sizeof(*levels));
	const void *here = HERE;

	if (!levels)
		exit(2);
	levels[0].task = *initial;
	for (int i = 1; i <= depth; i++) {
		CALL(parallel_begin, hyb_omp_parallel_begin, &levels[i - 1].task, NULL, &levels[i].parallel, 1, 0, here);
		CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &levels[i].parallel, &levels[i].task, 1, 0,
		     ompt_task_implicit);
	}
	for (int endpoint = ompt_scope_begin; endpoint <= ompt_scope_end; endpoint++)
		CALL(sync_region, hyb_omp_sync, ompt_sync_region_barrier_implicit_parallel, endpoint, NULL,
		     &levels[depth].task, NULL);
	for (int i = depth; i > 0; i--) {
		CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &levels[i].task, 1, 0,
		     ompt_task_implicit);
		CALL(parallel_end, hyb_omp_parallel_end, &levels[i].parallel, &levels[i - 1].task, 0, here);
	}
	free(levels);
}

/* Parallel regions whose teams differ in size, with tasks that anyone may execute. */
static struct storm {
	pthread_barrier_t fork;
	pthread_barrier_t join;
	pthread_mutex_t locks[3];
	pthread_mutex_t queue_lock;
	ompt_data_t queue[WORKERS_MAX * 8];
	int queued;
	int members[WORKERS_MAX];
	int threads;
	int rounds;
	int size;
	ompt_data_t parallel;
} storm = {
	.locks = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER },
	.queue_lock = PTHREAD_MUTEX_INITIALIZER,
};

static void critical(int i)
{
	CALL(mutex_acquire, hyb_omp_mutex_acquire, ompt_mutex_critical, 0, 0, 100 + (uint64_t)i, HERE);
	pthread_mutex_lock(&storm.locks[i]);
	CALL(mutex_acquired, hyb_omp_mutex_acquired, ompt_mutex_critical, 100 + (uint64_t)i, HERE);
	pthread_mutex_unlock(&storm.locks[i]);
	/* runtimes tell of it when others may have the lock already */
	CALL(mutex_released, hyb_omp_mutex_released, ompt_mutex_critical, 100 + (uint64_t)i, HERE);
}

/* deferred: any thread of the outermost team may execute it. */
static void make_task(ompt_data_t *implicit, bool deferred)
{
	ompt_data_t task = { 0 };

	CALL(task_create, hyb_omp_task_create, implicit, NULL, &task, ompt_task_explicit, 0, HERE);
	pthread_mutex_lock(&storm.queue_lock);
	deferred = deferred && storm.queued < WORKERS_MAX * 8;
	if (deferred)
		storm.queue[storm.queued++] = task;
	pthread_mutex_unlock(&storm.queue_lock);
	if (deferred)
		return;
	CALL(task_schedule, hyb_omp_task_schedule, implicit, ompt_task_switch, &task);
	CALL(task_schedule, hyb_omp_task_schedule, &task, ompt_task_complete, implicit);
}

static bool run_task(ompt_data_t *implicit)
{
	ompt_data_t task = { 0 };
	bool any;

	pthread_mutex_lock(&storm.queue_lock);
	any = storm.queued > 0;
	if (any)
		task = storm.queue[--storm.queued];
	pthread_mutex_unlock(&storm.queue_lock);
	if (!any)
		return false;
	CALL(task_schedule, hyb_omp_task_schedule, implicit, ompt_task_switch, &task);
	critical((int)(task.value % 3));
	CALL(task_schedule, hyb_omp_task_schedule, &task, ompt_task_complete, implicit);
	return true;
}

/* A region of its own in each member. */
static void nest(ompt_data_t *implicit)
{
	ompt_data_t parallel = { 0 }, inner = { 0 };

	CALL(parallel_begin, hyb_omp_parallel_begin, implicit, NULL, &parallel, 1, 0, HERE);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &parallel, &inner, 1, 0, ompt_task_implicit);
	make_task(&inner, false);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &inner, 1, 0, ompt_task_implicit);
	CALL(parallel_end, hyb_omp_parallel_end, &parallel, implicit, 0, HERE);
}

static void be_member(int index)
{
	ompt_data_t implicit = { 0 };

	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_begin, &storm.parallel, &implicit,
	     (unsigned int)storm.size, (unsigned int)index, ompt_task_implicit);
	CALL(work, hyb_omp_work, ompt_work_loop, ompt_scope_begin, &storm.parallel, &implicit, 10, HERE);
	for (int i = 0; i < 3; i++)
		critical(i);
	CALL(work, hyb_omp_work, ompt_work_loop, ompt_scope_end, &storm.parallel, &implicit, 10, HERE);
	for (int i = 0; i < 4; i++)
		make_task(&implicit, true);
	construct(ompt_target, ompt_scope_begin, &implicit);
	operation(ompt_target_data_alloc, -1, 0, 8);
	construct(ompt_target, ompt_scope_end, &implicit);
	nest(&implicit);
	CALL(sync_region, hyb_omp_sync, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin, &storm.parallel,
	     &implicit, NULL);
	while (run_task(&implicit))
		;
	pthread_barrier_wait(&storm.join);
	CALL(sync_region, hyb_omp_sync, ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL, &implicit,
	     NULL);
	CALL(implicit_task, hyb_omp_implicit_task, ompt_scope_end, NULL, &implicit, (unsigned int)storm.size,
	     (unsigned int)index, ompt_task_implicit);
}

/* Of a team that is smaller than the storm some wait; who is which member changes. */
static void *worker(void *argument)
{
	int index = (int)(intptr_t)argument;
	ompt_data_t thread = { 0 };

	CALL(thread_begin, hyb_omp_thread_begin, 2, &thread);
	for (int round = 0; round < storm.rounds; round++) {
		int member = storm.threads > 1 ? (index + round) % (storm.threads - 1) + 1 : 0;

		pthread_barrier_wait(&storm.fork);
		if (member < storm.size)
			be_member(member);
		else
			pthread_barrier_wait(&storm.join);
		pthread_barrier_wait(&storm.fork);
	}
	CALL(thread_end, hyb_omp_thread_end, &thread);
	return NULL;
}

static void run_storm(ompt_data_t *initial)
{
	void (*pause)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "hybmon_pause");
	void (*resume)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "hybmon_resume");
	pthread_t threads[WORKERS_MAX];

	pthread_barrier_init(&storm.fork, NULL, (unsigned int)storm.threads);
	pthread_barrier_init(&storm.join, NULL, (unsigned int)storm.threads);
	for (int i = 1; i < storm.threads; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
	for (int round = 0; round < storm.rounds; round++) {
		storm.size = 1 + round % storm.threads;
		CALL(parallel_begin, hyb_omp_parallel_begin, initial, NULL, &storm.parallel,
		     (unsigned int)storm.size, 0, HERE);
		pthread_barrier_wait(&storm.fork);
		if (pause && round % 10 == 4)
			pause();
		if (resume && round % 10 == 6)
			resume();
		be_member(0);
		CALL(parallel_end, hyb_omp_parallel_end, &storm.parallel, initial, 0, HERE);
		pthread_barrier_wait(&storm.fork);
	}
	for (int i = 1; i < storm.threads; i++)
		pthread_join(threads[i], NULL);
}

static ompt_start_tool_result_t *tool;

static void end_tool(void)
{
	if (tool)
		tool->finalize(&tool->tool_data);
	tool = NULL;
}

int main(int argc, char **argv)
{
	ompt_data_t parallel = { 0 }, task = { 0 };

	what = argc > 1 ? argv[1] : "target";
	storm.threads = argc > 2 ? atoi(argv[2]) : 4;
	storm.rounds = argc > 3 ? atoi(argv[3]) : 10;
	if (storm.threads < 1 || (storm.threads > WORKERS_MAX && strcmp(what, "deep") != 0))
		return 2;
	atexit(end_tool);
	tool = start_tool();
	begin_initial(&parallel, &task);
	if (!strcmp(what, "moved")) {
		move(&task);
	} else if (!strcmp(what, "parts")) {
		in_parts(&task);
	} else if (!strcmp(what, "single")) {
		untold_ends(&parallel, &task);
	} else if (!strcmp(what, "barriers")) {
		barriers(&parallel, &task);
	} else if (!strcmp(what, "deep")) {
		for (int round = 0; round < 2; round++)
			go_deep(&task, storm.threads);
	} else if (!strcmp(what, "pause")) {
		end_tool();
	} else if (!strcmp(what, "control")) {
		control(&task);
	} else if (!strcmp(what, "storm")) {
		run_storm(&task);
	} else {
		devices(&task);
		dependences(&task);
		fulfilled(&task);
		rest(&parallel, &task);
	}
	if (getenv("FAKE_OMP_LOADS"))
		dlopen(getenv("FAKE_OMP_LOADS"), RTLD_NOW | RTLD_LOCAL);
	return 0;
}
