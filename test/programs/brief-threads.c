/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * brief-threads [N]: each of two ranks makes N threads (100), one after the other, that live for a few calls: a program
 * that makes a thread for each thing it has to do.
 */
#include <pthread.h>

#include "requests.h"

static int me;
static int peer;

static void *live(void *arg)
{
	MPI_Request requests[2];
	int value = me;
	int got = -1;
	int r;
	int s;

	expect_open(*(int *)arg);
	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]), (void)0, r = expect_irecv());
	EVENTS(MPI_Isend(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]),
	       s = expect_isend(peer, 1, WORLD, 4), (void)0);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 1, WORLD, 4, r);
		expect_request("sent", s);
	});
	CHECK(got == peer);
	if (expect_self.fd >= 0)
		close(expect_self.fd);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 100;
	pthread_t thread;
	int provided;

	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	for (int i = 1; i <= threads; i++) {
		CHECK(pthread_create(&thread, NULL, live, &i) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	CALL(MPI_Finalize());
	return 0;
}
