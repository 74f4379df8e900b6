/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes collective operations, see convert.h. */
#include <errno.h>

#include "merge/convert.h"
#include "reader/containers/numbers.h"

static int32_t root_of(const struct hyb_ids_comm *comm, int32_t root)
{
	if (root >= 0 && (comm->self || (uint32_t)root < comm->peers->count))
		return root;
	if (comm->inter && root == -2)
		return HYB_ROOT_SELF;
	if (comm->inter && root == -3)
		return HYB_ROOT_THIS_GROUP;
	return HYB_ROOT_NONE;
}

/* Those that the merge knows. */
static bool is_known(unsigned int op)
{
	return op > HYB_COLL_NONE && op <= HYB_COLL_FINALIZE;
}

static void operation(const struct hyb_convert *c, struct hyb_merge_event *e, enum hyb_kind kind, unsigned int op,
		      const struct hyb_ids_comm *comm, const struct hyb_attached *a)
{
	hyb_convert_now(c, e, kind);
	e->collective.op = op;
	e->collective.comm = comm->id;
	e->collective.root = root_of(comm, a->peer);
	e->collective.sent = a->bytes;
	e->collective.received = a->received;
	e->collective.request = a->request;
	e->collective.number = 0;
	e->collective.first_begin = e->collective.last_begin = e->collective.last_end = 0;
	e->collective.alone = false;
	e->collective.given = INT64_MIN;
	e->collective.giver = UINT32_MAX;
}

/*
 * Whether an operation came to its end is known at its Leave only, hence its Begin is written there
 * too, with the Enter's time or, if something came between, with that of what came last.
 */
static void write_collective(struct hyb_convert *c, const struct hyb_open_region *open, int64_t end,
			     const struct hyb_ids_comm *comm, const struct hyb_attached *a)
{
	struct hyb_merge_event e;

	c->now = open->time > c->now ? open->time : c->now;
	operation(c, &e, HYB_KIND_COLLECTIVE_BEGIN, open->region->coll, comm, a);
	e.time = end;
	if (c->pairs)
		hyb_convert_pair_call(c, comm, 0, true, &e);
	e.time = c->now;
	hyb_convert_tell(c, &e);
	if (c->nest.has)
		hyb_nest_until(c, end);
	e.kind = HYB_KIND_COLLECTIVE_END;
	e.time = end;
	hyb_convert_tell(c, &e);
}

/* Whether all members have it; asked once for each, in the same order each time. */
static bool is_kept(struct hyb_convert *c, const struct hyb_ids_comm *comm)
{
	return c->pass >= HYB_PASS_CHOOSE &&
	       (comm->self || hyb_match_keep_collective(&c->m->match, comm->index, c->p->group));
}

void hyb_convert_collective(struct hyb_convert *c, const struct hyb_open_region *open, int64_t end,
			  const struct hyb_attached *a)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&c->ids, a->comm);
	unsigned int op = open->region->coll;

	if (!comm || !c->p->ranked || !hyb_convert_in_mpi(c) || !is_known(op)) {
		c->counts.unplaced++;
		return;
	}
	c->counts.collectives += hyb_coll_has_data(op);
	if (c->pass == HYB_PASS_COUNT && !comm->self &&
	    hyb_match_collective(c->match, comm->index, c->p->group, hyb_convert_cuts(c)))
		c->err = -ENOMEM;
	if (is_kept(c, comm) && c->pass >= HYB_PASS_PAIR)
		write_collective(c, open, end, comm, a);
}

/*
 * It was completed unseen (its request freed, recording paused or without space), or the program ended before: it is
 * complete at once, as having moved nothing, and says so. To readers the n-th of each member is one operation, so what
 * the others have stays whole.
 */
static void write_unfinished(struct hyb_convert *c, const struct hyb_ids_comm *comm,
			     const struct hyb_attached *a)
{
	struct hyb_merge_event e;

	operation(c, &e, HYB_KIND_COLLECTIVE_COMPLETE, a->coll, comm, a);
	c->counts.unfinished++;
	e.collective.sent = e.collective.received = 0;
	hyb_convert_attribute(c, HYB_ATTRIBUTE_UNFINISHED, 1);
	if (c->pairs)
		hyb_convert_pair_call(c, comm, a->request, false, &e);
	if (c->out)
		hyb_outlet_tell_with(c->out, &e);
}

/* Whether all members have this call is decided where it begins. */
static void begin_icollective(struct hyb_convert *c, const struct hyb_ids_comm *comm,
			      const struct hyb_attached *a)
{
	struct hyb_merge_event e;
	uint64_t request = a->request;
	bool paired = hyb_convert_paired(c, request);
	int ret = 0;

	hyb_convert_now(c, &e, HYB_KIND_COLLECTIVE_REQUEST);
	c->counts.collectives++;
	if (c->pass == HYB_PASS_COUNT && !comm->self)
		ret = hyb_match_collective(c->match, comm->index, c->p->group, hyb_convert_cuts(c));
	else if (c->pass >= HYB_PASS_CHOOSE && !is_kept(c, comm))
		ret = hyb_numbers_add(&c->s->left_out, request);
	e.request = request;
	if (c->pass >= HYB_PASS_PAIR && !hyb_numbers_has(&c->s->left_out, request)) {
		hyb_convert_begun(c, request);
		hyb_convert_tell(c, &e);
		if (!paired)
			write_unfinished(c, comm, a);
	}
	if (ret)
		c->err = ret;
}

void hyb_convert_icollective(struct hyb_convert *c, const struct hyb_attached *a)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&c->ids, a->comm);
	struct hyb_merge_event e;

	if (!comm || !c->p->ranked || !hyb_convert_in_mpi(c) || !is_known(a->coll)) {
		c->counts.unplaced++;
		return;
	}
	if (a->type == HYB_REQUEST_COLL) {
		begin_icollective(c, comm, a);
		return;
	}
	if (!hyb_convert_paired(c, a->request) || c->pass < HYB_PASS_PAIR ||
	    hyb_numbers_has(&c->s->left_out, a->request))
		return;
	operation(c, &e, HYB_KIND_COLLECTIVE_COMPLETE, a->coll, comm, a);
	if (c->pairs)
		hyb_convert_pair_call(c, comm, a->request, true, &e);
	hyb_convert_tell(c, &e);
}
