/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every blocking collective on an intracommunicator, each with different sizes for each rank where it
 * allows that, once with and once without MPI_IN_PLACE; `coll ways`: also non-blocking and persistent. Bytes sent
 * and received are those of the operation's meaning, the part for oneself included; a part that stays in place is
 * neither sent nor received.
 */
#include "ways.h"

#define INT ((long long)sizeof(int))

static MPI_Comm comm = MPI_COMM_WORLD;
static const char *name = "MPI_COMM_WORLD";
static int me;
static int size;

/* buffers of all calls, filled by their owners anew before each */
static int *in;
static int *out;
static int *counts;
static int *offsets;
static int total;	/* of counts */

static void fill(void)
{
	for (int i = 0; i < 4 * size * size; i++) {
		in[i] = me * 1000 + i;
		out[i] = -i;
	}
}

static void report(const char *what)
{
	long long sum = 0;

	for (int i = 0; i < 4 * size * size; i++)
		sum += (long long)out[i] * (i + 1);
	printf("%d: %s %lld\n", me, what, sum);
	fill();
}

static void rooted(int root)
{
	int is_root = me == root;

	WAYS(Bcast, bcast, root, is_root ? size * 3 * INT : 0, 3 * INT, is_root ? in : out, 3,
	     MPI_INT, root, comm);
	report("bcast");
	WAYS(Gather, gather, root, 2 * INT, is_root ? size * 2 * INT : 0, in, 2, MPI_INT, out, 2,
	     MPI_INT, root, comm);
	report("gather");
	WAYS(Gatherv, gatherv, root, counts[me] * INT, is_root ? total * INT : 0, in, counts[me],
	     MPI_INT, out, counts, offsets, MPI_INT, root, comm);
	report("gatherv");
	WAYS(Scatter, scatter, root, is_root ? size * 2 * INT : 0, 2 * INT, in, 2, MPI_INT, out, 2,
	     MPI_INT, root, comm);
	report("scatter");
	WAYS(Scatterv, scatterv, root, is_root ? total * INT : 0, counts[me] * INT, in, counts,
	     offsets, MPI_INT, out, counts[me], MPI_INT, root, comm);
	report("scatterv");
	WAYS(Reduce, reduce, root, 5 * INT, is_root ? size * 5 * INT : 0, in, out, 5, MPI_INT,
	     MPI_SUM, root, comm);
	report("reduce");
}

/* Only the root's own part may stay in place; what the others pass there is not looked at. */
static void rooted_in_place(int root)
{
	int is_root = me == root;
	int *sent = is_root ? MPI_IN_PLACE : in;
	int *received = is_root ? MPI_IN_PLACE : out;

	WAYS(Gather, gather, root, is_root ? 0 : 2 * INT, is_root ? (size - 1) * 2 * INT : 0, sent,
	     2, MPI_INT, out, 2, MPI_INT, root, comm);
	report("gather in place");
	WAYS(Gatherv, gatherv, root, is_root ? 0 : counts[me] * INT,
	     is_root ? (total - counts[me]) * INT : 0, sent, counts[me], MPI_INT, out, counts, offsets,
	     MPI_INT, root, comm);
	report("gatherv in place");
	WAYS(Scatter, scatter, root, is_root ? (size - 1) * 2 * INT : 0, is_root ? 0 : 2 * INT, in,
	     2, MPI_INT, received, 2, MPI_INT, root, comm);
	report("scatter in place");
	WAYS(Scatterv, scatterv, root, is_root ? (total - counts[me]) * INT : 0,
	     is_root ? 0 : counts[me] * INT, in, counts, offsets, MPI_INT, received, counts[me],
	     MPI_INT, root, comm);
	report("scatterv in place");
	WAYS(Reduce, reduce, root, is_root ? 0 : 5 * INT, is_root ? (size - 1) * 5 * INT : 0,
	     is_root ? MPI_IN_PLACE : in, out, 5, MPI_INT, MPI_SUM, root, comm);
	report("reduce in place");
}

static void all(void)
{
	WAYS(Barrier, barrier, NO_ROOT, 0, 0, comm);
	WAYS(Allgather, allgather, NO_ROOT, size * 2 * INT, size * 2 * INT, in, 2, MPI_INT, out, 2,
	     MPI_INT, comm);
	report("allgather");
	WAYS(Allgatherv, allgatherv, NO_ROOT, size * counts[me] * INT, total * INT, in, counts[me],
	     MPI_INT, out, counts, offsets, MPI_INT, comm);
	report("allgatherv");
	WAYS(Alltoall, alltoall, NO_ROOT, size * 2 * INT, size * 2 * INT, in, 2, MPI_INT, out, 2,
	     MPI_INT, comm);
	report("alltoall");
	WAYS(Allreduce, allreduce, NO_ROOT, size * 3 * INT, size * 3 * INT, in, out, 3, MPI_INT,
	     MPI_SUM, comm);
	report("allreduce");
	WAYS(Reduce_scatter, reduce_scatter, NO_ROOT, total * INT, size * counts[me] * INT, in, out,
	     counts, MPI_INT, MPI_SUM, comm);
	report("reduce_scatter");
	WAYS(Reduce_scatter_block, reduce_scatter_block, NO_ROOT, size * 2 * INT, size * 2 * INT,
	     in, out, 2, MPI_INT, MPI_SUM, comm);
	report("reduce_scatter_block");
	WAYS(Scan, scan, NO_ROOT, (size - me) * 2 * INT, (me + 1) * 2 * INT, in, out, 2, MPI_INT,
	     MPI_SUM, comm);
	report("scan");
	if (me == 0)
		memset(out, 0, 2 * sizeof(int));
	WAYS(Exscan, exscan, NO_ROOT, (size - me - 1) * 2 * INT, me * 2 * INT, in, out + size, 2,
	     MPI_INT, MPI_SUM, comm);
	report("exscan");
}

static void all_in_place(void)
{
	WAYS(Allgather, allgather, NO_ROOT, (size - 1) * 2 * INT, (size - 1) * 2 * INT,
	     MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm);
	report("allgather in place");
	WAYS(Allgatherv, allgatherv, NO_ROOT, (size - 1) * counts[me] * INT, (total - counts[me]) *
	     INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, offsets, MPI_INT, comm);
	report("allgatherv in place");
	WAYS(Alltoall, alltoall, NO_ROOT, (size - 1) * 2 * INT, (size - 1) * 2 * INT, MPI_IN_PLACE,
	     0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm);
	report("alltoall in place");
	WAYS(Allreduce, allreduce, NO_ROOT, (size - 1) * 3 * INT, (size - 1) * 3 * INT,
	     MPI_IN_PLACE, out, 3, MPI_INT, MPI_SUM, comm);
	report("allreduce in place");
	WAYS(Reduce_scatter, reduce_scatter, NO_ROOT, (total - counts[me]) * INT, (size - 1) *
	     counts[me] * INT, MPI_IN_PLACE, out, counts, MPI_INT, MPI_SUM, comm);
	report("reduce_scatter in place");
	WAYS(Reduce_scatter_block, reduce_scatter_block, NO_ROOT, (size - 1) * 2 * INT, (size - 1) *
	     2 * INT, MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm);
	report("reduce_scatter_block in place");
	WAYS(Scan, scan, NO_ROOT, (size - me - 1) * 2 * INT, me * 2 * INT, MPI_IN_PLACE, out, 2,
	     MPI_INT, MPI_SUM, comm);
	report("scan in place");
}

/* Rank i sends i + j + 1 values to rank j; so each receives as many from it. */
static void all_to_all(void)
{
	MPI_Datatype *types = calloc(size, sizeof(*types));
	int *n = calloc(size, sizeof(*n));
	int *at = calloc(size, sizeof(*at));
	long long values = 0;

	CHECK(types && n && at);
	for (int i = 0; i < size; i++) {
		n[i] = me + i + 1;
		at[i] = values;
		types[i] = MPI_INT;
		values += n[i];
	}
	WAYS(Alltoallv, alltoallv, NO_ROOT, values * INT, values * INT, in, n, at, MPI_INT, out, n,
	     at, MPI_INT, comm);
	report("alltoallv");
	WAYS(Alltoallv, alltoallv, NO_ROOT, (values - n[me]) * INT, (values - n[me]) * INT,
	     MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, n, at, MPI_INT, comm);
	report("alltoallv in place");
	for (int i = 0; i < size; i++)
		at[i] *= (int)sizeof(int);
	WAYS(Alltoallw, alltoallw, NO_ROOT, values * INT, values * INT, in, n, at, types, out, n,
	     at, types, comm);
	report("alltoallw");
	WAYS(Alltoallw, alltoallw, NO_ROOT, (values - n[me]) * INT, (values - n[me]) * INT,
	     MPI_IN_PLACE, NULL, NULL, NULL, out, n, at, types, comm);
	report("alltoallw in place");
	free(at);
	free(n);
	free(types);
}

int main(int argc, char **argv)
{
	int a = 1;
	int b = 2;

	ways = argc > 1 && strcmp(argv[1], "ways") == 0;
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(comm, &me));
	CALL(MPI_Comm_size(comm, &size));
	in = calloc(4 * size * size + 5, sizeof(*in));
	out = calloc(4 * size * size + 5, sizeof(*out));
	counts = calloc(size, sizeof(*counts));
	offsets = calloc(size, sizeof(*offsets));
	CHECK(in && out && counts && offsets);
	for (int i = 0; i < size; i++) {
		counts[i] = i;	/* nothing from or to rank 0 */
		offsets[i] = total;
		total += i;
	}
	fill();
	for (int root = 0; root < size; root += size - 1 ? size - 1 : 1) {
		rooted(root);
		rooted_in_place(root);
	}
	all();
	all_in_place();
	all_to_all();
	CALL(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_SUM));
	printf("%d: reduce_local %d\n", me, b);
	free(offsets);
	free(counts);
	free(out);
	free(in);
	CALL(MPI_Finalize());
	return 0;
}
