/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OpenMP's constructs cost: nanoseconds of an empty parallel region, a barrier, a critical section, an empty task
 * and a chunk of a dynamic loop, with as many threads as the argument says; the median of batches. One line: these, and
 * one read of the processor's counter. openmp.sh runs it in turn with and without the library and subtracts.
 */
#include <omp.h>

#include "clock.h"

#define BATCHES 21
#define TIMES 2000
#define NOTHING __asm__ volatile("") /* that the compiler keeps */

static int threads;
static volatile uint64_t sink;

static void regions(void)
{
	for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(threads)
		NOTHING;
	}
}

static void barriers(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < TIMES; i++) {
#pragma omp barrier
	}
}

/* By one thread: with more it is the waiting that is measured. */
static void criticals(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	for (int i = 0; i < TIMES; i++) {
#pragma omp critical
		sink = sink + 1;
	}
}

static void tasks(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	for (int i = 0; i < TIMES; i++) {
#pragma omp task
		NOTHING;
	}
}

static void chunks(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(dynamic, 1)
	for (int i = 0; i < TIMES; i++)
		NOTHING;
}

static void counter(void)
{
	for (int i = 0; i < TIMES; i++)
		sink = bench_counter();
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_of_batches(void (*what)(void))
{
	double ns[BATCHES];

	what();
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = bench_ns();

		what();
		ns[batch] = (double)(bench_ns() - start) / TIMES;
	}
	qsort(ns, BATCHES, sizeof(ns[0]), by_value);
	return ns[BATCHES / 2];
}

int main(int argc, char **argv)
{
	static void (*const all[])(void) = { regions, barriers, criticals, tasks, chunks, counter };

	threads = argc > 1 ? atoi(argv[1]) : 2;
	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("%.1f%c", median_of_batches(all[i]), i + 1 < sizeof(all) / sizeof(all[0]) ? ' ' : '\n');
	return 0;
}
