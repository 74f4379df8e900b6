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

/* Recording is off from the middle of one task to the middle of another: what was begun before ends, no more. */
static void paused(void)
{
#pragma omp parallel num_threads(2)
	{
		/* both are in the region before */
#pragma omp barrier
#pragma omp single
		{
#pragma omp taskgroup
#pragma omp task if (0)
			{
#pragma omp critical
				MPI_Pcontrol(0);
			}
#pragma omp task if (0)
			__atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
#pragma omp task if (0)
			{
#pragma omp critical
				MPI_Pcontrol(1);
			}
		}
#pragma omp critical
		__atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
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
	paused();
	MPI_Finalize();
#pragma omp parallel num_threads(2)
	__atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
	if (!rank) {
		int more = level >= MPI_THREAD_SERIALIZED;

		say("paused");
		say("count parallel %d", 2 * 2 * (4 + more));
		say("count MPI_Sendrecv %d", 2 * ROUNDS * (1 + more));
		say("count task %d", 2 * (ROUNDS * more + 1));
		say("count critical %d", 2 * (2 * more + 1 + 2));
		say("count MPI_Pcontrol 4");
		if (!more)
			say("inside MPI_Sendrecv / masked");
		else
			say("inside MPI_Iprobe / critical");
		say("threads 4");
		say("team 2,2");
	}
	return x < ROUNDS;
}
