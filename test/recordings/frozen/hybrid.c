/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program of the recordings beside it: messages, collectives, requests, a window, a file, OpenMP. Each rank prints
 * how often it called what. With an argument, the others are killed while rank 0 waits for a message.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#ifndef ROUNDS
#define ROUNDS 12
#endif

enum { LONGEST = 4000 };

static int rank, ranks;
static int numbers[LONGEST], others[LONGEST];

static void ring(void)
{
	const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
	MPI_Request requests[2];

	for (int i = 1; i <= ROUNDS; i++) {
		MPI_Irecv(others, LONGEST, MPI_INT, left, i, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(numbers, i * 10, MPI_INT, right, i, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	printf("calls MPI_Irecv %d\ncalls MPI_Isend %d\ncalls MPI_Waitall %d\n", ROUNDS, ROUNDS, ROUNDS);
}

static void pairs(void)
{
	const int mine = rank ? ROUNDS : 0;

	for (int i = 1; i <= ROUNDS; i++)
		if (rank)
			MPI_Send(numbers, i * 100 % LONGEST, MPI_INT, 0, rank, MPI_COMM_WORLD);
		else
			for (int from = 1; from < ranks; from++)
				MPI_Recv(others, LONGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
					 MPI_STATUS_IGNORE);
	printf("calls MPI_Send %d\ncalls MPI_Recv %d\n", mine, rank ? 0 : ROUNDS * (ranks - 1));
}

static void together(void)
{
	int sum;
	MPI_Comm half;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	for (int i = 0; i < ROUNDS; i++)
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
	MPI_Bcast(numbers, 10, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Comm_free(&half);
	printf("calls MPI_Comm_split 1\ncalls MPI_Allreduce %d\ncalls MPI_Bcast 1\ncalls MPI_Comm_free 1\n", ROUNDS);
}

static void window(void)
{
	MPI_Win w;

	MPI_Win_create(others, sizeof(others), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_fence(0, w);
	MPI_Put(numbers, 100, MPI_INT, (rank + 1) % ranks, 0, 100, MPI_INT, w);
	MPI_Win_fence(0, w);
	MPI_Win_free(&w);
	puts("calls MPI_Win_create 1\ncalls MPI_Win_fence 2\ncalls MPI_Put 1\ncalls MPI_Win_free 1");
}

static void file(const char *name)
{
	MPI_File f;

	MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_write_at(f, rank * (MPI_Offset)sizeof(numbers), numbers, LONGEST, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	puts("calls MPI_File_open 1\ncalls MPI_File_write_at 1\ncalls MPI_File_close 1");
}

static double threads(void)
{
	double sum = 0;

	for (int i = 0; i < ROUNDS; i++)
#pragma omp parallel for reduction(+ : sum) num_threads(2)
		for (int k = 1; k < 20000; k++)
			sum += 1.0 / k;
	printf("parallel %d\n", ROUNDS);
	return sum;
}

int main(int argc, char **argv)
{
	int given;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	ring();
	pairs();
	together();
	window();
	file("hybrid.data");
	if (threads() < 0)
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	puts("calls MPI_Barrier 1");
	if (argc > 1 && !rank)
		puts("calls MPI_Recv 1");
	fflush(stdout);
	if (argc > 1) {
		if (rank) {
			usleep(300000);
			raise(SIGKILL);
		}
		MPI_Recv(others, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	puts("calls MPI_Finalize 1");
	return 0;
}
