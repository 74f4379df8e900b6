/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OpenMP's part in the order of a run costs to record, with as many threads as the argument says: nanoseconds
 * of a critical section of one thread, of one for which all compete, and of a chunk of a dynamic loop; the median of
 * batches. One line. A chunk has some work in it, as a chunk of a program has.
 */
#include <mpi.h>
#include <omp.h>

#include "clock.h"

#define BATCHES 21
#define TIMES 2000
#define WORK 500 /* turns of a loop, less than half a microsecond */

static int threads;
static volatile uint64_t shared;

static void alone(void)
{
	for (int i = 0; i < TIMES; i++) {
#pragma omp critical
		shared = shared + 1;
	}
}

static void work(void)
{
	for (int i = 0; i < WORK; i++)
		__asm__ volatile("");
}

static void competing(void)
{
#pragma omp parallel num_threads(threads)
	for (int i = 0; i < TIMES / threads; i++) {
		work();
#pragma omp critical
		shared = shared + 1;
	}
}

static void chunks(void)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
	for (int i = 0; i < TIMES; i++)
		work();
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
	qsort(ns, BATCHES, sizeof(*ns), bench_compare);
	return ns[BATCHES / 2];
}

int main(int argc, char **argv)
{
	static void (*const all[])(void) = { alone, competing, chunks };
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	threads = argc > 1 ? atoi(argv[1]) : 2;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("%.1f%c", median_of_batches(all[i]), i + 1 < sizeof(all) / sizeof(all[0]) ? ' ' : '\n');
	MPI_Finalize();
	return 0;
}
