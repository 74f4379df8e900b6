/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of each sort of call: such as have counters with both ends, at their end only, or not at all. Writes what it calls
 * and how it is to be counted: both, end, none.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, flag = 0, value = 1, others[2];
	MPI_Request request;
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = MPI_Wtime();
	for (int i = 0; i < 100; i++) {
		MPI_Irecv(&value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
		for (int k = 0; k < 3; k++)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
		for (flag = 0; !flag;)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Allgather(&value, 1, MPI_INT, others, 1, MPI_INT, MPI_COMM_SELF);
	MPI_Wtime();
	if (begin < 0)
		printf("no time\n");
	MPI_Finalize();
	printf("MPI_Init both 1\nMPI_Comm_rank both 1\nMPI_Irecv both 100\nMPI_Send both 100\nMPI_Test end 100\n"
	       "MPI_Allgather both 1\nMPI_Finalize both 1\n");
	return 0;
}
