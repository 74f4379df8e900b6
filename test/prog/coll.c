/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every blocking collective on an intracommunicator, each with different sizes for each rank where it
 * allows that, once with and once without MPI_IN_PLACE. Bytes sent and received are those of the operation's
 * meaning, the part for oneself included; a part that stays in place is neither sent nor received.
 */
#include "expect.h"

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

	COLL(MPI_Bcast(is_root ? in : out, 3, MPI_INT, root, comm), root, name,
	     is_root ? size * 3 * INT : 0, 3 * INT);
	report("bcast");
	COLL(MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root, comm), root, name, 2 * INT,
	     is_root ? size * 2 * INT : 0);
	report("gather");
	COLL(MPI_Gatherv(in, counts[me], MPI_INT, out, counts, offsets, MPI_INT, root, comm), root,
	     name, counts[me] * INT, is_root ? total * INT : 0);
	report("gatherv");
	COLL(MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, root, comm), root, name,
	     is_root ? size * 2 * INT : 0, 2 * INT);
	report("scatter");
	COLL(MPI_Scatterv(in, counts, offsets, MPI_INT, out, counts[me], MPI_INT, root, comm), root,
	     name, is_root ? total * INT : 0, counts[me] * INT);
	report("scatterv");
	COLL(MPI_Reduce(in, out, 5, MPI_INT, MPI_SUM, root, comm), root, name, 5 * INT,
	     is_root ? size * 5 * INT : 0);
	report("reduce");
}

/* Only the root's own part may stay in place; what the others pass there is not looked at. */
static void rooted_in_place(int root)
{
	int is_root = me == root;
	int *sent = is_root ? MPI_IN_PLACE : in;
	int *received = is_root ? MPI_IN_PLACE : out;

	COLL(MPI_Gather(sent, 2, MPI_INT, out, 2, MPI_INT, root, comm), root, name,
	     is_root ? 0 : 2 * INT, is_root ? (size - 1) * 2 * INT : 0);
	report("gather in place");
	COLL(MPI_Gatherv(sent, counts[me], MPI_INT, out, counts, offsets, MPI_INT, root, comm), root,
	     name, is_root ? 0 : counts[me] * INT, is_root ? (total - counts[me]) * INT : 0);
	report("gatherv in place");
	COLL(MPI_Scatter(in, 2, MPI_INT, received, 2, MPI_INT, root, comm), root, name,
	     is_root ? (size - 1) * 2 * INT : 0, is_root ? 0 : 2 * INT);
	report("scatter in place");
	COLL(MPI_Scatterv(in, counts, offsets, MPI_INT, received, counts[me], MPI_INT, root, comm),
	     root, name, is_root ? (total - counts[me]) * INT : 0, is_root ? 0 : counts[me] * INT);
	report("scatterv in place");
	COLL(MPI_Reduce(is_root ? MPI_IN_PLACE : in, out, 5, MPI_INT, MPI_SUM, root, comm), root, name,
	     is_root ? 0 : 5 * INT, is_root ? (size - 1) * 5 * INT : 0);
	report("reduce in place");
}

static void all(void)
{
	COLL(MPI_Barrier(comm), NO_ROOT, name, 0, 0);
	COLL(MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm), NO_ROOT, name, size * 2 * INT,
	     size * 2 * INT);
	report("allgather");
	COLL(MPI_Allgatherv(in, counts[me], MPI_INT, out, counts, offsets, MPI_INT, comm), NO_ROOT,
	     name, size * counts[me] * INT, total * INT);
	report("allgatherv");
	COLL(MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm), NO_ROOT, name, size * 2 * INT,
	     size * 2 * INT);
	report("alltoall");
	COLL(MPI_Allreduce(in, out, 3, MPI_INT, MPI_SUM, comm), NO_ROOT, name, size * 3 * INT,
	     size * 3 * INT);
	report("allreduce");
	COLL(MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm), NO_ROOT, name, total * INT,
	     size * counts[me] * INT);
	report("reduce_scatter");
	COLL(MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     size * 2 * INT, size * 2 * INT);
	report("reduce_scatter_block");
	COLL(MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name, (size - me) * 2 * INT,
	     (me + 1) * 2 * INT);
	report("scan");
	if (me == 0)
		memset(out, 0, 2 * sizeof(int));
	COLL(MPI_Exscan(in, out + size, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     (size - me - 1) * 2 * INT, me * 2 * INT);
	report("exscan");
}

static void all_in_place(void)
{
	COLL(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm), NO_ROOT, name,
	     (size - 1) * 2 * INT, (size - 1) * 2 * INT);
	report("allgather in place");
	COLL(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, offsets, MPI_INT, comm),
	     NO_ROOT, name, (size - 1) * counts[me] * INT, (total - counts[me]) * INT);
	report("allgatherv in place");
	COLL(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, comm), NO_ROOT, name,
	     (size - 1) * 2 * INT, (size - 1) * 2 * INT);
	report("alltoall in place");
	COLL(MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     (size - 1) * 3 * INT, (size - 1) * 3 * INT);
	report("allreduce in place");
	COLL(MPI_Reduce_scatter(MPI_IN_PLACE, out, counts, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     (total - counts[me]) * INT, (size - 1) * counts[me] * INT);
	report("reduce_scatter in place");
	COLL(MPI_Reduce_scatter_block(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     (size - 1) * 2 * INT, (size - 1) * 2 * INT);
	report("reduce_scatter_block in place");
	COLL(MPI_Scan(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm), NO_ROOT, name,
	     (size - me - 1) * 2 * INT, me * 2 * INT);
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
	COLL(MPI_Alltoallv(in, n, at, MPI_INT, out, n, at, MPI_INT, comm), NO_ROOT, name, values * INT,
	     values * INT);
	report("alltoallv");
	COLL(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, n, at, MPI_INT, comm),
	     NO_ROOT, name, (values - n[me]) * INT, (values - n[me]) * INT);
	report("alltoallv in place");
	for (int i = 0; i < size; i++)
		at[i] *= (int)sizeof(int);
	COLL(MPI_Alltoallw(in, n, at, types, out, n, at, types, comm), NO_ROOT, name, values * INT,
	     values * INT);
	report("alltoallw");
	COLL(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, out, n, at, types, comm), NO_ROOT, name,
	     (values - n[me]) * INT, (values - n[me]) * INT);
	report("alltoallw in place");
	free(at);
	free(n);
	free(types);
}

int main(int argc, char **argv)
{
	int a = 1;
	int b = 2;

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
