/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * polls: one rank asks for what has not come yet, for several things in turn. Each call from one place is one row, as
 * long as there are no more places than rows are kept up side by side; of more, each call is a row.
 */
#include "requests.h"

#define TURNS 500

static void polled(const char *name, int count)
{
	expect_line("poll %s count=%d", name, count);
}

/* In turn, each from one place. */
static void three(int me, MPI_Request *request)
{
	int flag;
	int index;

	for (int i = 0; i < TURNS; i++) {
		CHECK(MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Iprobe(me, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
	}
	polled("MPI_Test", TURNS);
	polled("MPI_Iprobe", TURNS);
	polled("MPI_Testany", TURNS);
}

/* As many as there may be */
static void eight(int me, MPI_Request *request)
{
	int flag;
	int index;
	int count;

	for (int i = 0; i < TURNS; i++) {
		CHECK(MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testsome(1, request, &count, &index, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !count);
		CHECK(MPI_Iprobe(me, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Iprobe(me, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Iprobe(me, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Iprobe(me, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
	}
	polled("MPI_Test", TURNS);
	polled("MPI_Testany", TURNS);
	polled("MPI_Testall", TURNS);
	polled("MPI_Testsome", TURNS);
	for (int i = 0; i < 4; i++)
		polled("MPI_Iprobe", TURNS);
}

static void nine(int me, MPI_Request *request)
{
	MPI_Message message;
	int flag;
	int index;
	int count;

	for (int i = 0; i < 3; i++) {
		CHECK(MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Testsome(1, request, &count, &index, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !count);
		CHECK(MPI_Iprobe(me, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Improbe(me, 2, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		/* of one function, but from other places */
		CHECK(MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		CHECK(MPI_Iprobe(me, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag);
		polled("MPI_Test", 1);
		polled("MPI_Testany", 1);
		polled("MPI_Testall", 1);
		polled("MPI_Testsome", 1);
		polled("MPI_Iprobe", 1);
		polled("MPI_Improbe", 1);
		polled("MPI_Request_get_status", 1);
		polled("MPI_Test", 1);
		polled("MPI_Iprobe", 1);
	}
}

int main(int argc, char **argv)
{
	MPI_Request request;
	int value = 1;
	int got;
	int me;
	int r;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	EVENTS(MPI_Irecv(&got, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &request), (void)0, r = expect_irecv());
	three(me, &request);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	eight(me, &request);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	nine(me, &request);
	SEND(MPI_Send(&value, 1, MPI_INT, me, 1, MPI_COMM_WORLD), me, 1, WORLD, sizeof(value));
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(me, 1, WORLD, sizeof(value), r));
	CALL(MPI_Finalize());
	return 0;
}
