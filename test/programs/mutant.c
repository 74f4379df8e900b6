/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with a bit of everything, and what becomes of it by one change: each by its number, 0 is the program as it
 * was. Rank 0 gathers from anyone. Usage: mutant NUMBER [ROUNDS]; prints a sum.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int mutant, rank, size, round_now;
static MPI_Comm other;
static float sum;

/* Whether this one is in force, in the middle of the run. */
static int is(int number)
{
	return mutant == number && round_now == 3;
}

static void take(float v)
{
	sum = sum * 0.999f + v;
}

static void send_results(void)
{
	float v[2] = { 1.0f / (float)(rank + round_now), 2.0f };
	double wide = 1;

	if (is(1))
		MPI_Send(v, 1, MPI_FLOAT, 0, 7, MPI_COMM_WORLD);
	if (is(2))
		return;
	if (is(3))
		MPI_Send(v, 1, MPI_FLOAT, 0, 9, MPI_COMM_WORLD);
	else if (is(4))
		MPI_Send(v, 1, MPI_FLOAT, 3 - rank, 7, MPI_COMM_WORLD);
	else if (is(5))
		MPI_Send(v, 2, MPI_FLOAT, 0, 7, MPI_COMM_WORLD);
	else if (is(6))
		MPI_Send(&wide, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
	else if (is(7))
		MPI_Ssend(v, 1, MPI_FLOAT, 0, 7, MPI_COMM_WORLD);
	else if (is(8))
		MPI_Send(v, 1, MPI_FLOAT, 0, 8, MPI_COMM_WORLD);
	else if (is(22) && rank == 1)
		MPI_Send(v, 1, MPI_FLOAT, 0, 7, other);
	else
		MPI_Send(v, 1, MPI_FLOAT, 0, 7, MPI_COMM_WORLD);
	MPI_Send(v, 1, MPI_FLOAT, 0, is(8) ? 7 : 8, MPI_COMM_WORLD);
}

static void gather_results(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int indices[2];
	int done = 1;
	float v[2];

	for (int i = 1; i < size; i++) {
		if (is(9)) {
			MPI_Irecv(v, 2, MPI_FLOAT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests);
			MPI_Wait(requests, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(v, 2, MPI_FLOAT, is(10) ? i : MPI_ANY_SOURCE, is(11) ? MPI_ANY_TAG : 7, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		}
		take(v[0]);
	}
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&v[i], 1, MPI_FLOAT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[i]);
	for (int i = 0; i < 2; i += done) {
		if (is(12))
			MPI_Waitsome(2, requests, &done, indices, statuses);
		else
			MPI_Waitany(2, requests, indices, statuses);
		for (int k = 0; k < done; k++)
			take(v[indices[k]]);
	}
}

static void together(void)
{
	MPI_Comm comm;
	float v[2] = { sum, 0 };
	float w[2];

	MPI_Bcast(v, is(14) ? 2 : 1, MPI_FLOAT, is(13), MPI_COMM_WORLD);
	if (is(15))
		MPI_Reduce(v, w, 1, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
	else
		MPI_Allreduce(v, w, 1, is(16) ? MPI_INT32_T : MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
	if (!is(17))
		MPI_Barrier(MPI_COMM_WORLD);
	if (is(18))
		MPI_Barrier(MPI_COMM_WORLD);
	if (is(19)) {
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		MPI_Comm_free(&comm);
	}
	if (is(20))
		MPI_Sendrecv_replace(v, 1, MPI_FLOAT, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Sendrecv(v, 1, MPI_FLOAT, rank, 0, w, 1, MPI_FLOAT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rounds;

	mutant = argc > 1 ? atoi(argv[1]) : 0;
	rounds = argc > 2 ? atoi(argv[2]) : 6;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	for (round_now = 1; round_now <= rounds; round_now++) {
		if (rank)
			send_results();
		else
			gather_results();
		together();
	}
	if (mutant == 21 && rank)
		send_results();
	if (!rank)
		printf("%a\n", (double)sum);
	MPI_Finalize();
	return 0;
}
