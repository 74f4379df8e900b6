/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who is in which team: nested regions, teams whose size changes, threads from pthread_create with teams of their own,
 * and recording switched off and on in the middle.
 */
#include <omp.h>
#include <pthread.h>

#include "hybmon.h"
#include "say.h"

static int x;

static void count(void)
{
	__atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		count();
#pragma omp parallel num_threads(3)
		count();
	}
}

static void changing(void)
{
	for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(1 + i % 4)
		count();
	}
}

static void *own_team(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
		count();
	}
	return NULL;
}

/* Without a library there is nothing to pause. */
void hybmon_pause(void) __attribute__((weak));
void hybmon_resume(void) __attribute__((weak));

static void paused(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
#pragma omp master
		if (hybmon_pause)
			hybmon_pause();
#pragma omp barrier
#pragma omp critical
		x++;
	}
#pragma omp parallel num_threads(2)
	count();
	if (hybmon_resume)
		hybmon_resume();
#pragma omp parallel num_threads(2)
	count();
}

int main(void)
{
	pthread_t threads[3];

	changing();
	nested();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, own_team, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	paused();
	say("count parallel %d", 250 + 2 + 6 + 120 + 4);
	say("events ThreadFork %d", 100 + 1 + 2 + 60 + 2);
	say("events ThreadJoin %d", 100 + 1 + 2 + 60 + 2);
	say("events ThreadTeamBegin %d", 250 + 2 + 6 + 120 + 4);
	say("events ThreadTeamEnd %d", 250 + 2 + 6 + 120 + 4);
	return x != 250 + 2 + 6 + 120 + 6;
}
