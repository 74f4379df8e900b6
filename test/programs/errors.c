/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that fail and come back (MPI_ERRORS_RETURN), calls that fail and never come back (an error handler
 * that jumps), and wrong arguments, which reach MPI as they are and come back as its error.
 */
#include <setjmp.h>

#include "requests.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static jmp_buf back;

static void report(const char *what, int error)
{
	int class;

	CALL(MPI_Error_class(error, &class));
	printf("%d: %s: truncate %d rank %d comm %d count %d in status %d\n", me, what,
	       class == MPI_ERR_TRUNCATE, class == MPI_ERR_RANK, class == MPI_ERR_COMM,
	       class == MPI_ERR_COUNT, class == MPI_ERR_IN_STATUS);
}

/* A message that was too long is gone: its receive failed and is no half of a message. */
static void truncated(void)
{
	int data[4] = { 1, 2, 3, 4 };

	if (me == 0)
		SEND(MPI_Send(data, 4, MPI_INT, 1, 1, world), 1, 1, WORLD, 16);
	if (me == 1)
		report("truncated", FAIL(MPI_Recv(data, 2, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE)));
}

/*
 * A receive that ended with an error is over, whichever call says so: the next one may have its handle, and
 * is another. What comes has arrived, so that nothing has to be asked for twice.
 */
static void ended(void)
{
	MPI_Request request;
	int data[4] = { 1, 2, 3, 4 };
	int index;
	int number;
	int count;
	int flag;

	for (int way = 0; way < 6 && me == 0; way++) {
		SEND(MPI_Send(data, 4, MPI_INT, 1, 2, world), 1, 2, WORLD, 16);
		SEND(MPI_Send(data, 2, MPI_INT, 1, 3, world), 1, 3, WORLD, 8);
	}
	for (int way = 0; way < 6 && me == 1; way++) {
		CALL(MPI_Probe(0, 2, world, MPI_STATUS_IGNORE));
		EVENTS(MPI_Irecv(data, 2, MPI_INT, 0, 2, world, &request), (void)0, expect_irecv());
		if (way == 0)
			report("test", FAIL(MPI_Test(&request, &flag, MPI_STATUS_IGNORE)));
		else if (way == 1)
			report("waitany", FAIL(MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE)));
		else if (way == 2)
			report("wait", FAIL(MPI_Wait(&request, MPI_STATUS_IGNORE)));
		else if (way == 3)
			report("waitall", FAIL(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE)));
		else if (way == 4)
			report("waitsome", FAIL(MPI_Waitsome(1, &request, &count, &index, MPI_STATUSES_IGNORE)));
		else
			report("testall", FAIL(MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE)));
		EVENTS(MPI_Irecv(data, 2, MPI_INT, 0, 3, world, &request), (void)0, number = expect_irecv());
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
		       expect_irecv_done(0, 3, WORLD, 8, number));
	}
}

static void wrong(int size)
{
	int data = 1;

	report("rank", FAIL(MPI_Send(&data, 1, MPI_INT, size, 1, world)));
	report("count", FAIL(MPI_Send(&data, -1, MPI_INT, me, 1, world)));
	report("from rank", FAIL(MPI_Recv(&data, 1, MPI_INT, size, 1, world, MPI_STATUS_IGNORE)));
	report("comm", FAIL(MPI_Barrier(MPI_COMM_NULL)));
	report("root", FAIL(MPI_Bcast(&data, 1, MPI_INT, size, world)));
}

/*
 * No elements of no type: some MPIs send that, others call it an error. To ask for its size always is
 * one, which must not come to an error handler.
 */
static void nothing(int size)
{
	int peer = me ^ 1;
	int ret;

	if (peer >= size)
		return;
	ret = EVENTS(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, peer, 5, world), (void)0,
		     ret_ == MPI_SUCCESS ? expect_send(peer, 5, WORLD, 0) :
					   expect_line("  error code=%d", ret_));
	if (ret != MPI_SUCCESS)
		return;
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL));
	EVENTS(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, peer, 5, world), (void)0,
	       expect_send(peer, 5, WORLD, 0));
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
	for (int i = 0; i < 2; i++)
		RECV(MPI_Recv(NULL, 0, MPI_INT, peer, 5, world, MPI_STATUS_IGNORE), peer, 5, WORLD, 0);
}

static void jump(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(back, 1);
}

/* The call that was left is closed when the next one begins, be it one of those that are joined to a row. */
static void jumped(int size)
{
	static const char *const calls[] = { "MPI_Recv", "MPI_Iprobe" };
	MPI_Errhandler handler;
	int data = 1;
	int flag;
	int rank;

	CALL(MPI_Comm_create_errhandler(jump, &handler));
	CALL(MPI_Comm_set_errhandler(world, handler));
	for (volatile int i = 0; i < 6; i++) {
		if (setjmp(back) == 0) {
			expect_line("enter %s", calls[i / 3]);
			if (i < 3)
				MPI_Recv(&data, 1, MPI_INT, size, 1, world, MPI_STATUS_IGNORE);
			else
				MPI_Iprobe(size, 1, world, &flag, MPI_STATUS_IGNORE);
			CHECK(!"came back");
		}
		expect_line("leave %s", calls[i / 3]);
		expect_line("  abandoned");
		CALL(MPI_Comm_rank(world, &rank));
		CHECK(rank == me);
	}
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
	CALL(MPI_Errhandler_free(&handler));
}

int main(int argc, char **argv)
{
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	CALL(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
	truncated();
	ended();
	wrong(size);
	nothing(size);
	jumped(size);
	CALL(MPI_Finalize());
	return 0;
}
