/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI and OpenMP in one program: messages from inside parallel regions, critical sections and tasks, OpenMP before
 * MPI_Init and after MPI_Finalize. On two ranks.
 */
#include <mpi.h>
#include <omp.h>

#include "say.h"

#define ROUNDS 10

static int x;

static void exchange(int peer, int tag)
{
	int out = tag, in = 0;

	MPI_Sendrecv(&out, 1, MPI_INT, peer, tag, &in, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	__atomic_fetch_add(&x, in == tag, __ATOMIC_RELAXED);
}

static void funneled(int peer)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp master
		exchange(peer, i);
#pragma omp barrier
	}
}

/* The only thread that calls MPI is the one in the critical section, or that executes the task. */
static void serialized(int peer)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		for (int i = 0; i < ROUNDS; i++) {
#pragma omp task
			exchange(peer, 100);
#pragma omp taskwait
		}
#pragma omp critical
		MPI_Iprobe(MPI_ANY_SOURCE, 999, MPI_COMM_WORLD, &(int){ 0 }, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int rank, level;

#pragma omp parallel num_threads(2)
	__atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	funneled(!rank);
	if (level >= MPI_THREAD_SERIALIZED)
		serialized(!rank);
	MPI_Finalize();
#pragma omp parallel num_threads(2)
	__atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
	if (!rank) {
		int more = level >= MPI_THREAD_SERIALIZED;

		say("count parallel %d", 2 * 2 * (3 + more));
		say("count MPI_Sendrecv %d", 2 * ROUNDS * (1 + more));
		say("count task %d", 2 * ROUNDS * more);
		say("count critical %d", 4 * more);
		if (!more)
			say("inside MPI_Sendrecv / masked");
		else
			say("inside MPI_Iprobe / critical");
		say("threads 4");
		say("team 2,2");
	}
	return x < ROUNDS;
}
