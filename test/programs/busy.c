/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * busy [THREADS [CALLS]]: each thread (8) of each rank makes CALLS calls (200000) and counts them, all at
 * once: more than there is room for, where a test leaves little. What it prints does not depend on that.
 */
#include <pthread.h>

#include "count.h"

struct worker {
	pthread_t thread;
	int number;
	long long sum;
};

static int calls;
static int me;

static void *work(void *arg)
{
	struct worker *w = arg;
	int value = w->number;
	int rank = me;

	count_open(w->number);
	for (int i = 0; i < calls; i++) {
		errno = 4711;
		if (i % 4)
			COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
		else
			COUNT(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
		CHECK(errno == 4711);
		w->sum += rank * i + value;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 8;
	struct worker *w = calloc(threads, sizeof(*w));
	int provided;

	calls = argc > 2 ? atoi(argv[2]) : 200000;
	CHECK(w);
	count_open(0);
	COUNT(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	for (int i = 0; i < threads; i++) {
		w[i].number = i + 1;
		CHECK(pthread_create(&w[i].thread, NULL, work, &w[i]) == 0);
	}
	for (int i = 0; i < threads; i++) {
		CHECK(pthread_join(w[i].thread, NULL) == 0);
		printf("%d: thread %d: sum %lld\n", me, i + 1, w[i].sum);
	}
	free(w);
	COUNT(MPI_Finalize());
	return 0;
}
