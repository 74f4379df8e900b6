/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flood TASKS: so many empty tasks, in parallel regions of 100,000; then 100,000 times a lock is set by one thread and
 * unset by another. What the process has of memory of its own must not grow from the first tenth on: exit status 1 if
 * it does by more than 1 MiB.
 */
#include <omp.h>

#include "say.h"

#define BATCH 100000
#define LOCKS 50
#define ROUNDS 2000

/* KiB that are no file's, or -1. */
static long own_memory(void)
{
	char line[256];
	long found = -1;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && found < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %ld", &found) != 1)
			found = -1;
	if (f)
		fclose(f);
	return found;
}

/* As programs do that let a thread go on by a lock. What memory there was after the first tenth. */
static long hand_over(void)
{
	static omp_lock_t locks[LOCKS];
	long first = 0;

	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
		{
			for (int i = 0; i < LOCKS && !omp_get_thread_num(); i++)
				omp_set_lock(&locks[i]);
#pragma omp barrier
			for (int i = 0; i < LOCKS && omp_get_thread_num(); i++)
				omp_unset_lock(&locks[i]);
		}
		if (round == ROUNDS / 10)
			first = own_memory();
	}
	return first;
}

int main(int argc, char **argv)
{
	long all = argc > 1 ? atol(argv[1]) : 1000000, first = 0, last;

	for (long done = 0; done < all; done += BATCH) {
#pragma omp parallel num_threads(2)
		for (int i = 0; i < BATCH / 2; i++) {
#pragma omp task
			;
			if (i % 100 == 99) {
#pragma omp taskwait
			}
		}
		if (!first && done >= all / 10)
			first = own_memory();
	}
	last = own_memory();
	if (argc > 2 || last > first + 1024)
		printf("memory: %ld KiB, then %ld KiB\n", first, last);
	if (last > first + 1024)
		return 1;
	first = hand_over();
	last = own_memory();
	if (argc > 2 || last > first + 1024)
		printf("locks: %ld KiB, then %ld KiB\n", first, last);
	return last > first + 1024;
}
