/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of collective operations: root, bytes sent, bytes received; see collective.h for what counts as bytes.
 * They are made before the call, of what is known then. If that is not enough, they are made after it succeeded, or
 * failed while it was carried out, so that MPI may be asked about its handles, but only about arguments that are
 * significant in this process. n is the number of those that data goes to and comes from: the communicator's size, or of
 * an intercommunicator the remote group's.
 */
#include "pmpi/adapter/collective.h"

#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/type.h"

#define ROOT_SELF (-2)	     /* of an intercommunicator: this process is the root */
#define ROOT_THIS_GROUP (-3) /* of an intercommunicator: another one of this process's group is */

/*
 * What goes to or comes from one member each: the same from all, or counts and types of their own.
 */
struct parts {
	const void *counts; /* NULL: count for all */
	size_t width;	    /* of one of counts */
	MPI_Count count;
	const MPI_Datatype *types; /* NULL: type for all */
	MPI_Datatype type;
};

/* MPI may be asked; otherwise it is set whether that would have been needed. */
struct query {
	bool ask;
	bool late;
};

static HYB_HOT const struct hyb_comm *comm_of(struct query *q, MPI_Comm comm)
{
	static const struct hyb_comm unknown = { .id = HYB_NO_COMM };
	const struct hyb_comm *c = hyb_comm_find(comm);

	if (hyb_likely(c != NULL))
		return c;
	if (q->ask)
		return hyb_comm_get(comm);
	q->late = true;
	return &unknown;
}

/* So many elements. Of none the type may be anything: MPI_DATATYPE_NULL as well. */
static HYB_HOT uint64_t bytes_of(struct query *q, MPI_Count count, MPI_Datatype type)
{
	uint64_t size1;

	if (count <= 0)
		return 0;
	size1 = hyb_type_find(type);
	if (hyb_likely(size1 != 0))
		return (uint64_t)count * (size1 - 1);
	if (q->ask)
		return hyb_type_bytes(count, type);
	q->late = true;
	return 0;
}

static MPI_Count count_of(const struct parts *parts, int i)
{
	if (!parts->counts)
		return parts->count;
	return parts->width == sizeof(int) ? ((const int *)parts->counts)[i]
					   : ((const MPI_Count *)parts->counts)[i];
}

static uint64_t part(struct query *q, const struct parts *parts, int i)
{
	return bytes_of(q, count_of(parts, i), parts->types ? parts->types[i] : parts->type);
}

/* A type is looked up once where it is that of all: there may be thousands of members. */
static uint64_t sum(struct query *q, const struct parts *parts, int n)
{
	MPI_Count elements = 0;
	uint64_t total = 0;
	int i;

	if (!parts->counts && !parts->types)
		return n > 0 ? (uint64_t)n * part(q, parts, 0) : 0;
	for (i = 0; i < n; i++) {
		if (parts->types)
			total += part(q, parts, i);
		else
			elements += count_of(parts, i);
	}
	return total + bytes_of(q, elements, parts->type);
}

/* Before the call, of what is known then: see collective.h. */
static HYB_COLD uint64_t *put_unknown(uint64_t *p, const struct query *q, const struct hyb_comm *c,
				      int root)
{
	if (q->ask)
		return p;
	p[1] = (uint64_t)HYB_COLL_WIDE << HYB_TYPE_SHIFT |
	       (uint64_t)(c->id >> 24 ? HYB_NO_COMM : c->id) << 32 | (uint32_t)root;
	p[2] = HYB_BYTES_UNKNOWN;
	p[3] = HYB_BYTES_UNKNOWN;
	return p;
}

static HYB_HOT uint64_t *put(uint64_t *p, const struct query *q, const struct hyb_comm *c, int root,
			     uint64_t sent, uint64_t received)
{
	/* A communicator's id that does not fit has no record; that takes 16 million of them. */
	if (hyb_unlikely(q->late || c->id >> 24))
		return put_unknown(p, q, c, root);
	p[1] = sent;
	p[2] = received;
	if (sent >> 32 || received >> 32) {
		p[0] = (uint64_t)HYB_COLL_WIDE << HYB_TYPE_SHIFT | (uint64_t)c->id << 32 |
		       (uint32_t)root;
		return p + 3;
	}
	p[0] = (uint64_t)HYB_COLL << HYB_TYPE_SHIFT | (uint64_t)c->id << 32 | (uint32_t)root;
	p[1] = sent << 32 | received;
	return p + 2;
}

enum place {
	IS_ROOT,   /* and, but for an intercommunicator, a member like all others too */
	IS_MEMBER, /* deals with the root */
	IS_IDLE,   /* the root is another one of this process's side */
};

static enum place place(const struct hyb_comm *c, int root)
{
	if (c->kind != HYB_COMM_INTER)
		return root == c->rank ? IS_ROOT : IS_MEMBER;
	if (root == MPI_ROOT)
		return IS_ROOT;
	return root == MPI_PROC_NULL ? IS_IDLE : IS_MEMBER;
}

/* A root as it is recorded: MPI_ROOT and MPI_PROC_NULL are other numbers in each MPI. */
static int recorded(const struct hyb_comm *c, int root)
{
	if (c->kind != HYB_COMM_INTER || place(c, root) == IS_MEMBER)
		return root;
	return place(c, root) == IS_ROOT ? ROOT_SELF : ROOT_THIS_GROUP;
}

/* Errors of these classes come from carrying it out. All others say that an argument was wrong: nothing has begun. */
static HYB_COLD bool took_part(int ret)
{
	int class = MPI_SUCCESS;

	PMPI_Error_class(ret, &class);
	return class == MPI_ERR_TRUNCATE || class == MPI_ERR_OTHER || class == MPI_ERR_INTERN ||
	       class == MPI_ERR_UNKNOWN;
}

bool hyb_coll_took_part(int ret, MPI_Comm comm)
{
	return hyb_comm_find(comm) && took_part(ret);
}

uint64_t *hyb_ev_met(uint64_t *p, int ret, uint32_t comm1)
{
	/* An id that does not fit has no record, as above. */
	if (hyb_unlikely(!comm1 || (comm1 - 1) >> 24 || (ret != MPI_SUCCESS && !took_part(ret))))
		return p;
	p[0] = (uint64_t)HYB_COLL << HYB_TYPE_SHIFT | (uint64_t)(comm1 - 1) << 32 | (uint32_t)HYB_NO_ROOT;
	p[1] = 0;
	return p + 2;
}

uint64_t *hyb_ev_barrier(uint64_t *p, bool ask, MPI_Comm comm)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);

	return c ? put(p, &q, c, HYB_NO_ROOT, 0, 0) : p;
}

/* The root sends to all, itself included; all receive. */
uint64_t *hyb_ev_bcast(uint64_t *p, bool ask, MPI_Comm comm, int root, MPI_Count count,
		       MPI_Datatype type)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t bytes = 0;
	enum place here;
	bool receives;

	if (!c)
		return p;
	here = place(c, root);
	receives = here == IS_MEMBER || (here == IS_ROOT && c->kind != HYB_COMM_INTER);
	if (here == IS_ROOT || receives)
		bytes = bytes_of(&q, count, type);
	return put(p, &q, c, recorded(c, root), here == IS_ROOT ? c->peers * bytes : 0,
		   receives ? bytes : 0);
}

/*
 * Gather, and with the other direction scatter: `one` is what each member deals with the root,
 * `all` what the root deals with each. In place, the root's own part stays where it is.
 */
static uint64_t *put_rooted(uint64_t *p, bool ask, MPI_Comm comm, int root, bool scatter,
			    const void *own, const struct parts *one, const struct parts *all)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t at_member = 0;
	uint64_t at_root = 0;
	enum place here;

	if (!c)
		return p;
	here = place(c, root);
	if (here == IS_ROOT) {
		at_root = sum(&q, all, (int)c->peers);
		if (c->kind != HYB_COMM_INTER && own == MPI_IN_PLACE)
			at_root -= part(&q, all, c->rank);
		else if (c->kind != HYB_COMM_INTER)
			at_member = part(&q, one, 0);
	} else if (here == IS_MEMBER) {
		at_member = part(&q, one, 0);
	}
	return put(p, &q, c, recorded(c, root), scatter ? at_root : at_member,
		   scatter ? at_member : at_root);
}

uint64_t *hyb_ev_gather(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			MPI_Datatype recvtype)
{
	const struct parts one = { .count = sendcount, .type = sendtype };
	const struct parts all = { .count = recvcount, .type = recvtype };

	return put_rooted(p, ask, comm, root, false, sendbuf, &one, &all);
}

uint64_t *hyb_ev_gatherv(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, const void *recvcounts,
			 size_t width, MPI_Datatype recvtype)
{
	const struct parts one = { .count = sendcount, .type = sendtype };
	const struct parts all = { .counts = recvcounts, .width = width, .type = recvtype };

	return put_rooted(p, ask, comm, root, false, sendbuf, &one, &all);
}

uint64_t *hyb_ev_scatter(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *recvbuf,
			 MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			 MPI_Datatype recvtype)
{
	const struct parts one = { .count = recvcount, .type = recvtype };
	const struct parts all = { .count = sendcount, .type = sendtype };

	return put_rooted(p, ask, comm, root, true, recvbuf, &one, &all);
}

uint64_t *hyb_ev_scatterv(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *recvbuf,
			  const void *sendcounts, size_t width, MPI_Datatype sendtype,
			  MPI_Count recvcount, MPI_Datatype recvtype)
{
	const struct parts one = { .count = recvcount, .type = recvtype };
	const struct parts all = { .counts = sendcounts, .width = width, .type = sendtype };

	return put_rooted(p, ask, comm, root, true, recvbuf, &one, &all);
}

/*
 * Sends its own to all, receives what each has. In place, its own is what it would receive from
 * itself.
 */
static uint64_t *put_allgather(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			       const struct parts *own, const struct parts *all)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t kept;

	if (!c)
		return p;
	if (sendbuf != MPI_IN_PLACE)
		return put(p, &q, c, HYB_NO_ROOT, c->peers * part(&q, own, 0),
			   sum(&q, all, (int)c->peers));
	kept = part(&q, all, c->rank);
	return put(p, &q, c, HYB_NO_ROOT, (c->peers - 1) * kept,
		   sum(&q, all, (int)c->peers) - kept);
}

uint64_t *hyb_ev_allgather(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			   MPI_Datatype recvtype)
{
	const struct parts own = { .count = sendcount, .type = sendtype };
	const struct parts all = { .count = recvcount, .type = recvtype };

	return put_allgather(p, ask, comm, sendbuf, &own, &all);
}

uint64_t *hyb_ev_allgatherv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			    MPI_Count sendcount, MPI_Datatype sendtype, const void *recvcounts,
			    size_t width, MPI_Datatype recvtype)
{
	const struct parts own = { .count = sendcount, .type = sendtype };
	const struct parts all = { .counts = recvcounts, .width = width, .type = recvtype };

	return put_allgather(p, ask, comm, sendbuf, &own, &all);
}

/* Sends a part to each, receives a part from each. In place, what is received is what was sent. */
static uint64_t *put_alltoall(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			      const struct parts *to, const struct parts *from)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t moved;

	if (!c)
		return p;
	if (sendbuf != MPI_IN_PLACE)
		return put(p, &q, c, HYB_NO_ROOT, sum(&q, to, (int)c->peers),
			   sum(&q, from, (int)c->peers));
	moved = sum(&q, from, (int)c->peers) - part(&q, from, c->rank);
	return put(p, &q, c, HYB_NO_ROOT, moved, moved);
}

uint64_t *hyb_ev_alltoall(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			  MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			  MPI_Datatype recvtype)
{
	const struct parts to = { .count = sendcount, .type = sendtype };
	const struct parts from = { .count = recvcount, .type = recvtype };

	return put_alltoall(p, ask, comm, sendbuf, &to, &from);
}

uint64_t *hyb_ev_alltoallv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   const void *sendcounts, size_t sendwidth, MPI_Datatype sendtype,
			   const void *recvcounts, size_t recvwidth, MPI_Datatype recvtype)
{
	const struct parts to = { .counts = sendcounts, .width = sendwidth, .type = sendtype };
	const struct parts from = { .counts = recvcounts, .width = recvwidth, .type = recvtype };

	return put_alltoall(p, ask, comm, sendbuf, &to, &from);
}

uint64_t *hyb_ev_alltoallw(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   const void *sendcounts, size_t sendwidth, const MPI_Datatype *sendtypes,
			   const void *recvcounts, size_t recvwidth, const MPI_Datatype *recvtypes)
{
	const struct parts to = { .counts = sendcounts, .width = sendwidth, .types = sendtypes };
	const struct parts from = { .counts = recvcounts, .width = recvwidth, .types = recvtypes };

	return put_alltoall(p, ask, comm, sendbuf, &to, &from);
}

/* As if each sent its operand to each and received everybody's. */
uint64_t *hyb_ev_allreduce(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
			   MPI_Count count, MPI_Datatype type)
{
	return hyb_ev_alltoall(p, ask, comm, sendbuf, count, type, count, type);
}

/* As if the root gathered the operands. */
uint64_t *hyb_ev_reduce(uint64_t *p, bool ask, MPI_Comm comm, int root, const void *sendbuf,
			MPI_Count count, MPI_Datatype type)
{
	return hyb_ev_gather(p, ask, comm, root, sendbuf, count, type, count, type);
}

/*
 * Sends to each its part of the operand, receives its own part of everybody's; counts go by the own
 * group.
 */
static uint64_t *put_reduce_scatter(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
				    const struct parts *all)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t total;
	uint64_t own;

	if (!c)
		return p;
	total = sum(&q, all, c->size);
	own = part(&q, all, c->rank);
	if (sendbuf != MPI_IN_PLACE)
		return put(p, &q, c, HYB_NO_ROOT, total, c->peers * own);
	return put(p, &q, c, HYB_NO_ROOT, total - own, (c->peers - 1) * own);
}

uint64_t *hyb_ev_reduce_scatter(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
				const void *recvcounts, size_t width, MPI_Datatype type)
{
	const struct parts all = { .counts = recvcounts, .width = width, .type = type };

	return put_reduce_scatter(p, ask, comm, sendbuf, &all);
}

uint64_t *hyb_ev_reduce_scatter_block(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf,
				      MPI_Count recvcount, MPI_Datatype type)
{
	const struct parts all = { .count = recvcount, .type = type };

	return put_reduce_scatter(p, ask, comm, sendbuf, &all);
}

/* As if each sent its operand to itself and to all after it. */
uint64_t *hyb_ev_scan(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf, MPI_Count count,
		      MPI_Datatype type)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);
	uint64_t one = bytes_of(&q, count, type);
	uint64_t self = sendbuf != MPI_IN_PLACE;

	if (!c)
		return p;
	return put(p, &q, c, HYB_NO_ROOT, (uint64_t)(c->size - c->rank - 1 + (int)self) * one,
		   (uint64_t)(c->rank + (int)self) * one);
}

/* To all after it only, in place or not. */
uint64_t *hyb_ev_exscan(uint64_t *p, bool ask, MPI_Comm comm, const void *sendbuf, MPI_Count count,
			MPI_Datatype type)
{
	(void)sendbuf;
	return hyb_ev_scan(p, ask, comm, MPI_IN_PLACE, count, type);
}

/* To or from the neighbours, without those that a Cartesian grid ends at. */
static uint64_t sum_neighbors(struct query *q, MPI_Comm comm, bool out, const struct parts *parts)
{
	int kind = MPI_UNDEFINED;
	int weighted;
	int source;
	int dest;
	int in = 0;
	int n = 0;
	int rank;
	int i;
	uint64_t total = 0;

	if (!q->ask) {
		q->late = true;
		return 0;
	}
	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &in, &n, &weighted);
		return sum(q, parts, out ? n : in);
	}
	if (kind == MPI_GRAPH) {
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, &n);
		return sum(q, parts, n);
	}
	if (kind == MPI_CART)
		PMPI_Cartdim_get(comm, &n);
	for (i = 0; i < n; i++) {
		PMPI_Cart_shift(comm, i, 1, &source, &dest);
		total += source == MPI_PROC_NULL ? 0 : part(q, parts, 2 * i);
		total += dest == MPI_PROC_NULL ? 0 : part(q, parts, 2 * i + 1);
	}
	return total;
}

static uint64_t *put_neighbors(uint64_t *p, bool ask, MPI_Comm comm, const struct parts *to,
			       const struct parts *from)
{
	struct query q = { .ask = ask };
	const struct hyb_comm *c = comm_of(&q, comm);

	return c ? put(p, &q, c, HYB_NO_ROOT, sum_neighbors(&q, comm, true, to),
		       sum_neighbors(&q, comm, false, from))
		 : p;
}

uint64_t *hyb_ev_neighbor_allgather(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				    MPI_Datatype sendtype, MPI_Count recvcount,
				    MPI_Datatype recvtype)
{
	return hyb_ev_neighbor_alltoall(p, ask, comm, sendcount, sendtype, recvcount, recvtype);
}

uint64_t *hyb_ev_neighbor_allgatherv(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				     MPI_Datatype sendtype, const void *recvcounts, size_t width,
				     MPI_Datatype recvtype)
{
	const struct parts to = { .count = sendcount, .type = sendtype };
	const struct parts from = { .counts = recvcounts, .width = width, .type = recvtype };

	return put_neighbors(p, ask, comm, &to, &from);
}

uint64_t *hyb_ev_neighbor_alltoall(uint64_t *p, bool ask, MPI_Comm comm, MPI_Count sendcount,
				   MPI_Datatype sendtype, MPI_Count recvcount,
				   MPI_Datatype recvtype)
{
	const struct parts to = { .count = sendcount, .type = sendtype };
	const struct parts from = { .count = recvcount, .type = recvtype };

	return put_neighbors(p, ask, comm, &to, &from);
}

uint64_t *hyb_ev_neighbor_alltoallv(uint64_t *p, bool ask, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, MPI_Datatype sendtype, const void *recvcounts,
				    size_t recvwidth, MPI_Datatype recvtype)
{
	const struct parts to = { .counts = sendcounts, .width = sendwidth, .type = sendtype };
	const struct parts from = { .counts = recvcounts, .width = recvwidth, .type = recvtype };

	return put_neighbors(p, ask, comm, &to, &from);
}

uint64_t *hyb_ev_neighbor_alltoallw(uint64_t *p, bool ask, MPI_Comm comm, const void *sendcounts,
				    size_t sendwidth, const MPI_Datatype *sendtypes,
				    const void *recvcounts, size_t recvwidth,
				    const MPI_Datatype *recvtypes)
{
	const struct parts to = { .counts = sendcounts, .width = sendwidth, .types = sendtypes };
	const struct parts from = { .counts = recvcounts, .width = recvwidth, .types = recvtypes };

	return put_neighbors(p, ask, comm, &to, &from);
}
