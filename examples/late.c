/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An example in which one rank is late, for scripts/demo.sh: in each step every rank assembles its part with its
 * threads, passes a border on to the next rank, and all add up what they have. The last rank's part is three times as
 * large as that of any other, so the others wait for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { BORDER = 4096, ELEMENTS = 400000 };

static double assemble(long elements)
{
	double sum = 0;

#pragma omp parallel for reduction(+:sum)
	for (long e = 0; e < elements; e++)
		sum += sqrt(e) * sin(e);
	return sum;
}

static void pass_border(double *out, double *in, int rank, int ranks)
{
	MPI_Sendrecv(out, BORDER, MPI_DOUBLE, (rank + 1) % ranks, 0, in, BORDER, MPI_DOUBLE,
		     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static double out[BORDER], in[BORDER];
	int steps = argc > 1 ? atoi(argv[1]) : 50;
	int provided, rank, ranks;
	double total = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < steps; i++) {
		out[0] = assemble(rank == ranks - 1 ? 3 * ELEMENTS : ELEMENTS);
		pass_border(out, in, rank, ranks);
		MPI_Allreduce(out, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%d ranks, %d steps: the sum is %.6e\n", ranks, steps, total);
	MPI_Finalize();
	return 0;
}
