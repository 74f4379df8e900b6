/* SPDX-License-Identifier: BSD-3-Clause */
/* Each construct a known number of times. */
#include <omp.h>

#include "say.h"

#define THREADS 3
#define ROUNDS 4

static int x;

static void loops(void)
{
	int line = __LINE__ + 2;

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(static)
		for (int i = 0; i < 30; i++)
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic, 2) nowait
		for (int i = 0; i < 30; i++)
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(guided) nowait
		for (int i = 0; i < 30; i++)
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp sections
		{
#pragma omp section
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp section
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
		}
	}
	AT("parallel", line);
}

static void mutexes(void)
{
	omp_nest_lock_t nest;
	omp_lock_t lock;
	int line = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical(one)
		{
			x++;
#pragma omp critical(two)
			x++;
		}
		omp_set_lock(&lock);
		line = __LINE__ - 1;
		omp_unset_lock(&lock);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		while (!omp_test_lock(&lock))
			;
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	AT("omp_set_lock", line);
}

static void synchronisation(void)
{
	int sum = 0, line = 0;

#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
	{
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
			line = __LINE__ - 1;
#pragma omp master
			sum++;
#pragma omp single
			sum++;
#pragma omp task
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
#pragma omp taskgroup
			{
#pragma omp task
				__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
			}
		}
#pragma omp for ordered
		for (int i = 0; i < 6; i++) {
#pragma omp ordered
			sum++;
		}
	}
	x += sum;
	AT("barrier", line);
}

int main(void)
{
	const int all = THREADS * ROUNDS;

	loops();
	mutexes();
	synchronisation();
	say("threads %d", THREADS);
	say("team %d", THREADS);
	say("events ThreadFork 3");
	say("events ThreadJoin 3");
	say("events ThreadTeamBegin %d", 3 * THREADS);
	say("events ThreadTeamEnd %d", 3 * THREADS);
	say("count parallel %d", 3 * THREADS);
	say("inside parallel / -");
	say("count critical %d", 2 * all);
	/* LLVM 14 does not tell a test from a request */
	/* with LLVM 14 each omp_test_lock of a loop that waits is one */
	say("calls omp_set_lock %d %d", all, 1000000000);
	say("count omp_unset_lock %d", 2 * all);
	say("calls omp_test_lock 0 %d", all);
	say("count omp_set_nest_lock %d", 2 * all);
	say("count omp_unset_nest_lock %d", 2 * all);
	say("inside omp_set_lock / parallel");
	say("events ThreadAcquireLock %d", 6 * all + 6);
	say("events ThreadReleaseLock %d", 6 * all + 6);
	say("count ordered 6");
	say("count sections %d", THREADS);
	say("inside sections / parallel");
	say("count barrier %d", all);
	say("inside barrier / parallel");
	say("count masked %d", ROUNDS);
	say("count single %d", ROUNDS);
	say("count single other %d", all - ROUNDS);
	say("count taskwait %d", all);
	say("count taskgroup %d", all);
	say("count task %d", 2 * all);
	say("events ThreadTaskCreate %d", 2 * all);
	say("events ThreadTaskComplete %d", 2 * all);
	return x != 90 + 2 + 2 * all + 2 * all + 2 * ROUNDS + 6;
}
