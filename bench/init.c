/* SPDX-License-Identifier: BSD-3-Clause */
/* init: how long MPI_Init takes, with what is done when recording begins; each rank prints its milliseconds. */
#include <stdio.h>

#include <mpi.h>

#include "clock.h"

int main(int argc, char **argv)
{
	uint64_t start = bench_ns();

	MPI_Init(&argc, &argv);
	printf("%.3f\n", (double)(bench_ns() - start) / 1e6);
	MPI_Finalize();
	return 0;
}
