/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finalize [EVENTS]: how long MPI_Finalize takes after EVENTS (4 million) in each rank; each
 * prints its milliseconds.
 */
#include <stdio.h>

#include <mpi.h>

#include "clock.h"

int main(int argc, char **argv)
{
	long calls = (argc > 1 ? atol(argv[1]) : 4000000) / 2;
	uint64_t start;
	int rank;

	MPI_Init(&argc, &argv);
	while (calls-- > 0)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* so that no rank waits in MPI_Finalize for another */
	MPI_Barrier(MPI_COMM_WORLD);
	start = bench_ns();
	MPI_Finalize();
	printf("%.3f\n", (double)(bench_ns() - start) / 1e6);
	return 0;
}
