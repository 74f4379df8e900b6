/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls from many places, of each of which the program writes down which function it is and where it stands here. What
 * is to be done the argument says: calls, threads N, libraries A.so B.so, killed N. Built in several ways by
 * site.test.
 */
#ifndef __clang__
/* A function's last call would return to its caller otherwise. */
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
#define THREADS 4

static int rank;
static __thread FILE *expect;
static __thread int thread;

/* Makes the call, and writes down which it is and where. Two that differ in their line only stay two. */
#define AT(function, ...) \
	({ \
		wrote(#function, __FILE__, __LINE__); \
		__auto_type value_of_it = function(__VA_ARGS__); \
		__asm__ volatile("" : : "i"(__LINE__)); \
		value_of_it; \
	})

static void wrote(const char *function, const char *path, int line)
{
	const char *slash = strrchr(path, '/');
	char name[4096];

	if (!expect) {
		snprintf(name, sizeof(name), "%s/%d.%d", getenv("TEST_EXPECT"), rank, thread);
		expect = fopen(name, "w");
		if (!expect)
			abort();
	}
	fprintf(expect, "%d.%d %s %s:%d\n", rank, thread, function, slash ? slash + 1 : path, line);
}

INLINED int innermost(MPI_Comm comm)
{
	int value;

	AT(MPI_Comm_rank, comm, &value);
	return value;
}

INLINED int inner(MPI_Comm comm)
{
	int value = innermost(comm);

	AT(MPI_Comm_size, comm, &value);
	return value;
}

APART int outer(MPI_Comm comm)
{
	return inner(comm) + inner(comm);
}

/* One function from two places in turn, and from one of many. */
APART void alternate(int times)
{
	double t = 0;
	int value;

	for (int i = 0; i < times; i++) {
		AT(MPI_Comm_rank, MPI_COMM_WORLD, &value);
		AT(MPI_Comm_rank, MPI_COMM_SELF, &value);
		t += AT(MPI_Wtime);
		if (i % 3)
			t += AT(MPI_Wtime);
		switch (i * 7 % 5) {
		case 0:
			AT(MPI_Comm_size, MPI_COMM_SELF, &value);
			break;
		case 1:
			AT(MPI_Comm_size, MPI_COMM_SELF, &value);
			break;
		case 2:
			AT(MPI_Comm_size, MPI_COMM_SELF, &value);
			AT(MPI_Comm_size, MPI_COMM_SELF, &value);
			break;
		default:
			AT(MPI_Comm_size, MPI_COMM_SELF, &value);
		}
	}
	if (t < 0)
		puts("clocks go back");
}

APART void messages(MPI_Comm comm)
{
	int in = 0, out = 1, sum;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	for (int i = 0; i < 3; i++) {
		AT(MPI_Irecv, &in, 1, MPI_INT, 0, 1, comm, &requests[0]);
		AT(MPI_Isend, &out, 1, MPI_INT, 0, 1, comm, &requests[1]);
		AT(MPI_Waitall, 2, requests, statuses);
		AT(MPI_Sendrecv, &out, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
		AT(MPI_Send, &out, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
		AT(MPI_Allreduce, &out, &sum, 1, MPI_INT, MPI_SUM, comm);
		AT(MPI_Barrier, comm);
	}
	/* More of them than one group takes. */
	AT(MPI_Send_init, &out, 1, MPI_INT, MPI_PROC_NULL, 3, comm, &requests[0]);
	AT(MPI_Recv_init, &in, 1, MPI_INT, MPI_PROC_NULL, 3, comm, &requests[1]);
	AT(MPI_Startall, 2, requests);
	AT(MPI_Waitall, 2, requests, statuses);
	AT(MPI_Request_free, &requests[0]);
	AT(MPI_Request_free, &requests[1]);
	AT(MPI_Pcontrol, 2, "anything");
}

/* Rows: one line of each is what is recorded. */
APART void polls(MPI_Comm comm)
{
	int flag, in = 0, out = 1;
	MPI_Request request;

	wrote("MPI_Iprobe", __FILE__, __LINE__ + 2);
	for (int i = 0; i < 5; i++)
		MPI_Iprobe(0, 9, comm, &flag, MPI_STATUS_IGNORE);
	wrote("MPI_Iprobe", __FILE__, __LINE__ + 2);
	for (int i = 0; i < 100; i++)
		MPI_Iprobe(0, 9, comm, &flag, MPI_STATUS_IGNORE);
	AT(MPI_Irecv, &in, 1, MPI_INT, 0, 9, comm, &request);
	wrote("MPI_Test", __FILE__, __LINE__ + 2);
	for (int i = 0; i < 50; i++)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	AT(MPI_Send, &out, 1, MPI_INT, 0, 9, comm);
	AT(MPI_Wait, &request, MPI_STATUS_IGNORE);
}

static sem_t began;
static pthread_barrier_t all;

struct start {
	pthread_t thread;
	int number;
	int times;
};

static void *work(void *arg)
{
	struct start *start = arg;
	int value;

	thread = start->number;
	AT(MPI_Comm_rank, MPI_COMM_WORLD, &value);
	sem_post(&began);
	pthread_barrier_wait(&all);
	alternate(start->times);
	outer(MPI_COMM_SELF);
	if (fclose(expect))
		abort();
	return NULL;
}

/* One after the other as far as their first call, so that it is known which has which number; then all at once. */
static void run_threads(int times)
{
	struct start starts[THREADS];

	sem_init(&began, 0, 0);
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		starts[i].number = i + 1;
		starts[i].times = times;
		pthread_create(&starts[i].thread, NULL, work, &starts[i]);
		while (sem_wait(&began))
			;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(starts[i].thread, NULL);
}

/* Each is loaded where the one before was, mostly, and calls from other lines at the same addresses. */
static void use_libraries(char **paths, int count)
{
	void (*call)(void (*note)(const char *function, const char *path, int line));
	void *library;

	for (int i = 0; i < 2 * count; i++) {
		library = dlopen(paths[i % count], RTLD_NOW);
		*(void **)&call = library ? dlsym(library, "site_call") : NULL;
		if (!call) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		call(wrote);
		if (dlclose(library))
			exit(1);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "calls";
	int times = argc > 2 ? atoi(argv[2]) : 10;
	int level;

	/* The first call tells the rank; it is known without MPI, too. */
	if (getenv("PMI_RANK") || getenv("OMPI_COMM_WORLD_RANK"))
		rank = atoi(getenv(getenv("PMI_RANK") ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK"));
	AT(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (strcmp(what, "threads") != 0 && strcmp(what, "libraries") != 0)
		alternate(times);
	if (!strcmp(what, "calls")) {
		outer(MPI_COMM_WORLD);
		messages(MPI_COMM_SELF);
		polls(MPI_COMM_SELF);
	} else if (!strcmp(what, "threads") && level == MPI_THREAD_MULTIPLE) {
		run_threads(times);
	} else if (!strcmp(what, "libraries")) {
		use_libraries(argv + 2, argc - 2);
	} else if (!strcmp(what, "killed")) {
		fflush(expect);
		raise(SIGKILL);
	}
	AT(MPI_Finalize);
	return expect && fclose(expect);
}
