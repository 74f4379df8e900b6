/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * die KIND SEED: the last rank ends in the middle of its work, at a moment drawn from SEED: kill, segv, term
 * or abort wherever it stands; exit, _exit, quick_exit or mpi_abort between two calls. The others
 * work on with it and are left to the launcher. Each rank counts its completed calls.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "abort.h"
#include "count.h"

static const char *kind;
static pthread_t worker;
static volatile int due;

/* Kinds that strike from outside the worker, whatever it is doing. */
static void strike(void)
{
	if (strcmp(kind, "kill") == 0)
		raise(SIGKILL);
	else if (strcmp(kind, "term") == 0)
		kill(getpid(), SIGTERM);
	else if (strcmp(kind, "segv") == 0)
		pthread_kill(worker, SIGSEGV);
	else if (strcmp(kind, "abort") == 0)
		abort();
}

static void *clockwork(void *arg)
{
	unsigned int seed = *(unsigned int *)arg;
	struct timespec wait = { .tv_nsec = 1000L * (rand_r(&seed) % 5000) };

	nanosleep(&wait, NULL);
	due = 1;
	strike();
	return NULL;
}

static void end_if_due(void)
{
	if (!due)
		return;
	if (strcmp(kind, "exit") == 0)
		exit(7);
	if (strcmp(kind, "_exit") == 0)
		_exit(7);
	if (strcmp(kind, "quick_exit") == 0)
		quick_exit(7);
	if (strcmp(kind, "mpi_abort") == 0)
		abort_job(9);
}

/* Never comes to its end. A pair of ranks passes values on, the rest calls what costs little. */
static void work(int me, int size, int last)
{
	int value[100] = { 0 };
	int got;
	int peer = me == size - 1 ? size - 2 : size - 1;
	int paired = size > 1 && me >= size - 2;

	for (unsigned int i = 0;; i++) {
		COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &got));
		COUNT(MPI_Send(value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
		if (paired && i % 64 == 0) {
			COUNT(MPI_Sendrecv(value, i % 100, MPI_INT, peer, 2, value, 100, MPI_INT, peer, 2,
					   MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		}
		if (last)
			end_if_due();
	}
}

int main(int argc, char **argv)
{
	unsigned int seed = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	pthread_t thread;
	int provided;
	int size;
	int me;

	CHECK(argc > 1);
	kind = argv[1];
	count_open(0);
	COUNT(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
	COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	COUNT(MPI_Comm_size(MPI_COMM_WORLD, &size));
	worker = pthread_self();
	if (me == size - 1)
		CHECK(pthread_create(&thread, NULL, clockwork, &seed) == 0);
	work(me, size, me == size - 1);
	return 0;
}
