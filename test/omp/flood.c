/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flood TASKS: so many empty tasks, in parallel regions of 100,000. What the process has of memory of its own must not
 * grow from the first tenth on: exit status 1 if it does by more than 1 MiB.
 */
#include <omp.h>

#include "say.h"

#define BATCH 100000

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
	return last > first + 1024;
}
