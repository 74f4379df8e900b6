/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI_Comm_rank costs, in ns, the median of batches, and a read of the counter. One line: call, counter. */
#include <stdio.h>

#include <mpi.h>

#include "clock.h"

#define BATCHES 201
#define CALLS 200	/* so few that most batches are not interrupted */

static volatile uint64_t sink;

static void comm_rank(void)
{
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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

int main(int argc, char **argv)
{
	double rank;

	MPI_Init(&argc, &argv);
	bench_pin();
	rank = median_of_batches(comm_rank);
	printf("%.2f %.2f\n", rank, median_of_batches(read_counter));
	MPI_Finalize();
	return 0;
}
