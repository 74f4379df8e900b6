/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cartesian and graph topologies and every neighbourhood collective; `topo ways`: also non-blocking and persistent.
 * On a line that does not wrap around the neighbour beyond the end is nobody: nothing goes there. The shapes that MPI
 * was told are printed, so that they can be looked for in the recording.
 */
#include "ways.h"

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

static void put_list(char *text, size_t room, const char *key, const int *list, int count)
{
	size_t n = strlen(text);

	n += snprintf(text + n, room - n, " %s=%s", key, count ? "" : "-");
	for (int i = 0; i < count; i++)
		n += snprintf(text + n, room - n, "%s%d", i ? "," : "", list[i]);
}

static void cart_text(const char *how, const char *name, int dims, const int *extents, const int *periods,
		      const int *coords)
{
	char text[256] = "";

	put_list(text, sizeof(text), "dims", extents, dims);
	put_list(text, sizeof(text), "periodic", periods, dims);
	put_list(text, sizeof(text), "coords", coords, dims);
	printf("%s %s kind=cart%s\n", how, name, text);
}

static void cart_is(const char *name, int dims, const int *extents, const int *periods, const int *coords)
{
	cart_text("shape", name, dims, extents, periods, coords);
}

/* weight 0: none */
static void graph_is(const char *name, int in, const int *sources, int out, const int *targets, int weight)
{
	const int weights[2] = { weight, weight };
	char text[256] = "";

	put_list(text, sizeof(text), "from", sources, in);
	put_list(text, sizeof(text), "to", targets, out);
	if (weight) {
		put_list(text, sizeof(text), "weights-from", weights, in);
		put_list(text, sizeof(text), "weights-to", weights, out);
	}
	printf("shape %s kind=dist-graph%s\n", name, text);
}

/* to and from: how many there really are on either side */
static void neighbours(MPI_Comm comm, const char *name, int to, int from)
{
	MPI_Datatype types[2] = { MPI_INT, MPI_INT };
	MPI_Aint places[2] = { 0, 4 * sizeof(int) };
	int offsets[2] = { 0, 4 };
	int counts[2] = { 3, 3 };

	WAYS(Neighbor_allgather, neighbor_allgather, NO_ROOT, to * 2 * INT, from * 2 * INT, in, 2,
	     MPI_INT, out, 2, MPI_INT, comm);
	report("neighbor_allgather");
	WAYS(Neighbor_allgatherv, neighbor_allgatherv, NO_ROOT, to * 3 * INT, from * 3 * INT, in, 3,
	     MPI_INT, out, counts, offsets, MPI_INT, comm);
	report("neighbor_allgatherv");
	WAYS(Neighbor_alltoall, neighbor_alltoall, NO_ROOT, to * 2 * INT, from * 2 * INT, in, 2,
	     MPI_INT, out, 2, MPI_INT, comm);
	report("neighbor_alltoall");
	WAYS(Neighbor_alltoallv, neighbor_alltoallv, NO_ROOT, to * 3 * INT, from * 3 * INT, in,
	     counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm);
	report("neighbor_alltoallv");
	WAYS(Neighbor_alltoallw, neighbor_alltoallw, NO_ROOT, to * 3 * INT, from * 3 * INT, in,
	     counts, places, types, out, counts, places, types, comm);
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
	cart_is(name, 1, &size, &wrap, &me);
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
	cart_is("sub", 1, &size, &wrap, &me);
	COLL(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAX, part), NO_ROOT, "sub", size * INT,
	     size * INT);
	report("sub");
	CALL(MPI_Comm_free(&part));
	CALL(MPI_Comm_free(&comm));
}

/* Two rows, of which those of a column are neighbours all around. A copy has the shape, and its rows have theirs. */
static void grid(void)
{
	int extents[2] = { 2, size / 2 };
	int periods[2] = { 7, 0 };	/* any number but 0 says that it is */
	int coords[2] = { me / extents[1], me % extents[1] };
	int remain[2] = { 0, 1 };
	int got[6];
	MPI_Request request;
	MPI_Comm again;
	MPI_Comm comm;
	MPI_Comm copy;
	MPI_Comm part;
	MPI_Comm row;

	if (size % 2)
		return;
	CALL(MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &comm));
	CALL(MPI_Comm_set_name(comm, "grid"));
	periods[0] = 1;
	cart_is("grid", 2, extents, periods, coords);
	CALL(MPI_Cart_coords(comm, me, 2, got));
	CHECK(got[0] == coords[0] && got[1] == coords[1]);
	CALL(MPI_Comm_dup(comm, &copy));
	CALL(MPI_Comm_set_name(copy, "copy"));
	cart_text("copied", "copy", 2, extents, periods, coords);
	CALL(MPI_Comm_idup(copy, &again, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CALL(MPI_Comm_set_name(again, "copy-of-copy"));
	cart_text("copied", "copy-of-copy", 2, extents, periods, coords);
	/* the same members, but no copy */
	CALL(MPI_Comm_split(comm, 0, me, &part));
	CALL(MPI_Comm_set_name(part, "no-copy"));
	CALL(MPI_Comm_free(&part));
	CALL(MPI_Comm_free(&again));
	CALL(MPI_Cart_get(copy, 2, got, got + 2, got + 4));
	CHECK(got[0] == extents[0] && got[5] == coords[1]);
	CALL(MPI_Cart_sub(copy, remain, &row));
	CALL(MPI_Comm_set_name(row, "row"));
	cart_is("row", 1, extents + 1, periods + 1, coords + 1);
	CALL(MPI_Comm_free(&row));
	CALL(MPI_Comm_free(&copy));
	CALL(MPI_Comm_free(&comm));
}

/* Everybody sends to its successor and takes from its predecessor: the last one sends to nobody. */
static void graph(void)
{
	int source = me - 1;
	int target = me + 1;
	int in_degree = me > 0;
	int out_degree = me < size - 1;
	int weight = 3;
	MPI_Comm comm;

	CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, &source, &weight, out_degree,
					    &target, &weight, MPI_INFO_NULL, 0, &comm));
	CALL(MPI_Comm_set_name(comm, "chain"));
	graph_is("chain", in_degree, &source, out_degree, &target, weight);
	neighbours(comm, "chain", out_degree, in_degree);
	CALL(MPI_Comm_free(&comm));
	/* the same, of which each says its own edges only */
	CALL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &out_degree, &target, &weight, MPI_INFO_NULL, 0,
				   &comm));
	CALL(MPI_Comm_set_name(comm, "same-chain"));
	graph_is("same-chain", in_degree, &source, out_degree, &target, weight);
	neighbours(comm, "same-chain", out_degree, in_degree);
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in_degree, &source, MPI_UNWEIGHTED, out_degree,
					    &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
	CALL(MPI_Comm_set_name(comm, "unweighted"));
	graph_is("unweighted", in_degree, &source, out_degree, &target, 0);
	CALL(MPI_Comm_free(&comm));
}

/* The old kind of graph: a star around rank 0, which has its first two neighbours only. */
static void star(void)
{
	int index[3] = { 2, 3, 4 };
	int edges[4] = { 1, 2, 0, 0 };
	MPI_Comm comm;
	MPI_Comm copy;

	if (size < 3)
		return;
	CALL(MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &comm));
	if (me > 2) {
		CHECK(comm == MPI_COMM_NULL);
		return;
	}
	CALL(MPI_Comm_set_name(comm, "star"));
	printf("shape star kind=graph nodes=3 edges=4 neighbours=%s\n", me ? "0" : "1,2");
	neighbours(comm, "star", me ? 1 : 2, me ? 1 : 2);
	CALL(MPI_Comm_dup(comm, &copy));
	CALL(MPI_Comm_set_name(copy, "star-copy"));
	printf("copied star-copy kind=graph nodes=3 edges=4 neighbours=%s\n", me ? "0" : "1,2");
	CALL(MPI_Comm_free(&copy));
	CALL(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
	ways = argc > 1 && strcmp(argv[1], "ways") == 0;
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	for (int i = 0; i < 64; i++)
		in[i] = 100 * me + i;
	line(0);
	line(1);
	grid();
	graph();
	star();
	CALL(MPI_Finalize());
	return 0;
}
