/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP and MPI: `hybrid-ways NAME`. In each region the main thread exchanges messages (masters), or each thread does
 * (all). With hang- before that the ranks in the end wait for each other: outside of a region, or within one.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 100

static int rank, size;

static void exchange(int tag)
{
	int got;

	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, tag, &got, 1, MPI_INT,
		     (rank + size - 1) % size, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void region(int all)
{
#pragma omp parallel num_threads(3)
	{
		for (volatile int i = 0; i < 1000 * (1 + omp_get_thread_num()); i++)
			;
#pragma omp barrier
		if (all)
			exchange(omp_get_thread_num());
		else if (!omp_get_thread_num())
			exchange(1);
#pragma omp barrier
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void hang(int inside)
{
	char path[4096];
	int value;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stands.%d", getenv("TEST_EXPECT"), rank);
	f = fopen(path, "w");
	if (f)
		fclose(f);
	if (!inside)
		MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
#pragma omp parallel num_threads(3)
	{
#pragma omp master
		MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
#pragma omp barrier
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int all = strstr(name, "all") != NULL, level;

	MPI_Init_thread(&argc, &argv, all ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < ROUNDS || strncmp(name, "hang-", 5); i++)
		region(all);
	hang(strstr(name, "inside") != NULL);
	MPI_Finalize();
	return 0;
}
