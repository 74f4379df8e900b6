/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More than 32 bits of bytes in one call, by a type whose blocks all lie in the same place, and the
 * large-count twins where the MPI declares them. `large -` leaves out what moves gigabytes.
 */
#include "expect.h"

#define WORLD "MPI_COMM_WORLD"
#define BLOCK (1 << 20)
#define BLOCKS 4097

static MPI_Comm world = MPI_COMM_WORLD;
static int me;

static void gigabytes(void)
{
	long long bytes = (long long)BLOCK * BLOCKS;
	char *block = calloc(1, BLOCK);
	MPI_Datatype type;

	CHECK(block);
	CALL(MPI_Type_create_hvector(BLOCKS, BLOCK, 0, MPI_BYTE, &type));
	CALL(MPI_Type_commit(&type));
	if (me == 0)
		SEND(MPI_Send(block, 1, type, 1, 1, world), 1, 1, WORLD, bytes);
	else if (me == 1)
		RECV(MPI_Recv(block, 1, type, 0, 1, world, MPI_STATUS_IGNORE), 0, 1, WORLD, bytes);
	CALL(MPI_Type_free(&type));
	free(block);
}

/* Counts beyond an int, of a type without a size: nothing is moved. */
static void nothing_often(void)
{
	MPI_Datatype nothing;
	int size;

	CALL(MPI_Type_contiguous(0, MPI_INT, &nothing));
	CALL(MPI_Type_commit(&nothing));
	CALL(MPI_Type_size(nothing, &size));
	CHECK(size == 0);
	if (me == 0)
		SEND(MPI_Send(NULL, INT_MAX, nothing, 1, 2, world), 1, 2, WORLD, 0);
	else if (me == 1)
		RECV(MPI_Recv(NULL, INT_MAX, nothing, 0, 2, world, MPI_STATUS_IGNORE), 0, 2, WORLD, 0);
#ifdef HYB_HAS_MPI_Send_c
	MPI_Count many = (MPI_Count)INT_MAX * 100;

	if (me == 0)
		SEND(MPI_Send_c(NULL, many, nothing, 1, 3, world), 1, 3, WORLD, 0);
	else if (me == 1)
		RECV(MPI_Recv_c(NULL, many, nothing, 0, 3, world, MPI_STATUS_IGNORE), 0, 3, WORLD, 0);
#endif
	CALL(MPI_Type_free(&nothing));
}

#ifdef HYB_HAS_MPI_Send_c
static void twins_p2p(void)
{
	int data[4] = { 1, 2, 3, 4 };
	MPI_Count n = 0;
	MPI_Message message;
	MPI_Status status;
	int peer = 1 - me;

	if (me == 0) {
		SEND(MPI_Ssend_c(data, 2, MPI_INT, 1, 4, world), 1, 4, WORLD, 8);
		SEND(MPI_Send_c(data, 3, MPI_INT, 1, 5, world), 1, 5, WORLD, 12);
	} else {
		RECV(MPI_Recv_c(data, 4, MPI_INT, MPI_ANY_SOURCE, 4, world, &status), 0, 4, WORLD, 8);
		CALL(MPI_Get_count_c(&status, MPI_INT, &n));
		CHECK(n == 2);
		CALL(MPI_Mprobe(0, 5, world, &message, MPI_STATUS_IGNORE));
		RECV(MPI_Mrecv_c(data, 4, MPI_INT, &message, &status), 0, 5, WORLD, 12);
	}
	EVENTS(MPI_Sendrecv_c(data, 1, MPI_INT, peer, 6, data + 1, 1, MPI_INT, peer, 6, world, &status),
	       expect_send(peer, 6, WORLD, 4), expect_recv(peer, 6, WORLD, 4));
	EVENTS(MPI_Sendrecv_replace_c(data, 2, MPI_INT, peer, 7, peer, 7, world, MPI_STATUS_IGNORE),
	       expect_send(peer, 7, WORLD, 8), expect_recv(peer, 7, WORLD, 8));
	printf("%d: %d %d %d %d\n", me, data[0], data[1], data[2], data[3]);
}

static void twins_coll(void)
{
	int in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	int out[8] = { 0 };
	MPI_Count counts[2] = { 1, 2 };
	MPI_Aint offsets[2] = { 0, 1 };

	COLL(MPI_Bcast_c(in, 2, MPI_INT, 1, world), 1, WORLD, me == 1 ? 16 : 0, 8);
	COLL(MPI_Gatherv_c(in, counts[me], MPI_INT, out, counts, offsets, MPI_INT, 0, world), 0, WORLD,
	     4 * (me + 1), me == 0 ? 12 : 0);
	COLL(MPI_Scatter_c(in, 1, MPI_INT, out, 1, MPI_INT, 0, world), 0, WORLD, me == 0 ? 8 : 0, 4);
	COLL(MPI_Allgather_c(in, 2, MPI_INT, out, 2, MPI_INT, world), NO_ROOT, WORLD, 16, 16);
	COLL(MPI_Allreduce_c(MPI_IN_PLACE, out, 3, MPI_INT, MPI_SUM, world), NO_ROOT, WORLD, 12, 12);
	COLL(MPI_Alltoall_c(in, 1, MPI_INT, out, 1, MPI_INT, world), NO_ROOT, WORLD, 8, 8);
	COLL(MPI_Reduce_c(in, out, 2, MPI_INT, MPI_SUM, 0, world), 0, WORLD, 8, me == 0 ? 16 : 0);
	COLL(MPI_Scan_c(in, out, 1, MPI_INT, MPI_SUM, world), NO_ROOT, WORLD, 4 * (2 - me), 4 * (me + 1));
	printf("%d: %d %d %d\n", me, out[0], out[1], out[2]);
}
#endif

int main(int argc, char **argv)
{
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	CHECK(size == 2);
	if (argc < 2)
		gigabytes();
	nothing_often();
#ifdef HYB_HAS_MPI_Send_c
	twins_p2p();
	twins_coll();
#endif
	CALL(MPI_Finalize());
	return 0;
}
