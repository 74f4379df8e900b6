/* SPDX-License-Identifier: BSD-3-Clause */
/* How long MPI_Finalize takes after 4 million events in each rank, in milliseconds; rank 0 prints it. */
#include <stdio.h>

#include <mpi.h>

#include "clock.h"

int main(int argc, char **argv)
{
	uint64_t start;
	int rank;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2000000; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	start = bench_ns();
	MPI_Finalize();
	if (rank == 0)
		printf("%.3f\n", (double)(bench_ns() - start) / 1e6);
	return 0;
}
