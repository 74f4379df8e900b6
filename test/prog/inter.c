/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intercommunicators between the even and the odd ranks: messages and collectives across, where the root
 * is MPI_ROOT in its own group, a rank in the other one and the rest of its group stands by.
 */
#include "expect.h"

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
	EVENTS(MPI_Bcast(is_root ? in : out, 3, MPI_INT, root, comm), (void)0,
	       expect_inter(root, name, is_root * remote * 3 * INT, takes_part * 3 * INT));
	report("bcast");
	EVENTS(MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, comm), (void)0,
	       expect_inter(root, name, takes_part * 2 * INT, is_root * remote * 2 * INT));
	report("gather");
	EVENTS(MPI_Gatherv(in, me + 1, MPI_INT, out, counts, offsets, MPI_INT, root, comm), (void)0,
	       expect_inter(root, name, takes_part * (me + 1) * INT, is_root * total * INT));
	report("gatherv");
	EVENTS(MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, comm), (void)0,
	       expect_inter(root, name, is_root * remote * 2 * INT, takes_part * 2 * INT));
	report("scatter");
	EVENTS(MPI_Scatterv(in, counts, offsets, MPI_INT, out, me + 1, MPI_INT, root, comm), (void)0,
	       expect_inter(root, name, is_root * total * INT, takes_part * (me + 1) * INT));
	report("scatterv");
	EVENTS(MPI_Reduce(in, out, 5, MPI_INT, MPI_SUM, root, comm), (void)0,
	       expect_inter(root, name, takes_part * 5 * INT, is_root * remote * 5 * INT));
	report("reduce");
}

static void all(void)
{
	int counts[64];
	int offsets[64];

	for (int i = 0; i < remote; i++) {
		counts[i] = 2;
		offsets[i] = 2 * i;
	}
	COLL(MPI_Barrier(comm), NO_ROOT, name, 0, 0);
	COLL(MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm), NO_ROOT, name, remote * 2 * INT,
	     remote * 2 * INT);
	report("allgather");
	COLL(MPI_Allgatherv(in, 2, MPI_INT, out, counts, offsets, MPI_INT, comm), NO_ROOT, name,
	     remote * 2 * INT, remote * 2 * INT);
	report("allgatherv");
	COLL(MPI_Alltoall(in, 3, MPI_INT, out, 3, MPI_INT, comm), NO_ROOT, name, remote * 3 * INT,
	     remote * 3 * INT);
	report("alltoall");
	COLL(MPI_Alltoallv(in, counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm), NO_ROOT,
	     name, remote * 2 * INT, remote * 2 * INT);
	report("alltoallv");
	COLL(MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name, remote * 2 * INT,
	     remote * 2 * INT);
	report("allreduce");
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
