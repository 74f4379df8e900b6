/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pauses: recording is paused among calls that find nothing, which break their rows: by the thread itself, by another
 * one, and by callbacks inside of such calls. pauses inside: also inside of a call that is one of a row; how many of
 * those there are is chance.
 */
#include <pthread.h>

#include "requests.h"

#define NEVER 99 /* a tag that nobody sends */

static int me;
static int peer;
static int ran;
static int inside;

static void pause_recording(void)
{
	CALL(MPI_Pcontrol(0));
	expect_line("recording off");
}

static void resume_recording(void)
{
	expect_line("recording on");
	CALL(MPI_Pcontrol(1));
}

/* From one place in the program. */
static void look(int times)
{
	int flag;

	for (int i = 0; i < times; i++)
		CHECK(MPI_Iprobe(peer, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
}

static void seen(int times)
{
	look(times);
	if (!inside)
		expect_line("poll MPI_Iprobe count=%d", times);
}

static void between(void)
{
	seen(500);
	pause_recording();
	look(100);
	resume_recording();
	seen(70);
	/* on already, and a level that is none of ours: calls like others */
	CALL(MPI_Pcontrol(1));
	seen(20);
	CALL(MPI_Pcontrol(-1));
	seen(3);
}

static void *pause_here(void *arg)
{
	(void)arg;
	expect_open(1);
	pause_recording();
	return NULL;
}

static void *resume_here(void *arg)
{
	(void)arg;
	expect_open(2);
	/* the first record of its stream */
	resume_recording();
	return NULL;
}

static void run(void *(*what)(void *))
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, what, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

/* The thread that polls has nothing in its stream that says so. */
static void elsewhere(void)
{
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	seen(30);
	run(pause_here);
	look(10);
	run(resume_here);
	seen(40);
}

static void handle_error(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	MPI_Pcontrol(0);
	expect_line("recording off");
}

static void in_an_error(int size)
{
	MPI_Errhandler handler;
	int flag;
	int ret;

	CALL(MPI_Comm_create_errhandler(handle_error, &handler));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
	seen(5);
	expect_call("enter", "MPI_Iprobe");
	ret = MPI_Iprobe(size, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(ret != MPI_SUCCESS);
	expect_call("leave", "MPI_Iprobe");
	expect_line("  error code=%d", ret);
	resume_recording();
	seen(6);
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
	CALL(MPI_Errhandler_free(&handler));
}

static int query(void *state, MPI_Status *status)
{
	(void)state;
	if (!ran)
		expect_line("recording off");
	ran = 1;
	MPI_Pcontrol(0);
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int no_free(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

static void in_a_completion(void)
{
	MPI_Request request;
	int flag;

	CALL(MPI_Grequest_start(query, no_free, no_cancel, NULL, &request));
	CALL(MPI_Grequest_complete(request));
	CALL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
	CHECK(flag && ran);
	resume_recording();
	seen(2);
}

/* Only rank 0 pauses: its polls alone are what can run this. */
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
	if (me == 0 && !ran) {
		MPI_Pcontrol(0);
		expect_line("recording off");
	}
	ran = 1;
}

static void in_a_row(void)
{
	MPI_Request request;
	MPI_Op op;
	int mine = me + 1;
	int sum;
	int r;

	ran = 0;
	CALL(MPI_Op_create(add, 1, &op));
	if (me)
		PMPI_Recv(NULL, 0, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	EVENTS(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request), (void)0,
	       r = expect_icoll("allreduce", WORLD));
	if (!me) {
		PMPI_Send(NULL, 0, MPI_INT, peer, 1, MPI_COMM_WORLD);
		while (!ran)
			look(1);
		resume_recording();
	}
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       expect_icoll_done("allreduce", WORLD, NO_ROOT, 8, 8, r));
	CHECK(sum == 3);
	CALL(MPI_Op_free(&op));
}

int main(int argc, char **argv)
{
	int provided;
	int size;

	inside = argc > 1 && !strcmp(argv[1], "inside");
	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	peer = 1 - me;
	between();
	elsewhere();
	in_an_error(size);
	in_a_completion();
	if (inside)
		in_a_row();
	CALL(MPI_Finalize());
	return 0;
}
