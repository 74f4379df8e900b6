/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol switches recording: 0 off, 1 on, other levels nothing. `pcontrol off` begins with recording off,
 * `pcontrol no` runs where the user does not let the program switch. What is made meanwhile is known later.
 */
#include "expect.h"

static int off;
static int no;
static int recording = 1;

/* A call that is recorded if recording is on. */
#define MAYBE(call) do {	\
	if (recording)		\
		CALL(call);	\
	else			\
		call;		\
} while (0)

static void switch_to(int level)
{
	if (level == 1 && !no && !recording) {
		expect_line("recording on");
		recording = 1;
	}
	MAYBE(MPI_Pcontrol(level));
	if (level == 0 && !no && recording) {
		expect_line("recording off");
		recording = 0;
	}
}

static void others(void)
{
	MAYBE(MPI_Pcontrol(2, "text", 3.5));
	MAYBE(MPI_Pcontrol(-1));
}

static void ring(MPI_Comm comm, const char *name)
{
	int rank;
	int size;
	int got;

	MAYBE(MPI_Comm_rank(comm, &rank));
	MAYBE(MPI_Comm_size(comm, &size));
	int to = (rank + 1) % size;
	int from = (rank + size - 1) % size;

	if (recording)
		EVENTS(MPI_Sendrecv(&rank, 1, MPI_INT, to, 5, &got, 1, MPI_INT, from, 5, comm,
				    MPI_STATUS_IGNORE),
		       expect_send(to, 5, name, 4), expect_recv(from, 5, name, 4));
	else
		MPI_Sendrecv(&rank, 1, MPI_INT, to, 5, &got, 1, MPI_INT, from, 5, comm,
			     MPI_STATUS_IGNORE);
	CHECK(got == from);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;
	MPI_Comm half;
	int rank;

	off = argc > 1 && strcmp(argv[1], "off") == 0;
	no = argc > 1 && strcmp(argv[1], "no") == 0;
	recording = !off;
	MAYBE(MPI_Init(&argc, &argv));
	others();
	ring(MPI_COMM_WORLD, "MPI_COMM_WORLD");
	switch_to(1);
	ring(MPI_COMM_WORLD, "MPI_COMM_WORLD");
	switch_to(0);
	others();
	switch_to(0);
	MAYBE(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	MAYBE(MPI_Comm_set_name(dup, "dup"));
	MAYBE(MPI_Comm_rank(dup, &rank));
	MAYBE(MPI_Comm_split(dup, rank % 2, 0, &half));
	MAYBE(MPI_Comm_set_name(half, "half"));
	ring(dup, "dup");
	switch_to(1);
	switch_to(1);
	ring(dup, "dup");
	ring(half, "half");
	others();
	switch_to(0);
	ring(half, "half");
	switch_to(1);
	MAYBE(MPI_Finalize());
	return 0;
}
