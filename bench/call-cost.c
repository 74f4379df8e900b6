/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a cheap call costs: nanoseconds of one MPI_Comm_rank and one MPI_Send to MPI_PROC_NULL, the
 * median of batches, and of one read of the processor's counter. One line: rank, send, counter.
 * call-cost.sh runs it in turn with and without the library and subtracts. call-cost MS: calls now and then for so long
 * before, in which a collector begins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "clock.h"

#define BATCHES 21
#define CALLS 100000

static volatile uint64_t sink;

static void comm_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void send_nobody(void)
{
	MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void read_counter(void)
{
	sink = bench_counter();
}

static double median_of_batches(void (*call)(void))
{
	double ns[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = bench_ns();

		for (int i = 0; i < CALLS; i++)
			call();
		ns[batch] = (double)(bench_ns() - start) / CALLS;
	}
	qsort(ns, BATCHES, sizeof(*ns), bench_compare);
	return ns[BATCHES / 2];
}

/* So that stacks have as many frames as are recorded of them. */
static __attribute__((noinline)) double median_from_depth(void (*call)(void), int depth)
{
	double ns = depth ? median_from_depth(call, depth - 1) : median_of_batches(call);

	__asm__ volatile("" : : : "memory");
	return ns;
}

static void wait_ms(long ms)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	const uint64_t end = bench_ns() + (uint64_t)ms * 1000000;

	while (bench_ns() < end) {
		comm_rank();
		nanosleep(&moment, NULL);
	}
}

int main(int argc, char **argv)
{
	double rank;
	double send;

	MPI_Init(&argc, &argv);
	bench_pin();
	if (argc > 1)
		wait_ms(atol(argv[1]));
	rank = median_from_depth(comm_rank, 8);
	send = median_from_depth(send_nobody, 8);
	printf("%.2f %.2f %.2f\n", rank, send, median_of_batches(read_counter));
	MPI_Finalize();
	return 0;
}
