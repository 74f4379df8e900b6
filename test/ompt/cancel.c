/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancellation of loops, taskgroups and parallel regions; tasks whose events are fulfilled early and late. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "say.h"

static int x;

static void add(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

static omp_event_handle_t others;
static int ready, fulfilled, left;

static void wait_for(const int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* Once the task is under way. */
static void *fulfil_others(void *unused)
{
	wait_for(&ready);
	omp_fulfill_event(others);
	__atomic_store_n(&fulfilled, 1, __ATOMIC_RELEASE);
	return unused;
}

/* By the task itself, by the task that made it, and by a thread that is none of OpenMP's. */
static void fulfil_events(void)
{
	omp_event_handle_t own, makers, another;
	pthread_t thread;

	if (pthread_create(&thread, NULL, fulfil_others, NULL))
		abort();
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(own)
		{
			omp_fulfill_event(own);
			add();
		}
#pragma omp task detach(makers)
		add();
		omp_fulfill_event(makers);
#pragma omp task detach(another)
		{
			others = another;
			__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
			wait_for(&fulfilled);
			add();
		}
	}
	pthread_join(thread, NULL);
	say("count omp_fulfill_event 5");
}

/*
 * Once the task's code has come to its end, which is a moment after it says that it is there: by a thread that is none of
 * OpenMP's, so not in the task's team.
 */
static void *fulfil_late(void *unused)
{
	wait_for(&left);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	omp_fulfill_event(others);
	return unused;
}

/* The thread is alone. It executes the task at once, or when it waits for it. */
static void end_late(void)
{
	omp_event_handle_t late;
	pthread_t thread;

	__atomic_store_n(&left, 0, __ATOMIC_RELAXED);
	if (pthread_create(&thread, NULL, fulfil_late, NULL))
		abort();
#pragma omp task detach(late)
	{
		others = late;
		add();
		__atomic_store_n(&left, 1, __ATOMIC_RELEASE);
	}
#pragma omp taskwait
	pthread_join(thread, NULL);
}

int main(void)
{
	int made = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for
		for (int i = 0; i < 100; i++) {
			__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp cancel for if (i == 50)
		}
#pragma omp taskgroup
		{
#pragma omp single
			for (int i = 0; i < 200; i++) {
				made++;
#pragma omp task
				{
					__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup if (i == 20)
				}
			}
		}
#pragma omp cancel parallel
	}
	fulfil_events();
	end_late();
#pragma omp parallel num_threads(1)
	end_late();
	say("count parallel 6");
	say("events ThreadTaskCreate %d", made + 5);
	say("events ThreadTaskComplete %d", made + 5);
	say("foreign ThreadTaskComplete 2");
	return x < 5;
}
