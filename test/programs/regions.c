/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Causes known numbers of page faults, switches and milliseconds of CPU time: between MPI_Comm_size and MPI_Comm_rank,
 * and in MPI_Reduce_local. Writes them down as rank and thread, what, faults, switches, ms; of the main thread, and of
 * one that begins later. The first rounds, in which code is loaded, are not told.
 */
#include "../core/work.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static MPI_Op op;
static int rank;
static __thread int planned[3];

static void work_within(void *in, void *inout, int *length, MPI_Datatype *type)
{
	(void)in;
	(void)inout;
	(void)length;
	(void)type;
	work(planned[0], planned[1], planned[2]);
}

static void both(int thread, int faults, int switches, int ms, int told)
{
	int number, other = 1;

	MPI_Comm_size(MPI_COMM_WORLD, &number);
	work(faults, switches, ms);
	MPI_Comm_rank(MPI_COMM_WORLD, &number);
	planned[0] = faults + 1;
	planned[1] = switches + 1;
	planned[2] = ms;
	MPI_Reduce_local(&number, &other, 1, MPI_INT, op);
	if (told) {
		printf("%d.%d > MPI_Comm_rank %d %d %d\n", rank, thread, faults, switches, ms);
		printf("%d.%d MPI_Reduce_local %d %d %d\n", rank, thread, faults + 1, switches + 1, ms);
		fflush(stdout);
	}
}

static void *rounds(void *arg)
{
	int thread = *(int *)arg;

	for (int i = 0; i < 3; i++)
		both(thread, 1, 1, 1, 0);
	both(thread, 0, 0, 0, 1);
	both(thread, 100 + 10 * rank, 0, 0, 1);
	both(thread, 0, 7 + rank, 0, 1);
	both(thread, 1, 2, 40, 1);
	/* More than a chunk of records lies between: what putting them away costs is none of the program's. */
	for (int i = 0; i < (getenv("REGIONS_MANY") ? 6000 : 0); i++)
		MPI_Comm_get_name(MPI_COMM_WORLD, (char[MPI_MAX_OBJECT_NAME]){ 0 }, &thread);
	thread = *(int *)arg;
	/* A program that closes what it did not open: hybmon's are above 500. The others' threads are closed, too. */
	if (getenv("REGIONS_CLOSE")) {
		syscall(SYS_close_range, 500, ~0U, 0);
		both(thread, 1, 1, 1, 0);
	}
	both(thread, 33, 3, 0, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	int zero = 0, one = 1, provided;
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Op_create(work_within, 1, &op);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	rounds(&zero);
	if (provided == MPI_THREAD_MULTIPLE && !pthread_create(&thread, NULL, rounds, &one))
		pthread_join(thread, NULL);
	MPI_Op_free(&op);
	MPI_Finalize();
	return 0;
}
