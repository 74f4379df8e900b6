/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rma-threads: operations that one thread begins and another completes, by each call that completes those of the whole
 * process: with a thread that goes on, and with one that is gone by then.
 */
#include <pthread.h>

#include "expect.h"

static MPI_Win win;
static int me;
static int peer;
static int data[8];
static int stream;

#define NAME "shared"
#define SYNC(call, ...) EVENTS(call, (void)0, expect_rma(__VA_ARGS__))
#define PUT(at) SYNC(MPI_Put(&data[at], 1, MPI_INT, peer, at, 1, MPI_INT, win), "put win=" NAME " target=%d bytes=4", peer)
#define GET(at) SYNC(MPI_Get(&data[at], 1, MPI_INT, peer, at, 1, MPI_INT, win), "get win=" NAME " target=%d bytes=4", peer)

static void *operate(void *arg)
{
	(void)arg;
	expect_open(++stream);
	PUT(0);
	GET(1);
	EVENTS(MPI_Accumulate(&data[2], 1, MPI_INT, peer, 2, 1, MPI_INT, MPI_SUM, win), (void)0,
	       expect_rma("accumulate win=" NAME " target=%d sent=4 received=0", peer));
	return NULL;
}

static void *flush(void *arg)
{
	(void)arg;
	expect_open(++stream);
	SYNC(MPI_Win_flush_all(win), "flush win=" NAME);
	return NULL;
}

static void *operate_and_flush(void *arg)
{
	operate(arg);
	SYNC(MPI_Win_flush(peer, win), "flush win=" NAME " target=%d", peer);
	PUT(3);
	return NULL;
}

static void run(void *(*what)(void *))
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, what, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
	int provided;
	int *memory;

	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	SYNC(MPI_Win_allocate(sizeof(data), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
	     "create win=" NAME " allocated");
	CALL(MPI_Win_set_name(win, NAME));
	SYNC(MPI_Win_lock_all(0, win), "lock win=" NAME " shared");

	run(operate);
	SYNC(MPI_Win_flush_local(peer, win), "flush-local win=" NAME " target=%d", peer);
	PUT(4);
	SYNC(MPI_Win_flush(peer, win), "flush win=" NAME " target=%d", peer);
	SYNC(MPI_Win_flush_all(win), "flush win=" NAME);

	/* the other way round */
	PUT(5);
	GET(6);
	run(flush);
	SYNC(MPI_Win_flush(peer, win), "flush win=" NAME " target=%d", peer);

	/* and some of each */
	PUT(7);
	run(operate_and_flush);
	run(operate);
	PUT(7);
	SYNC(MPI_Win_unlock_all(win), "unlock win=" NAME);
	SYNC(MPI_Win_free(&win), "destroy win=" NAME " allocated");
	CALL(MPI_Finalize());
	return 0;
}
