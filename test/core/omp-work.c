/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Known numbers of page faults and switches in the threads of OpenMP: thread i of a team has 10 * (i + 1) faults in its
 * part of one loop, and i + 1 switches in that of another; so it is told. Before, less happens, so that code is there.
 */
#include "../core/work.h"

#ifdef HYBRID
#include <mpi.h>
#endif
#include <omp.h>
#include <stdio.h>

static void loops(int threads, int told)
{
#pragma omp parallel num_threads(threads)
	{
		int i = omp_get_thread_num();

#pragma omp for schedule(static, 1)
		for (int k = 0; k < threads; k++)
			work(told ? 10 * (i + 1) : 1, 0, 0);
#pragma omp for schedule(static, 1)
		for (int k = 0; k < threads; k++)
			work(0, told ? i + 1 : 0, 0);
		if (told)
#pragma omp critical
			printf("faults %d\nswitches %d\n", 10 * (i + 1), i + 1);
	}
}

int main(int argc, char **argv)
{
#ifdef HYBRID
	MPI_Init(&argc, &argv);
#endif
	(void)argc;
	(void)argv;
	for (int threads = 2; threads <= 6; threads += 2) {
		for (int i = 0; i < 3; i++)
			loops(threads, 0);
		loops(threads, 1);
	}
#ifdef HYBRID
	MPI_Finalize();
#endif
	return 0;
}
