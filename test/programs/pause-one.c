/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pause-one: recording is paused in one rank only, while all go on with collective operations and messages; those
 * before and behind must stay together.
 */
#include "expect.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static int peer;

static void pass_on(int number)
{
	int data = number;

	if (me == 0)
		SEND(MPI_Send(&data, 1, MPI_INT, 1, number % 2, world), 1, number % 2, "MPI_COMM_WORLD", 4);
	else
		RECV(MPI_Recv(&data, 1, MPI_INT, 0, number % 2, world, MPI_STATUS_IGNORE), 0, number % 2,
		     "MPI_COMM_WORLD", 4);
	CHECK(data == number);
}

int main(int argc, char **argv)
{
	int data = 7;
	int sum;
	int all[2];

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	peer = 1 - me;
	COLL(MPI_Barrier(world), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
	COLL(MPI_Bcast(&data, 1, MPI_INT, 1, world), 1, "MPI_COMM_WORLD", me == 1 ? 8 : 0, 4);
	pass_on(1);
	pass_on(2);

	/* rank 1 is not heard of here */
	if (me == 1)
		CALL(MPI_Pcontrol(0));
	if (me == 1)
		expect_line("recording off");
	if (me == 1) {
		MPI_Recv(&data, 1, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
		MPI_Reduce(&data, &sum, 1, MPI_INT, MPI_SUM, 0, world);
		MPI_Bcast(&data, 1, MPI_INT, 0, world);
		expect_line("recording on");
		CALL(MPI_Pcontrol(1));
	} else {
		SEND(MPI_Send(&data, 1, MPI_INT, peer, 1, world), peer, 1, "MPI_COMM_WORLD", 4);
		COLL(MPI_Reduce(&data, &sum, 1, MPI_INT, MPI_SUM, 0, world), 0, "MPI_COMM_WORLD", 4, 8);
		COLL(MPI_Bcast(&data, 1, MPI_INT, 0, world), 0, "MPI_COMM_WORLD", 8, 4);
	}

	COLL(MPI_Bcast(&data, 1, MPI_INT, 1, world), 1, "MPI_COMM_WORLD", me == 1 ? 8 : 0, 4);
	COLL(MPI_Allgather(&data, 1, MPI_INT, all, 1, MPI_INT, world), NO_ROOT, "MPI_COMM_WORLD", 8, 8);
	pass_on(3);
	pass_on(4);
	pass_on(5);
	CALL(MPI_Finalize());
	return 0;
}
