/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elsewhere [finalize|abort]: the thread that main() runs in never calls MPI. One thread begins with it, another sends
 * and receives; then the first ends it, or, which no MPI promises and both allow, the other one does, or the other one
 * of the last rank calls MPI_Abort. On two ranks.
 */
#include <pthread.h>

#include "abort.h"
#include "expect.h"

#define WORLD "MPI_COMM_WORLD"

static const char *how = "";
static int me;

static void *other(void *arg)
{
	int peer = 1 - me;
	int value = me;
	int got = -1;

	expect_open(2);
	EVENTS(MPI_Sendrecv(&value, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
	       expect_send(peer, 1, WORLD, 4), expect_recv(peer, 1, WORLD, 4));
	CHECK(got == peer);
	if (strcmp(how, "finalize") == 0)
		CALL(MPI_Finalize());
	if (strcmp(how, "abort") == 0 && me == 1) {
		expect_line("enter MPI_Abort");
		abort_job(9);
	}
	return arg;
}

static void *begin(void *arg)
{
	pthread_t thread;
	int provided;
	int value;

	expect_open(1);
	CALL(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	if (strcmp(how, "abort") == 0)
		RECV(MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 1, 2, WORLD, 4);
	if (strcmp(how, "finalize") != 0)
		CALL(MPI_Finalize());
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		how = argv[1];
	CHECK(pthread_create(&thread, NULL, begin, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	printf("%d: done\n", me);
	return 0;
}
