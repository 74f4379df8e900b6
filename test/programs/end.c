/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * end KIND: the last rank ends as KIND says at a known point: after a message to each of the others, who
 * wait for another one that never comes. `quick_again` has handlers for quick_exit, of which one calls MPI and another
 * quick_exit, with 9. With `return` (7), `unfinished` (exit(0) without MPI_Finalize) and
 * `done` (nothing wrong at all) all ranks end so, in good order.
 */
#define _GNU_SOURCE
#include <signal.h>

#include "abort.h"
#include "expect.h"

#define WORLD "MPI_COMM_WORLD"

static void call_mpi(void)
{
	int flag;

	CALL(MPI_Initialized(&flag));
	printf("a handler\n");
	fflush(stdout);
}

static void quit_again(void)
{
	quick_exit(9);
}

static void end(const char *kind)
{
	int *nowhere = NULL;

	if (strcmp(kind, "exit") == 0)
		exit(7);
	if (strcmp(kind, "_exit") == 0)
		_exit(7);
	if (strcmp(kind, "quick_exit") == 0)
		quick_exit(7);
	if (strcmp(kind, "quick_again") == 0) {
		CHECK(at_quick_exit(call_mpi) == 0 && at_quick_exit(quit_again) == 0);
		quick_exit(7);
	}
	if (strcmp(kind, "abort") == 0)
		abort();
	if (strcmp(kind, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(kind, "term") == 0)
		raise(SIGTERM);
	if (strcmp(kind, "segv") == 0)
		*(volatile int *)nowhere = 1;
	if (strcmp(kind, "mpi_abort") == 0) {
		expect_line("enter MPI_Abort");
		abort_job(9);
	}
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "return";
	int done = strcmp(kind, "done") == 0;
	int orderly = done || strcmp(kind, "return") == 0 || strcmp(kind, "unfinished") == 0;
	int value = 1;
	int size;
	int me;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	if (me == size - 1) {
		/* all are through with MPI_Init */
		for (int from = 0; from < size - 1; from++)
			RECV(MPI_Recv(&value, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
			     from, 3, WORLD, 4);
		for (int to = 0; to < size - 1; to++)
			SEND(MPI_Send(&value, 1, MPI_INT, to, 1, MPI_COMM_WORLD), to, 1, WORLD, 4);
		if (!orderly)
			end(kind);
	} else {
		SEND(MPI_Send(&value, 1, MPI_INT, size - 1, 3, MPI_COMM_WORLD), size - 1, 3, WORLD, 4);
		RECV(MPI_Recv(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
		     size - 1, 1, WORLD, 4);
		if (!orderly)
			RECV(MPI_Recv(&value, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD,
				      MPI_STATUS_IGNORE), size - 1, 2, WORLD, 4);
	}
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, WORLD, 0, 0);
	if (strcmp(kind, "unfinished") == 0)
		exit(0);
	CALL(MPI_Finalize());
	return done ? 0 : 7;
}
