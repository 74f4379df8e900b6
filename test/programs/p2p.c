/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every blocking point-to-point call, between ranks 0 and 1: modes, wildcards, ignored statuses, derived
 * types, messages shorter than their buffer, messages to nobody, probed messages.
 */
#include "expect.h"

#define WORLD "MPI_COMM_WORLD"
#define LARGE_TAG ((1 << 28) - 1)	/* more than 16 bits, and what every MPI here has */

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static int peer;

static void report(const char *what, const MPI_Status *status, int values, const int *value)
{
	int n = 0;

	CALL(MPI_Get_count(status, MPI_INT, &n));
	printf("%d: %s: from %d tag %d count %d:", me, what, status->MPI_SOURCE, status->MPI_TAG, n);
	for (int i = 0; i < values; i++)
		printf(" %d", value[i]);
	printf("\n");
}

static void modes(void)
{
	int size = 1000 * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
	int data[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	MPI_Status status;
	void *buffer;

	if (me == 0) {
		buffer = malloc(size);
		CHECK(buffer);
		SEND(MPI_Send(data, 10, MPI_INT, 1, 1, world), 1, 1, WORLD, 40);
		SEND(MPI_Ssend(data, 9, MPI_INT, 1, 2, world), 1, 2, WORLD, 36);
		CALL(MPI_Buffer_attach(buffer, size));
		SEND(MPI_Bsend(data, 8, MPI_INT, 1, 3, world), 1, 3, WORLD, 32);
		CALL(MPI_Buffer_detach(&buffer, &size));
		free(buffer);
		/* rank 1's Sendrecv below has its receive posted when this message arrives */
		RECV(MPI_Recv(data, 1, MPI_INT, 1, 4, world, MPI_STATUS_IGNORE), 1, 4, WORLD, 4);
		SEND(MPI_Rsend(data, 7, MPI_INT, 1, 5, world), 1, 5, WORLD, 28);
		return;
	}
	for (int tag = 1; tag <= 3; tag++) {
		memset(data, 0, sizeof(data));
		RECV(MPI_Recv(data, 10, MPI_INT, 0, tag, world, &status), 0, tag, WORLD,
		     4 * (11 - tag));
		report("mode", &status, 10, data);
	}
	EVENTS(MPI_Sendrecv(&me, 1, MPI_INT, 0, 4, data, 10, MPI_INT, 0, 5, world, &status),
	       expect_send(0, 4, WORLD, 4), expect_recv(0, 5, WORLD, 28));
	report("ready", &status, 7, data);
}

static void nobody(void)
{
	MPI_Message message;
	MPI_Status status;
	int data = 7;

	CALL(MPI_Send(&data, 1, MPI_INT, MPI_PROC_NULL, 1, world));
	CALL(MPI_Ssend(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, world));
	CALL(MPI_Rsend(&data, 1, MPI_INT, MPI_PROC_NULL, 1, world));
	CALL(MPI_Bsend(&data, 1, MPI_INT, MPI_PROC_NULL, 1, world));
	CALL(MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, world, &status));
	report("nobody", &status, 1, &data);
	CALL(MPI_Recv(&data, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world, MPI_STATUS_IGNORE));
	CALL(MPI_Sendrecv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, &data, 0, MPI_INT, MPI_PROC_NULL, 1,
			  world, MPI_STATUS_IGNORE));
	CALL(MPI_Sendrecv_replace(&data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, world,
				  &status));
	report("replaced", &status, 1, &data);
	CALL(MPI_Mprobe(MPI_PROC_NULL, 1, world, &message, &status));
	CALL(MPI_Mrecv(&data, 1, MPI_INT, &message, &status));
	report("no message", &status, 1, &data);
}

/* One end of a Sendrecv may be nobody. */
static void half(void)
{
	MPI_Status status;
	int data[2] = { me, -1 };

	if (me == 0) {
		EVENTS(MPI_Sendrecv(&data[0], 1, MPI_INT, 1, 6, &data[1], 1, MPI_INT, MPI_PROC_NULL, 6,
				    world, &status),
		       expect_send(1, 6, WORLD, 4), (void)0);
	} else {
		EVENTS(MPI_Sendrecv(&data[0], 1, MPI_INT, MPI_PROC_NULL, 6, &data[1], 1, MPI_INT,
				    MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status),
		       (void)0, expect_recv(0, 6, WORLD, 4));
	}
	report("half", &status, 2, data);
}

static void wildcards(void)
{
	int tag = LARGE_TAG;
	int data[4] = { 0 };
	MPI_Status status;
	int *upper;
	int flag;

	CALL(MPI_Comm_get_attr(world, MPI_TAG_UB, &upper, &flag));
	CHECK(flag && *upper >= tag);
	if (me == 0) {
		for (int n = 0; n <= 4; n++)
			SEND(MPI_Send(data, n, MPI_INT, 1, tag - n, world), 1, tag - n, WORLD, 4 * n);
		return;
	}
	RECV(MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, tag, world, &status), 0, tag, WORLD, 0);
	report("any source", &status, 0, data);
	RECV(MPI_Recv(data, 4, MPI_INT, 0, MPI_ANY_TAG, world, &status), 0, tag - 1, WORLD, 4);
	report("any tag", &status, 1, data);
	RECV(MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE), 0,
	     tag - 2, WORLD, 8);
	RECV(MPI_Recv(data, 4, MPI_INT, 0, tag - 3, world, MPI_STATUS_IGNORE), 0, tag - 3, WORLD, 12);
	RECV(MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE), 0,
	     tag - 4, WORLD, 16);
}

/* The bytes of a message are those of its values, not of the memory they lie in. */
static void types(void)
{
	double matrix[6][6];
	struct { double d; int i; } pair[3];
	MPI_Datatype column;

	for (int i = 0; i < 36; i++)
		matrix[i / 6][i % 6] = i + me;
	memset(pair, 0, sizeof(pair));
	CALL(MPI_Type_vector(6, 1, 6, MPI_DOUBLE, &column));
	CALL(MPI_Type_commit(&column));
	if (me == 0) {
		SEND(MPI_Send(&matrix[0][2], 1, column, 1, 7, world), 1, 7, WORLD, 48);
		SEND(MPI_Send(pair, 3, MPI_DOUBLE_INT, 1, 8, world), 1, 8, WORLD, 36);
		SEND(MPI_Send(matrix, 36, MPI_DOUBLE, 1, 9, world), 1, 9, WORLD, 288);
		SEND(MPI_Send(matrix, 3, MPI_DOUBLE, 1, 10, world), 1, 10, WORLD, 24);
	} else {
		RECV(MPI_Recv(&matrix[0][3], 1, column, 0, 7, world, MPI_STATUS_IGNORE), 0, 7, WORLD, 48);
		RECV(MPI_Recv(pair, 3, MPI_DOUBLE_INT, 0, 8, world, MPI_STATUS_IGNORE), 0, 8, WORLD, 36);
		printf("column: %g %g\n", matrix[0][3], matrix[5][3]);
		RECV(MPI_Recv(matrix, 288, MPI_BYTE, 0, 9, world, MPI_STATUS_IGNORE), 0, 9, WORLD, 288);
		/* half a column: not a multiple of the receiver's type */
		RECV(MPI_Recv(matrix, 1, column, 0, 10, world, MPI_STATUS_IGNORE), 0, 10, WORLD, 24);
		printf("half a column: %g %g\n", matrix[0][0], matrix[2][0]);
	}
	CALL(MPI_Type_free(&column));
}

static void exchange(void)
{
	int value[3] = { me, 10 + me, 20 + me };
	MPI_Status status;
	int got[3] = { 0 };

	EVENTS(MPI_Sendrecv(value, 1 + me, MPI_INT, peer, 11, got, 3, MPI_INT, peer, 11, world,
			    &status),
	       expect_send(peer, 11, WORLD, 4 * (1 + me)),
	       expect_recv(peer, 11, WORLD, 4 * (1 + peer)));
	report("exchange", &status, 3, got);

	EVENTS(MPI_Sendrecv_replace(value, 3, MPI_INT, peer, 12, MPI_ANY_SOURCE, MPI_ANY_TAG, world,
				    MPI_STATUS_IGNORE),
	       expect_send(peer, 12, WORLD, 12), expect_recv(peer, 12, WORLD, 12));
	printf("%d: replaced: %d %d %d\n", me, value[0], value[1], value[2]);

	EVENTS(MPI_Sendrecv(value, 1, MPI_INT, me, 13, got, 1, MPI_INT, me, 13, world,
			    MPI_STATUS_IGNORE),
	       expect_send(me, 13, WORLD, 4), expect_recv(me, 13, WORLD, 4));
}

static void probed(void)
{
	MPI_Message message;
	MPI_Status status;
	int data[8] = { 5, 4, 3, 2, 1 };
	int flag = 0;

	if (me == 0) {
		SEND(MPI_Send(data, 5, MPI_INT, 1, 14, world), 1, 14, WORLD, 20);
		SEND(MPI_Send(data, 4, MPI_INT, 1, 15, world), 1, 15, WORLD, 16);
		SEND(MPI_Send(data, 3, MPI_INT, 1, 16, world), 1, 16, WORLD, 12);
		return;
	}
	CALL(MPI_Probe(0, 14, world, &status));
	report("probe", &status, 0, data);
	RECV(MPI_Recv(data, 8, MPI_INT, 0, 14, world, MPI_STATUS_IGNORE), 0, 14, WORLD, 20);
	CALL(MPI_Mprobe(MPI_ANY_SOURCE, 15, world, &message, &status));
	RECV(MPI_Mrecv(data, 8, MPI_INT, &message, &status), 0, 15, WORLD, 16);
	report("mrecv", &status, 4, data);
	CHECK(message == MPI_MESSAGE_NULL);
	CALL(MPI_Probe(0, 16, world, MPI_STATUS_IGNORE));
	CALL(MPI_Improbe(0, MPI_ANY_TAG, world, &flag, &message, MPI_STATUS_IGNORE));
	CHECK(flag);
	RECV(MPI_Mrecv(data, 8, MPI_INT, &message, MPI_STATUS_IGNORE), 0, 16, WORLD, 12);
}

int main(int argc, char **argv)
{
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	CHECK(size >= 2);
	peer = 1 - me;
	if (me < 2) {
		modes();
		nobody();
		half();
		wildcards();
		types();
		exchange();
		probed();
	}
	CALL(MPI_Finalize());
	return 0;
}
