/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of communicators, asked of MPI when it has made one: what the program passed may be in Fortran's words,
 * and of a graph that each process describes a part of only MPI knows the rest. These questions are answered locally.
 */
#include "pmpi/adapter/handles/topology.h"

#include "pmpi/adapter/call-memory.h"
#include "core/record/definitions.h"

/* MPI's integers are written down as they are. */
_Static_assert(sizeof(int) == sizeof(uint32_t), "ranks and extents have 32 bits");

static void *get_ints(struct hyb_call_memory *room, size_t count)
{
	return hyb_call_memory_get(room, count * sizeof(int));
}

static void define_cart(uint32_t id, MPI_Comm comm)
{
	struct hyb_def_topology def = { .kind = HYB_TOPOLOGY_CART };
	struct hyb_call_memory room;
	int dims = 0;
	int *list;

	PMPI_Cartdim_get(comm, &dims);
	list = get_ints(&room, 3 * (size_t)dims);
	if (!list)
		return;
	PMPI_Cart_get(comm, dims, list, list + dims, list + 2 * dims);
	for (int i = dims; i < 2 * dims; i++)
		list[i] = list[i] != 0;
	def.in = (uint32_t)dims;
	def.count = 3 * def.in;
	hyb_def_topology(id, &def, (const uint32_t *)list);
	hyb_call_memory_free(&room);
}

static void define_graph(uint32_t id, MPI_Comm comm, int rank)
{
	struct hyb_def_topology def = { .kind = HYB_TOPOLOGY_GRAPH };
	struct hyb_call_memory room;
	int nodes = 0;
	int edges = 0;
	int out = 0;
	int *list;

	PMPI_Graphdims_get(comm, &nodes, &edges);
	PMPI_Graph_neighbors_count(comm, rank, &out);
	list = get_ints(&room, (size_t)out);
	if (!list)
		return;
	PMPI_Graph_neighbors(comm, rank, out, list);
	def.out = (uint32_t)out;
	def.nodes = (uint32_t)nodes;
	def.edges = (uint32_t)edges;
	def.count = def.out;
	hyb_def_topology(id, &def, (const uint32_t *)list);
	hyb_call_memory_free(&room);
}

static void define_dist_graph(uint32_t id, MPI_Comm comm)
{
	struct hyb_def_topology def = { .kind = HYB_TOPOLOGY_DIST_GRAPH };
	struct hyb_call_memory room;
	int weighted = 0;
	int out = 0;
	int in = 0;
	int *list;
	int n;

	PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
	n = in + out;
	/* Weights have their place also where there are none: MPI then leaves it alone. */
	list = get_ints(&room, 2 * (size_t)n);
	if (!list)
		return;
	PMPI_Dist_graph_neighbors(comm, in, list, list + n, out, list + in, list + n + in);
	def.in = (uint32_t)in;
	def.out = (uint32_t)out;
	def.weighted = weighted != 0;
	def.count = (uint32_t)n * (1 + def.weighted);
	hyb_def_topology(id, &def, (const uint32_t *)list);
	hyb_call_memory_free(&room);
}

void hyb_topology_define(uint32_t id, int rank, MPI_Comm comm)
{
	int topology = MPI_UNDEFINED;

	PMPI_Topo_test(comm, &topology);
	if (topology == MPI_CART)
		define_cart(id, comm);
	else if (topology == MPI_GRAPH)
		define_graph(id, comm, rank);
	else if (topology == MPI_DIST_GRAPH)
		define_dist_graph(id, comm);
}
