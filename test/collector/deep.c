/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deep SECONDS: takes so much CPU time in functions without frame pointers: low_spin below main, down (which calls
 * itself DEPTH times) and bottom; sort_spin below main, sort_all, libc's qsort and order. Prints what each took by the
 * thread's clock, in seconds. A little more goes to clocks, nearly all of it in code that the kernel maps into programs.
 * Each part takes several periods of the sampling at a time, and another time in each round: otherwise the samples of
 * a second would be few for their shares, or fall on the same places in each round.
 */
#define _GNU_SOURCE

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dither.h"

#define DEPTH 12
#define COUNT 64

double low_spin(long steps);
double sort_spin(long steps);

static volatile double result;
static long low_steps, sort_steps;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* None of them ends in a jump, which would leave out its frame. */
static __attribute__((noinline)) double bottom(void)
{
	return low_spin(low_steps) + 1;
}

static __attribute__((noinline)) double down(int depth)
{
	volatile char some[200];

	some[0] = (char)depth;
	return depth ? down(depth - 1) * 0.5 + some[0] : bottom() * 0.5;
}

static int order(const void *a, const void *b)
{
	result = sort_spin(sort_steps);
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) double sort_all(void)
{
	int v[COUNT];

	for (int i = 0; i < COUNT; i++)
		v[i] = i * 7919 % COUNT;
	qsort(v, COUNT, sizeof(v[0]), order);
	return v[0] + 1;
}

static __attribute__((noinline)) long clocks(int n)
{
	struct timespec t;
	long sum = 0;

	while (n-- > 0) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sum += t.tv_nsec;
	}
	return sum;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	double low = 0, sort = 0;

	MPI_Init(&argc, &argv);
	while (low + sort < seconds) {
		const double begin = now();
		double middle;

		low_steps = dithered(4000000);
		sort_steps = dithered(5000);
		result = down(DEPTH);
		middle = now();
		result = sort_all();
		low += middle - begin;
		sort += now() - middle;
		result = (double)clocks(50000);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	printf("low_spin %.6f\nsort_spin %.6f\n", low, sort);
	return 0;
}
