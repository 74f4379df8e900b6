/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs as GCC translates them, a known number of times each: loops with schedules that ask the runtime, also
 * with unsigned long counters and ordered over several loops, combined constructs, sections, tasks in loops, reductions
 * of tasks. What GCC translates without the runtime is in it as well, but not told: static loops and master. Of single
 * the begin is told only.
 *
 * LLVM's runtime in libgomp's place tells a barrier as one of its own, and nothing of single with copyprivate; libgomp
 * makes a thread anew after a smaller team.
 */
#include <omp.h>

#include "say.h"

#define THREADS 3
#define ROUNDS 4

extern void __kmpc_fork_call(void) __attribute__((weak));
#define IS_LLVM (&__kmpc_fork_call != NULL)

static long x;
static int copied;
#pragma omp threadprivate(copied)

static void add(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

/* THREADS of each loop, but one of those that are static. */
static void loops(void)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(static)
		for (int i = 0; i < 30; i++)
			add();
#pragma omp single
		add();
#pragma omp single nowait
		add();
#pragma omp for schedule(dynamic, 2)
		for (int i = 0; i < 30; i++)
			add();
#pragma omp for schedule(guided) nowait
		for (int i = 30; i > 0; i -= 3)
			add();
#pragma omp for schedule(dynamic)
		for (unsigned long i = 0; i < 30; i++)
			add();
#pragma omp for schedule(runtime)
		for (int i = 0; i < 30; i++)
			add();
#pragma omp for schedule(auto) collapse(2)
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
				add();
	}
#pragma omp parallel for num_threads(THREADS) schedule(dynamic)
	for (int i = 0; i < 30; i++)
		add();
}

static void ordered(void)
{
	long sum = 0;
	int order[8] = { 0 };

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 6; i++) {
#pragma omp ordered
			sum = 2 * sum + i;
		}
#pragma omp for ordered(1) schedule(static, 1)
		for (int i = 1; i < 8; i++) {
#pragma omp ordered depend(sink : i - 1)
			order[i] = order[i - 1] + 1;
#pragma omp ordered depend(source)
		}
	}
	x += sum == 57 && order[7] == 7;
}

static void shared(void)
{
	enum { PARALLEL = __LINE__ + 3, BARRIER = __LINE__ + 15 };

	copied = 7;
#pragma omp parallel num_threads(THREADS) copyin(copied) proc_bind(close)
	{
		int mine = 0;

#pragma omp sections
		{
#pragma omp section
			add();
#pragma omp section
			add();
		}
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
#pragma omp master
			add();
#pragma omp single copyprivate(mine)
			mine = 5;
#pragma omp critical
			x += mine == 5 && copied == 7;
		}
	}
	AT(IS_LLVM ? "runtime barrier" : "barrier", BARRIER);
	AT("parallel", PARALLEL);
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		add();
#pragma omp section
		add();
	}
}

static void tasks(void)
{
	long sum = 0, reduced = 0;
	char cell = 0;

#pragma omp parallel num_threads(THREADS)
#pragma omp single
	{
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp task depend(inout : cell) priority(1)
			sum++;
#pragma omp task if (0) depend(in : cell)
			add();
		}
#pragma omp taskwait
#pragma omp taskgroup
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp task untied
			add();
		}
#pragma omp taskloop num_tasks(4) reduction(+ : reduced)
		for (int i = 0; i < 40; i++)
			reduced++;
	}
#pragma omp parallel num_threads(THREADS) reduction(task, + : reduced)
	{
#pragma omp task in_reduction(+ : reduced)
		reduced++;
	}
	x += sum == ROUNDS && reduced == 40 + THREADS;
}

int main(void)
{
	const int all = THREADS * ROUNDS;

	loops();
	ordered();
	shared();
	tasks();
	say("threads %d", THREADS + !IS_LLVM);
	say("count parallel %d", THREADS * 6 + 2);
	say("inside parallel / -");
	say("events ThreadFork 7");
	say("events ThreadJoin 7");
	say("count critical %d", all);
	say("count ordered 6");
	say("count single %d", 3 + (IS_LLVM ? 0 : ROUNDS));
	say("count single other %d", (3 + (IS_LLVM ? 0 : ROUNDS)) * (THREADS - 1));
	say("inside single / parallel");
	say("inside single other / parallel");
	say("inside %s / parallel", IS_LLVM ? "runtime barrier" : "barrier");
	if (!IS_LLVM) {
		say("count loop dynamic %d", THREADS * 5);
		say("count loop guided %d", THREADS);
		say("count loop static %d", THREADS);
		say("count sections %d", THREADS + 2);
		say("count barrier %d", THREADS * (2 * ROUNDS + 2 + 2));
		say("count implicit barrier %d", THREADS * (6 + 6) + 2);
	}
	say("inside implicit barrier / parallel");
	say("count taskwait 1");
	say("count task %d", 3 * ROUNDS + 4 + THREADS);
	say("events ThreadTaskCreate %d", 3 * ROUNDS + 4 + THREADS);
	say("events ThreadTaskComplete %d", 3 * ROUNDS + 4 + THREADS);
	return x != 30 * 4 + 2 + 10 + 9 + 30 + 1 + 2 + ROUNDS + all + 2 + 2 * ROUNDS + 1;
}
