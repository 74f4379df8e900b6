/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cartesian and graph topologies and every blocking neighbourhood collective. On a line that does not
 * wrap around the neighbour beyond the end is nobody: nothing goes there.
 */
#include "expect.h"

#define INT ((long long)sizeof(int))

static int me;
static int size;
static int in[64];
static int out[64];

static void report(const char *what)
{
	long long sum = 0;

	for (int i = 0; i < 64; i++)
		sum += (long long)out[i] * (i + 1);
	printf("%d: %s %lld\n", me, what, sum);
	memset(out, 0, sizeof(out));
}

/* to and from: how many there really are on either side */
static void neighbours(MPI_Comm comm, const char *name, int to, int from)
{
	MPI_Datatype types[2] = { MPI_INT, MPI_INT };
	MPI_Aint places[2] = { 0, 4 * sizeof(int) };
	int offsets[2] = { 0, 4 };
	int counts[2] = { 3, 3 };

	COLL(MPI_Neighbor_allgather(in, 2, MPI_INT, out, 2, MPI_INT, comm), NO_ROOT, name, to * 2 * INT,
	     from * 2 * INT);
	report("neighbor_allgather");
	COLL(MPI_Neighbor_allgatherv(in, 3, MPI_INT, out, counts, offsets, MPI_INT, comm), NO_ROOT,
	     name, to * 3 * INT, from * 3 * INT);
	report("neighbor_allgatherv");
	COLL(MPI_Neighbor_alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm), NO_ROOT, name, to * 2 * INT,
	     from * 2 * INT);
	report("neighbor_alltoall");
	COLL(MPI_Neighbor_alltoallv(in, counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm),
	     NO_ROOT, name, to * 3 * INT, from * 3 * INT);
	report("neighbor_alltoallv");
	COLL(MPI_Neighbor_alltoallw(in, counts, places, types, out, counts, places, types, comm),
	     NO_ROOT, name, to * 3 * INT, from * 3 * INT);
	report("neighbor_alltoallw");
}

static void line(int wrap)
{
	const char *name = wrap ? "ring" : "line";
	int near = wrap ? 2 : (me > 0) + (me < size - 1);
	MPI_Comm comm;
	MPI_Comm part;
	int remain = 1;
	int before;
	int after;

	CALL(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &wrap, 0, &comm));
	CALL(MPI_Comm_set_name(comm, name));
	CALL(MPI_Cart_shift(comm, 0, 1, &before, &after));
	if (after != MPI_PROC_NULL)
		SEND(MPI_Send(&me, 1, MPI_INT, after, 1, comm), after, 1, name, 4);
	else
		CALL(MPI_Send(&me, 1, MPI_INT, after, 1, comm));
	if (before != MPI_PROC_NULL)
		RECV(MPI_Recv(out, 1, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE), before, 1, name, 4);
	else
		CALL(MPI_Recv(out, 1, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE));
	report(name);
	neighbours(comm, name, near, near);
	CALL(MPI_Cart_sub(comm, &remain, &part));
	CALL(MPI_Comm_set_name(part, "sub"));
	COLL(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, part), NO_ROOT, "sub", size * INT,
	     size * INT);
	report("sub");
	CALL(MPI_Comm_free(&part));
	CALL(MPI_Comm_free(&comm));
}

/* Everybody sends to its successor and takes from its predecessor: the last one sends to nobody. */
static void graph(void)
{
	int source = me - 1;
	int target = me + 1;
	int in_degree = me > 0;
	int out_degree = me < size - 1;
	int weight = 1;
	MPI_Comm comm;

	CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, &source, &weight, out_degree,
					    &target, &weight, MPI_INFO_NULL, 0, &comm));
	CALL(MPI_Comm_set_name(comm, "chain"));
	neighbours(comm, "chain", out_degree, in_degree);
	CALL(MPI_Comm_free(&comm));
	/* the same, of which each says its own edges only */
	CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &out_degree, &target, &weight, MPI_INFO_NULL, 0,
				   &comm));
	CALL(MPI_Comm_set_name(comm, "same chain"));
	neighbours(comm, "same chain", out_degree, in_degree);
	CALL(MPI_Comm_free(&comm));
}

/* The old kind of graph: a star around rank 0, which has its first two neighbours only. */
static void star(void)
{
	int index[3] = { 2, 3, 4 };
	int edges[4] = { 1, 2, 0, 0 };
	MPI_Comm comm;

	if (size < 3)
		return;
	CALL(MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &comm));
	if (me > 2) {
		CHECK(comm == MPI_COMM_NULL);
		return;
	}
	CALL(MPI_Comm_set_name(comm, "star"));
	neighbours(comm, "star", me ? 1 : 2, me ? 1 : 2);
	CALL(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	for (int i = 0; i < 64; i++)
		in[i] = 100 * me + i;
	line(0);
	line(1);
	graph();
	star();
	CALL(MPI_Finalize());
	return 0;
}
