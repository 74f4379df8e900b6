/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What constructs.c and tasks.c leave out: loops that are ordered across iterations, tasks in loops, teams, reductions,
 * nested regions in tasks, nest locks that are tested, tasks that are waited for by what they depend on, and recording
 * switched by OpenMP's own function. Where runtimes differ in how often they tell, the range is given.
 */
#include <omp.h>

#include "say.h"

#define THREADS 3
#define ROUNDS 4
#define LOOP 8

static long x;

static void add(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

/* Each iteration but the first waits for the one before it. */
static void across(void)
{
	int order[LOOP] = { 0 };

#pragma omp parallel num_threads(THREADS)
#pragma omp for ordered(1) schedule(static, 1)
	for (int i = 1; i < LOOP; i++) {
#pragma omp ordered depend(sink : i - 1)
		order[i] = order[i - 1] + 1;
#pragma omp ordered depend(source)
	}
	x += order[LOOP - 1] == LOOP - 1;
	say("count depend source %d", LOOP - 1);
	say("calls depend sink %d %d", LOOP - 2, LOOP - 1);
}

static void loops(void)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(runtime) collapse(2)
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				add();
#pragma omp for schedule(dynamic) ordered
		for (unsigned long i = 0; i < LOOP; i++) {
#pragma omp ordered
			x++;
		}
#pragma omp flush
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		add();
#pragma omp section
		add();
#pragma omp section
		add();
	}
	say("count ordered %d", LOOP);
	say("count sections 2");
}

/* By more threads than do it by atomic operations. */
static void reductions(void)
{
	long sum = 0, product = 1;

#pragma omp parallel num_threads(6) reduction(+ : sum) reduction(* : product)
	{
		sum += omp_get_thread_num();
		product *= 2;
	}
	x += sum == 15 && product == 64;
	say("calls reduction 1 12");
}

static void tasks(void)
{
	long sum = 0, reduced = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
#pragma omp taskloop num_tasks(4)
		for (int i = 0; i < 40; i++)
			add();
#pragma omp taskgroup task_reduction(+ : reduced)
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp task in_reduction(+ : reduced)
			reduced++;
		}
#pragma omp task depend(out : sum)
		sum = 1;
#pragma omp taskwait depend(in : sum)
		sum++;
	}
	x += sum == 2 && reduced == ROUNDS;
	say("count taskloop 1");
	say("inside taskloop / taskgroup");
	say("count taskgroup 2");
}

/* A region in each of the tasks that one thread made. */
static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp task
#pragma omp parallel num_threads(2)
		add();
	}
	omp_set_max_active_levels(1);
}

static void locks(void)
{
	omp_nest_lock_t nest;
	int depth;

	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS) private(depth)
	for (int i = 0; i < ROUNDS; i++) {
		while (!(depth = omp_test_nest_lock(&nest)))
			;
		depth += omp_test_nest_lock(&nest);
		x += depth == 3;
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
	}
	omp_destroy_nest_lock(&nest);
}

static void league(void)
{
#pragma omp teams num_teams(2) thread_limit(1)
#pragma omp distribute
	for (int i = 0; i < 10; i++)
		add();
	say("calls teams 1 4");
	say("calls distribute 1 2");
}

static void masked(void)
{
	int expected = ROUNDS;

#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp master
		add();
#if _OPENMP >= 202011
#pragma omp masked filter(i % THREADS)
		add();
#endif
	}
#if _OPENMP >= 202011
	expected += ROUNDS;
#endif
	x -= expected;
	say("count masked %d", expected);
}

/* What comes between is not recorded; without a tool the calls do nothing. */
static void controlled(void)
{
	int paused = omp_control_tool(omp_control_tool_pause, 0, NULL);
	int other;

#pragma omp parallel num_threads(2)
	add();
	other = omp_control_tool(99, 0, NULL);
	if (omp_control_tool(omp_control_tool_start, 0, NULL) != paused || (!paused && other != 1))
		x++;
	if (omp_control_tool(omp_control_tool_flush, 0, NULL) != paused)
		x++;
}

/* An error directive without a message, as clang translates it: LLVM's runtime would fail if it told a tool of it. */
static void errors(void)
{
	extern void kmp_set_warnings_off(void);
	extern void __kmpc_error(void *place, int severity, const char *message);

	kmp_set_warnings_off();
	__kmpc_error(NULL, 1, NULL);
}

int main(void)
{
	across();
	loops();
	reductions();
	tasks();
	nested();
	locks();
	league();
	masked();
	controlled();
	errors();
	/* by tasks and nested */
	say("count task %d", 4 + ROUNDS + 1 + ROUNDS);
	say("events ThreadTaskCreate %d", 4 + ROUNDS + 1 + ROUNDS);
	say("events ThreadTaskComplete %d", 4 + ROUNDS + 1 + ROUNDS);
	/* by across, loops, reductions, tasks, nested, locks and masked; and one in each team of the league */
	say("calls parallel %d %d", 3 + 5 + 6 + 3 + 2 + 2 * ROUNDS + 3 + 3, 3 + 5 + 6 + 3 + 2 + 2 * ROUNDS + 3 + 3 + 2);
	return x != 2 + 1 + 9 + LOOP + 3 + 1 + 40 + 1 + 2 * ROUNDS + THREADS * ROUNDS + 10;
}
