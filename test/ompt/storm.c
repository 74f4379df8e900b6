/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * storm THREADS ROUNDS: teams of 1 to THREADS threads, one after the other, which do at once what the wrappers of libgomp's
 * functions share something for: regions, loops, single, critical, locks, barriers, tasks in tasks. Not 0 if a sum is wrong.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define TASKS 20

static long sum, others, tasks;
static omp_lock_t lock;

static void task(int depth)
{
	__atomic_fetch_add(&tasks, 1, __ATOMIC_RELAXED);
	if (!depth)
		return;
	for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(depth)
		task(depth - 1);
	}
#pragma omp taskwait
}

static void work(void)
{
#pragma omp for schedule(dynamic)
	for (int i = 0; i < 100; i++) {
#pragma omp critical
		sum++;
	}
#pragma omp single
	for (int i = 0; i < TASKS; i++) {
#pragma omp task
		task(1);
	}
#pragma omp barrier
	omp_set_lock(&lock);
	sum++;
	omp_unset_lock(&lock);
#pragma omp critical(other)
	others++;
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 4;
	const int rounds = argc > 2 ? atoi(argv[2]) : 100;
	long wanted = 0;

	omp_init_lock(&lock);
	for (int r = 0; r < rounds; r++) {
		const int team = 1 + r % threads;

#pragma omp parallel num_threads(team)
		work();
		wanted += 100 + team;
	}
	omp_destroy_lock(&lock);
	if (sum != wanted || tasks != 3L * TASKS * rounds)
		printf("%ld of %ld, %ld of %ld tasks\n", sum, wanted, tasks, 3L * TASKS * rounds);
	return sum != wanted || tasks != 3L * TASKS * rounds;
}
