/* SPDX-License-Identifier: BSD-3-Clause */
/* What the threads of a process wait for at the ends of their streams, in the model's numbers. See reading.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/reading.h"
#include "reader/containers/array.h"

static int add(struct hyb_check_thread *t, const struct hyb_need *need)
{
	struct hyb_need *needs =
		hyb_array_room(t->needs, &t->need_room, t->need_count, sizeof(*needs));

	if (!needs)
		return -ENOMEM;
	t->needs = needs;
	needs[t->need_count++] = *need;
	return 0;
}

static int add_unknown(struct hyb_check_thread *t)
{
	const struct hyb_need unknown = { .kind = HYB_NEED_UNKNOWN };

	return add(t, &unknown);
}

/* Others' sends may wait for it. */
static int add_receive(struct hyb_check_reading *r, const struct hyb_need *need)
{
	struct hyb_check *c = r->c;
	struct hyb_check_receive *grown =
		hyb_array_room(c->receives, &c->receive_room, c->receive_count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->receives = grown;
	grown[c->receive_count++] =
		(struct hyb_check_receive){ r->mp->group, need->comm, need->peer, need->tag };
	return 0;
}

/* How a message's other side is named in `need`. False: it is not known. */
static bool name_peer(const struct hyb_check_reading *r, const struct hyb_ids_comm *comm, int32_t peer,
		      struct hyb_need *need)
{
	if (!comm)
		return false;
	need->comm = comm->index;
	need->peer = peer == HYB_ANY ? HYB_CHECK_ANY : hyb_count_place(r, comm, peer);
	return peer == HYB_ANY || need->peer != HYB_COMM_NONE;
}

static int add_recv(struct hyb_check_reading *r, struct hyb_check_thread *t, uint32_t comm, int32_t peer,
		    int32_t tag, uint64_t ahead)
{
	struct hyb_need need = { .kind = HYB_NEED_RECV, .tag = tag, .ahead = ahead };
	int ret;

	if (peer == HYB_NO_PEER)
		return 0;
	if (!name_peer(r, hyb_ids_comm(&r->ids, comm), peer, &need))
		return add_unknown(t);
	ret = add_receive(r, &need);
	return ret ? ret : add(t, &need);
}

/* A send that blocks: the last one of its channel, since the thread can begin no other. */
static int add_send(struct hyb_check_reading *r, struct hyb_check_thread *t, const struct hyb_standing *s,
		    const struct hyb_known *known)
{
	const bool with = s->sends;
	struct hyb_need need = {
		.kind = HYB_NEED_SEND,
		.tag = with ? s->send.tag : s->tag,
		.bytes = with ? s->send.bytes : HYB_BYTES_UNKNOWN,
		.synchronous = known->flags & HYB_KNOWN_SYNCHRONOUS,
		.buffered = known->flags & HYB_KNOWN_BUFFERED,
	};
	struct hyb_channel key = { .source = r->mp->group, .tag = need.tag };
	const int32_t peer = with ? s->send.peer : s->peer;
	const struct hyb_channel *channel;

	if (peer < 0)
		return 0;
	if (!name_peer(r, hyb_ids_comm(&r->ids, with ? s->send.comm : s->comm), peer, &need))
		return add_unknown(t);
	key.comm = need.comm;
	key.destination = need.peer;
	channel = hyb_tally_find_channel(&r->c->tally, &key);
	need.nth = (channel ? channel->sends : 0) + !with;
	if (channel && channel->shared)
		need.nth = 0;
	return add(t, &need);
}

static int add_coll(struct hyb_check_reading *r, struct hyb_check_thread *t, const struct hyb_standing *s,
		    const struct hyb_known *known)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&r->ids, s->comm);
	struct hyb_need need = {
		.kind = hyb_coll_has_data(known->region->coll) ? HYB_NEED_COLL : HYB_NEED_CREATE,
		.op = known->region->coll,
		.root = s->peer,
		.sent = s->sent,
		.received = s->received,
	};
	struct hyb_sequence *sequence;

	if (!comm || comm->self ||
	    (need.kind == HYB_NEED_CREATE && !(known->flags & HYB_KNOWN_CREATE)))
		return add_unknown(t);
	sequence = hyb_tally_sequence(&r->c->tally, comm->index, r->mp->group);
	if (!sequence)
		return -ENOMEM;
	need.comm = comm->index;
	need.region = known->region;
	need.nth = sequence->count + 1;
	if (need.kind == HYB_NEED_CREATE)
		sequence->creating = known->region;
	else
		sequence->stands = true;
	return add(t, &need);
}

static int add_win(struct hyb_check_reading *r, struct hyb_check_thread *t, const struct hyb_rma *rma)
{
	struct hyb_need need = { .comm = hyb_count_win(r, rma->win), .group = HYB_COMM_NONE };
	struct hyb_fences *fences;

	if (need.comm == HYB_COMM_NONE || rma->target == HYB_NO_PEER)
		return add_unknown(t);
	switch (rma->what) {
	case HYB_RMA_FENCE:
	case HYB_RMA_DESTROY:
		need.kind = HYB_NEED_FENCE;
		fences = hyb_tally_fences(&r->c->tally, need.comm, r->mp->group);
		if (!fences)
			return -ENOMEM;
		fences->stands = true;
		need.nth = fences->count + 1;
		break;
	case HYB_RMA_LOCK:
	case HYB_RMA_UNLOCK:
	case HYB_RMA_FLUSH:
	case HYB_RMA_FLUSH_LOCAL:
		need.kind = HYB_NEED_LOCK;
		need.op = rma->what;
		need.peer = rma->target < 0 ? HYB_CHECK_ANY
					    : hyb_count_win_place(r, need.comm, rma->target);
		need.shared = rma->what == HYB_RMA_LOCK && rma->flags & HYB_RMA_SHARED;
		break;
	case HYB_RMA_START:
	case HYB_RMA_COMPLETE:
		need.kind = HYB_NEED_POST;
		break;
	case HYB_RMA_WAIT:
		need.kind = HYB_NEED_COMPLETE;
		break;
	default:
		return add_unknown(t);
	}
	if (rma->what == HYB_RMA_COMPLETE || rma->what == HYB_RMA_WAIT)
		need.group = hyb_ids_group(&r->ids, rma->group);
	return add(t, &need);
}

/* Whether nobody knows which of its channel's messages one is. */
static bool is_shared(const struct hyb_check_reading *r, const struct hyb_need *send)
{
	const struct hyb_channel key = {
		.comm = send->comm,
		.source = r->mp->group,
		.destination = send->peer,
		.tag = send->tag,
	};
	const struct hyb_channel *channel = hyb_tally_find_channel(&r->c->tally, &key);

	return channel && channel->shared;
}

/* Receives for the same messages that the call names, too, and that began before. */
static uint64_t count_ahead(const struct hyb_standing *s, const struct hyb_awaited *a)
{
	const struct hyb_awaited *b;
	uint64_t n = 0;

	for (b = s->awaited; b < s->awaited + s->listed; b++)
		n += b->kind == HYB_REQUEST_OF_RECV && b->comm == a->comm && b->peer == a->peer &&
		     b->tag == a->tag && b->request < a->request &&
		     b->request >> HYB_REQUEST_THREAD_SHIFT ==
			     a->request >> HYB_REQUEST_THREAD_SHIFT;
	return n;
}

static int add_awaited(struct hyb_check_reading *r, struct hyb_check_thread *t,
		       const struct hyb_standing *s, const struct hyb_awaited *a)
{
	const struct hyb_need *under_way = hyb_count_under_way(r, a->request);
	struct hyb_need need;

	if (!under_way)
		return add_unknown(t);
	if (a->kind == HYB_REQUEST_OF_RECV && under_way->kind == HYB_NEED_RECV) {
		r->p->begun_receives -= r->p->begun_receives > 0;
		return add_recv(r, t, a->comm, a->peer, a->tag, count_ahead(s, a));
	}
	if (a->kind == HYB_REQUEST_OF_SEND && under_way->kind == HYB_NEED_SEND) {
		need = *under_way;
		if (is_shared(r, &need))
			need.nth = 0;
		return add(t, &need);
	}
	if (a->kind == HYB_REQUEST_OF_COLL)
		return add(t, under_way);
	return add_unknown(t);
}

/* For several of which one is enough, those that are not listed must be none. */
static int add_requests(struct hyb_check_reading *r, struct hyb_check_thread *t,
			const struct hyb_standing *s, size_t open)
{
	uint32_t i;
	int ret = 0;

	if (t->any && s->listed < s->request_count && (open > s->listed || r->p->unknown))
		ret = add_unknown(t);
	for (i = 0; !ret && i < s->listed; i++)
		ret = add_awaited(r, t, s, &s->awaited[i]);
	return ret;
}

static int settle_thread(struct hyb_check_reading *r, struct hyb_check_thread *t,
			 const struct hyb_check_reading_end *end, size_t open)
{
	const struct hyb_standing *s = &end->standing;
	const struct hyb_need finalize = { .kind = HYB_NEED_FINALIZE };
	int ret;

	switch (s->waits) {
	case HYB_WAITS_SEND:
		return add_send(r, t, s, end->known);
	case HYB_WAITS_RECV:
		ret = add_recv(r, t, s->comm, s->peer, s->tag, 0);
		return ret || !s->sends ? ret : add_send(r, t, s, end->known);
	case HYB_WAITS_COLL:
		return add_coll(r, t, s, end->known);
	case HYB_WAITS_WIN:
		return add_win(r, t, &s->rma);
	case HYB_WAITS_REQUESTS:
		return add_requests(r, t, s, open);
	default:
		return add(t, end->known->flags & HYB_KNOWN_FINALIZE
				      ? &finalize
				      : &(struct hyb_need){ .kind = HYB_NEED_UNKNOWN });
	}
}

/*
 * Threads that can do nothing while another one is in MPI: since the program said that no two of them are at once, or
 * since they are OpenMP's, and the program is in no parallel region.
 */
static void find_held(struct hyb_check_reading *r)
{
	struct hyb_check_thread *begin = &r->c->threads[r->p->first], *end = begin + r->p->count,
				*t;
	bool in_mpi = false, forks = false;

	for (t = begin; t < end; t++) {
		in_mpi |= t->mpi;
		forks |= t->forks && !t->worker;
	}
	for (t = begin; t < end; t++)
		t->held = in_mpi && !t->mpi && (!r->p->several || (t->worker && !forks));
}

int hyb_stand_settle(struct hyb_check_reading *r)
{
	struct hyb_check_thread *t;
	size_t i, open = 0;
	int ret = 0;

	for (i = 0; i < r->way_count; i++) {
		open += r->under_way[i].number != 0;
		/* Or what may be one. */
		r->p->begun_receives +=
			r->under_way[i].number && (r->under_way[i].need.kind == HYB_NEED_RECV ||
						   r->under_way[i].need.kind == HYB_NEED_UNKNOWN);
	}
	for (i = 0; !ret && i < r->mp->thread_count; i++) {
		t = &r->c->threads[r->p->first + i];
		t->any = r->ends[i].known && r->ends[i].known->flags & HYB_KNOWN_ANY;
		if (r->ends[i].known && r->mp->ranked)
			ret = settle_thread(r, t, &r->ends[i], open);
	}
	find_held(r);
	return ret ? ret : r->err;
}
