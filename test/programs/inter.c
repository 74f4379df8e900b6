/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intercommunicators between the even and the odd ranks: messages and collectives across, blocking and not, where the
 * root is MPI_ROOT in its own group, a rank in the other one and the rest of its group stands by.
 */
#include "requests.h"

#define INT ((long long)sizeof(int))

static MPI_Comm comm;		/* the intercommunicator */
static const char *name = "across";
static int me;			/* in the local group */
static int size;		/* of the local group */
static int remote;		/* size of the other group */
static int in[256];
static int out[256];

static void report(const char *what)
{
	long long sum = 0;

	for (int i = 0; i < 256; i++)
		sum += (long long)out[i] * (i + 1);
	printf("%d: %s %lld\n", me, what, sum);
	memset(out, 0, sizeof(out));
}

static void make(int even)
{
	MPI_Comm side;
	int rank;

	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	CALL(MPI_Comm_split(MPI_COMM_WORLD, even, 0, &side));
	CALL(MPI_Comm_set_name(side, even ? "even" : "odd"));
	CALL(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, even ? 1 : 0, 17, &comm));
	CALL(MPI_Comm_set_name(comm, name));
	CALL(MPI_Comm_rank(comm, &me));
	CALL(MPI_Comm_size(comm, &size));
	CALL(MPI_Comm_remote_size(comm, &remote));
	COLL(MPI_Barrier(side), NO_ROOT, even ? "even" : "odd", 0, 0);
	CALL(MPI_Comm_free(&side));
	for (int i = 0; i < 256; i++)
		in[i] = rank * 1000 + i;
}

static void messages(int even)
{
	MPI_Status status;

	if (me >= remote)
		return;
	if (even) {
		SEND(MPI_Send(in, 3, MPI_INT, me, 5, comm), me, 5, name, 12);
		RECV(MPI_Recv(out, 9, MPI_INT, me, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE), me, 6, name,
		     16);
	} else {
		RECV(MPI_Recv(out, 9, MPI_INT, MPI_ANY_SOURCE, 5, comm, &status), me, 5, name, 12);
		SEND(MPI_Send(in, 4, MPI_INT, me, 6, comm), me, 6, name, 16);
	}
	report("message");
}

/* What this process passes as root, where the root is rank 0 of the side that has root_side set. */
static int root_of(int root_side)
{
	if (!root_side)
		return 0;
	return me == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

/* As expect_inter. */
static int shown_root(int root)
{
	if (root == MPI_ROOT)
		return -2;
	return root == MPI_PROC_NULL ? -3 : root;
}

/* MPI_Op and MPI_Iop, with the same arguments and results. */
#define ACROSS(Op, op, root, sent, received, ...) do {			\
	MPI_Request request_;						\
	int number_;							\
	EVENTS(MPI_##Op(__VA_ARGS__), (void)0, expect_coll(shown_root(root), name, sent, received)); \
	report(#op);							\
	EVENTS(MPI_I##op(__VA_ARGS__, &request_), (void)0, number_ = expect_icoll(#op, name)); \
	EVENTS(MPI_Wait(&request_, MPI_STATUS_IGNORE), (void)0,		\
	       expect_icoll_done(#op, name, shown_root(root), sent, received, number_)); \
	report(#op " later");						\
} while (0)

static void rooted(int root_side)
{
	int root = root_of(root_side);
	int is_root = root == MPI_ROOT;
	int takes_part = !root_side;	/* of the other group, all do */
	int counts[64];
	int offsets[64];
	int total = 0;

	for (int i = 0; i < remote; i++) {
		counts[i] = i + 1;
		offsets[i] = total;
		total += counts[i];
	}
	/* what does not count where the process stands by may be anything */
	ACROSS(Bcast, bcast, root, is_root * remote * 3 * INT, takes_part * 3 * INT,
	       is_root ? in : out, 3, MPI_INT, root, comm);
	ACROSS(Gather, gather, root, takes_part * 2 * INT, is_root * remote * 2 * INT,
	       in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
	ACROSS(Gatherv, gatherv, root, takes_part * (me + 1) * INT, is_root * total * INT,
	       in, me + 1, MPI_INT, out, counts, offsets, MPI_INT, root, comm);
	ACROSS(Scatter, scatter, root, is_root * remote * 2 * INT, takes_part * 2 * INT,
	       in, 2, MPI_INT, out, 2, MPI_INT, root, comm);
	ACROSS(Scatterv, scatterv, root, is_root * total * INT, takes_part * (me + 1) * INT,
	       in, counts, offsets, MPI_INT, out, me + 1, MPI_INT, root, comm);
	ACROSS(Reduce, reduce, root, takes_part * 5 * INT, is_root * remote * 5 * INT,
	       in, out, 5, MPI_INT, MPI_SUM, root, comm);
}

static void all(void)
{
	MPI_Datatype types[64];
	int counts[64];
	int offsets[64];
	int places[64];
	int own[64];

	for (int i = 0; i < remote; i++) {
		counts[i] = 2;
		offsets[i] = 2 * i;
		places[i] = 2 * i * (int)sizeof(int);
		types[i] = MPI_INT;
	}
	/* as many in each group: who comes last gets the rest of 12 */
	for (int i = 0; i < size; i++)
		own[i] = i < size - 1 ? 1 : 12 - (size - 1);
	ACROSS(Barrier, barrier, NO_ROOT, 0, 0, comm);
	ACROSS(Allgather, allgather, NO_ROOT, remote * 2 * INT, remote * 2 * INT,
	       in, 2, MPI_INT, out, 2, MPI_INT, comm);
	ACROSS(Allgatherv, allgatherv, NO_ROOT, remote * 2 * INT, remote * 2 * INT,
	       in, 2, MPI_INT, out, counts, offsets, MPI_INT, comm);
	ACROSS(Alltoall, alltoall, NO_ROOT, remote * 3 * INT, remote * 3 * INT,
	       in, 3, MPI_INT, out, 3, MPI_INT, comm);
	ACROSS(Alltoallv, alltoallv, NO_ROOT, remote * 2 * INT, remote * 2 * INT,
	       in, counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm);
	ACROSS(Alltoallw, alltoallw, NO_ROOT, remote * 2 * INT, remote * 2 * INT,
	       in, counts, places, types, out, counts, places, types, comm);
	ACROSS(Allreduce, allreduce, NO_ROOT, remote * 2 * INT, remote * 2 * INT,
	       in, out, 2, MPI_INT, MPI_SUM, comm);
	ACROSS(Reduce_scatter, reduce_scatter, NO_ROOT, 12 * INT, remote * own[me] * INT,
	       in, out, own, MPI_INT, MPI_SUM, comm);
	if (size == remote)
		ACROSS(Reduce_scatter_block, reduce_scatter_block, NO_ROOT, size * 2 * INT, remote * 2 * INT,
		       in, out, 2, MPI_INT, MPI_SUM, comm);
}

int main(int argc, char **argv)
{
	MPI_Comm merged;
	int rank;
	int ranks;
	int even;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
	CHECK(ranks >= 2 && ranks <= 64);
	even = rank % 2 == 0;
	make(even);
	messages(even);
	rooted(even);
	rooted(!even);
	all();
	CALL(MPI_Intercomm_merge(comm, even, &merged));
	CALL(MPI_Comm_set_name(merged, "merged"));
	COLL(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, merged), NO_ROOT, "merged",
	     (ranks - 1) * INT, (ranks - 1) * INT);
	CALL(MPI_Comm_free(&merged));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Finalize());
	return 0;
}
