/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes collective operations, see convert.h. */
#include <errno.h>

#include "otf2/convert.h"
#include "otf2/requests.h"

static uint32_t root_of(const struct hyb_local_comm *comm, int32_t root)
{
	if (root >= 0 && (comm->self || (uint32_t)root < comm->peers->count))
		return (uint32_t)root;
	if (comm->inter && root == -2)
		return OTF2_COLLECTIVE_ROOT_SELF;
	if (comm->inter && root == -3)
		return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	return OTF2_COLLECTIVE_ROOT_NONE;
}

static const OTF2_CollectiveOp operations[] = {
	[HYB_COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
	[HYB_COLL_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
	[HYB_COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
	[HYB_COLL_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
	[HYB_COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
	[HYB_COLL_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
	[HYB_COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[HYB_COLL_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
	[HYB_COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[HYB_COLL_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
	[HYB_COLL_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
	[HYB_COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
	[HYB_COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
	[HYB_COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
	[HYB_COLL_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
	[HYB_COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
	[HYB_COLL_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
	/* OTF2 has no names for neighbourhoods; what moves is the same */
	[HYB_COLL_NEIGHBOR_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[HYB_COLL_NEIGHBOR_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
	[HYB_COLL_NEIGHBOR_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[HYB_COLL_NEIGHBOR_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
	[HYB_COLL_NEIGHBOR_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
};

/*
 * Whether an operation came to its end is known at its Leave only, hence its Begin is written there
 * too, with the Enter's time or, if something came between, with that of what came last.
 */
static void write_collective(struct hyb_convert *c, const struct hyb_open_region *open, int64_t end,
			     const struct hyb_local_comm *comm, const struct hyb_attached *a)
{
	c->now = open->time > c->now ? open->time : c->now;
	hyb_convert_check(c, OTF2_EvtWriter_MpiCollectiveBegin(c->writer, NULL, (uint64_t)c->now));
	if (c->writer && c->nest.has)
		hyb_nest_until(c, end);
	hyb_convert_check(c, OTF2_EvtWriter_MpiCollectiveEnd(c->writer, NULL, (uint64_t)end,
						 operations[open->region->coll], comm->otf2,
						 root_of(comm, a->peer), a->bytes, a->received));
}

/* Whether all members have it; asked once for each, in the same order each time. */
static bool is_kept(struct hyb_convert *c, const struct hyb_local_comm *comm)
{
	return c->pass >= HYB_PASS_CHOOSE &&
	       (comm->self || hyb_match_keep_collective(&c->m->match, comm->index, c->p->group));
}

void hyb_convert_collective(struct hyb_convert *c, const struct hyb_open_region *open, int64_t end,
			  const struct hyb_attached *a)
{
	const struct hyb_local_comm *comm = hyb_local_comm(&c->local, a->comm);
	unsigned int op = open->region->coll;

	if (!comm || !c->p->ranked || !hyb_convert_in_mpi(c) || op == HYB_COLL_NONE ||
	    op >= sizeof(operations) / sizeof(operations[0])) {
		c->counts.unplaced++;
		return;
	}
	c->counts.collectives++;
	if (c->pass == HYB_PASS_COUNT && !comm->self &&
	    hyb_match_collective(c->match, comm->index, c->p->group, hyb_convert_cuts(c)))
		c->err = -ENOMEM;
	if (is_kept(c, comm) && c->writer)
		write_collective(c, open, end, comm, a);
}

/*
 * It was completed unseen (its request freed, recording paused or without space), or the program ended before: it is
 * complete at once, as having moved nothing, and says so. To readers the n-th of each member is one operation, so what
 * the others have stays whole.
 */
static void write_unfinished(struct hyb_convert *c, const struct hyb_local_comm *comm,
			     const struct hyb_attached *a)
{
	c->counts.unfinished++;
	hyb_convert_attribute(c, HYB_ATTRIBUTE_UNFINISHED, OTF2_TYPE_UINT8, 1);
	if (c->writer)
		hyb_convert_check(c, OTF2_EvtWriter_NonBlockingCollectiveComplete(
					     c->writer, c->attributes, (uint64_t)c->now, operations[a->coll],
					     comm->otf2, root_of(comm, a->peer), 0, 0, a->request));
}

/* Whether all members have this call is decided where it begins. */
static void begin_icollective(struct hyb_convert *c, const struct hyb_local_comm *comm,
			      const struct hyb_attached *a)
{
	uint64_t request = a->request;
	bool paired = hyb_convert_paired(c, request);
	int ret = 0;

	c->counts.collectives++;
	if (c->pass == HYB_PASS_COUNT && !comm->self)
		ret = hyb_match_collective(c->match, comm->index, c->p->group, hyb_convert_cuts(c));
	else if (c->pass >= HYB_PASS_CHOOSE && !is_kept(c, comm))
		ret = hyb_requests_add(&c->p->left_out, request);
	else if (c->writer)
		hyb_convert_check(c, OTF2_EvtWriter_NonBlockingCollectiveRequest(
					     c->writer, NULL, (uint64_t)c->now, request));
	if (c->writer && !paired && !hyb_requests_has(&c->p->left_out, request))
		write_unfinished(c, comm, a);
	if (ret)
		c->err = ret;
}

void hyb_convert_icollective(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_local_comm *comm = hyb_local_comm(&c->local, a->comm);

	if (!comm || !c->p->ranked || !hyb_convert_in_mpi(c) || a->coll == HYB_COLL_NONE ||
	    a->coll >= sizeof(operations) / sizeof(operations[0])) {
		c->counts.unplaced++;
		return;
	}
	if (a->type == HYB_REQUEST_COLL) {
		begin_icollective(c, comm, a);
		return;
	}
	if (hyb_convert_paired(c, a->request) && c->writer &&
	    !hyb_requests_has(&c->p->left_out, a->request))
		hyb_convert_check(c, OTF2_EvtWriter_NonBlockingCollectiveComplete(
					     c->writer, NULL, (uint64_t)c->now,
					     operations[a->coll], comm->otf2,
					     root_of(comm, a->peer), a->bytes, a->received,
					     a->request));
}
