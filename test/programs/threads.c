/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: threads [T [N]]: T threads (8) on each of two ranks exchange N messages (100) on
 * communicators of their own, make communicators of their own, and end at different times.
 */
#include <pthread.h>

#include "expect.h"

struct worker {
	pthread_t thread;
	MPI_Comm comm;
	int number;	/* 1..T: the number of its stream, for they make their first call in turn */
};

static int messages;
static int me;
static int turn = 1;
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;

static void first_call(struct worker *w)
{
	int rank;

	pthread_mutex_lock(&turn_lock);
	while (turn != w->number)
		pthread_cond_wait(&turn_changed, &turn_lock);
	expect_open(w->number);
	errno = 4711;
	CALL(MPI_Comm_rank(w->comm, &rank));
	CHECK(errno == 4711);
	turn++;
	pthread_cond_broadcast(&turn_changed);
	pthread_mutex_unlock(&turn_lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int peer = 1 - me;
	char name[32];
	int value;

	snprintf(name, sizeof(name), "thread %d", w->number);
	first_call(w);
	for (int i = 0; i < messages; i++) {
		value = 1000 * w->number + i;
		if (me == 0) {
			SEND(MPI_Send(&value, 1, MPI_INT, peer, i, w->comm), peer, i, name, 4);
			RECV(MPI_Recv(&value, 1, MPI_INT, peer, i, w->comm, MPI_STATUS_IGNORE), peer, i,
			     name, 4);
		} else {
			RECV(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm,
				      MPI_STATUS_IGNORE), peer, i, name, 4);
			SEND(MPI_Send(&value, 1, MPI_INT, peer, i, w->comm), peer, i, name, 4);
		}
		CHECK(value == 1000 * w->number + i);
	}
	COLL(MPI_Barrier(w->comm), NO_ROOT, name, 0, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 8;
	struct worker *w = calloc(threads, sizeof(*w));
	char name[32];
	int provided;

	messages = argc > 2 ? atoi(argv[2]) : 100;
	CHECK(w);
	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	for (int i = 0; i < threads; i++) {
		w[i].number = i + 1;
		snprintf(name, sizeof(name), "thread %d", i + 1);
		CALL(MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm));
		CALL(MPI_Comm_set_name(w[i].comm, name));
	}
	for (int i = 0; i < threads; i++)
		CHECK(pthread_create(&w[i].thread, NULL, work, &w[i]) == 0);
	for (int i = 0; i < threads; i++) {
		CHECK(pthread_join(w[i].thread, NULL) == 0);
		CALL(MPI_Comm_free(&w[i].comm));
	}
	free(w);
	printf("%d: %d threads, %d messages each\n", me, threads, messages);
	CALL(MPI_Finalize());
	return 0;
}
