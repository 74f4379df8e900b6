/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts what is attached to events: messages, requests, collective operations, windows. See tally.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/reading.h"
#include "reader/containers/array.h"

uint32_t hyb_count_place(const struct hyb_check_reading *r, const struct hyb_ids_comm *comm, int32_t rank)
{
	if (comm->self)
		return rank == 0 ? r->mp->group : HYB_COMM_NONE;
	return rank >= 0 && (uint32_t)rank < comm->peers->count ? comm->peers->members[rank]
								: HYB_COMM_NONE;
}

/* A request that is two operations (MPI_Isendrecv): it is under way until both are complete. */
static void again(struct hyb_check_reading *r, uint64_t number, int64_t at)
{
	r->under_way[at - 1].need.kind = HYB_NEED_UNKNOWN;
	r->under_way[at - 1].need.begun = true;
	if (hyb_key_map_put(&r->requests, number, at))
		r->err = -ENOMEM;
}

/* A request has begun. It may be known already that it is complete: by another thread, whose stream was read before. */
static void begin(struct hyb_check_reading *r, uint64_t number, const struct hyb_need *need)
{
	struct hyb_under_way *grown;
	int64_t at;

	if (hyb_key_map_take(&r->requests, number, &at)) {
		if (at)
			again(r, number, at);
		return;
	}
	if (!r->way_free) {
		grown = hyb_array_room(r->under_way, &r->way_room, r->way_count, sizeof(*grown));
		if (!grown) {
			r->err = -ENOMEM;
			return;
		}
		r->under_way = grown;
		at = (int64_t)r->way_count++;
	} else {
		at = (int64_t)r->way_free - 1;
		r->way_free = r->under_way[at].need.nth;
	}
	r->under_way[at].number = number;
	r->under_way[at].need = *need;
	if (hyb_key_map_put(&r->requests, number, at + 1))
		r->err = -ENOMEM;
}

static void end(struct hyb_check_reading *r, uint64_t number)
{
	int64_t at;

	if (!number)
		return;
	if (!hyb_key_map_take(&r->requests, number, &at)) {
		if (hyb_key_map_put(&r->requests, number, 0))
			r->err = -ENOMEM;
		return;
	}
	if (!at)
		return;
	if (r->under_way[at - 1].need.kind == HYB_NEED_UNKNOWN && r->under_way[at - 1].need.begun) {
		r->under_way[at - 1].need.begun = false;
		if (hyb_key_map_put(&r->requests, number, at))
			r->err = -ENOMEM;
		return;
	}
	r->under_way[at - 1].number = 0;
	r->under_way[at - 1].need.nth = r->way_free;
	r->way_free = (size_t)at;
}

const struct hyb_need *hyb_count_under_way(struct hyb_check_reading *r, uint64_t request)
{
	int64_t at;

	if (!hyb_key_map_take(&r->requests, request, &at))
		return NULL;
	if (hyb_key_map_put(&r->requests, request, at))
		r->err = -ENOMEM;
	return at ? &r->under_way[at - 1].need : NULL;
}

/* NULL: it has none that is known, or there is no memory. */
static struct hyb_channel *channel_of(struct hyb_check_reading *r, const struct hyb_attached *a,
				      bool send)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&r->ids, a->comm);
	struct hyb_channel key = { .tag = a->tag }, *channel;
	uint32_t peer;

	if (a->peer < 0)
		return NULL;
	peer = comm ? hyb_count_place(r, comm, a->peer) : HYB_COMM_NONE;
	if (peer == HYB_COMM_NONE) {
		r->c->sums.unplaced++;
		return NULL;
	}
	key.comm = comm->index;
	key.source = send ? r->mp->group : peer;
	key.destination = send ? peer : r->mp->group;
	channel = hyb_tally_channel(&r->c->tally, &key);
	if (!channel)
		r->err = -ENOMEM;
	return channel;
}

static void on_send(struct hyb_check_reading *r, const struct hyb_attached *a,
		    const struct hyb_known *known)
{
	struct hyb_channel *channel = a->partitioned ? NULL : channel_of(r, a, true);
	struct hyb_need need = { .kind = HYB_NEED_UNKNOWN };

	if (channel) {
		channel->sends++;
		if (channel->sender && channel->sender != r->t->number + 1)
			channel->shared = true;
		channel->sender = r->t->number + 1;
		need = (struct hyb_need){
			.kind = HYB_NEED_SEND,
			.comm = channel->comm,
			.peer = channel->destination,
			.tag = a->tag,
			.nth = channel->sends,
			.bytes = a->bytes,
			.synchronous = known->flags & HYB_KNOWN_SYNCHRONOUS,
			.buffered = known->flags & HYB_KNOWN_BUFFERED,
		};
	}
	if (a->request)
		begin(r, a->request, &need);
}

static void on_receive(struct hyb_check_reading *r, const struct hyb_attached *a)
{
	struct hyb_channel *channel;

	if (a->request)
		end(r, a->request);
	if (a->partitioned)
		return;
	if (a->unreported)
		r->c->sums.unreported++;
	channel = channel_of(r, a, false);
	if (channel)
		channel->receives++;
}

/* It never was one. */
static void on_cancelled_send(struct hyb_check_reading *r, const struct hyb_attached *a)
{
	struct hyb_channel *channel = channel_of(r, a, true);

	if (channel && channel->sends) {
		channel->sends--;
		channel->shared = true;
	}
	end(r, a->request);
}

/* Operations of a persistent request may be started in any order, as far as is known. */
static bool is_counted(const struct hyb_ids_comm *comm, const struct hyb_known *known)
{
	return comm && !comm->self && !(known->flags & HYB_KNOWN_STARTS);
}

/* One more of the member's; its number, 0: it is not counted. */
static uint64_t operation(struct hyb_check_reading *r, const struct hyb_attached *a, uint32_t op,
			  bool nonblocking, const struct hyb_known *known)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&r->ids, a->comm);
	struct hyb_operation what = {
		.member = r->mp->group,
		.op = op,
		.root = a->peer,
		.sent = nonblocking ? HYB_BYTES_UNKNOWN : a->bytes,
		.received = nonblocking ? HYB_BYTES_UNKNOWN : a->received,
		.nonblocking = nonblocking,
	};
	struct hyb_sequence *s;

	if (!comm)
		r->c->sums.unplaced++;
	if (!is_counted(comm, known))
		return 0;
	hyb_operation_settle(&r->c->model.comms, comm->index, &what);
	if (r->probe && r->probe->comm != comm->index)
		return 0;
	s = hyb_tally_sequence(r->probe ? &r->probe->marks : &r->c->tally, comm->index,
			       r->mp->group);
	if (!s) {
		r->err = -ENOMEM;
		return 0;
	}
	s->shared |= s->thread && s->thread != r->t->number + 1;
	s->thread = r->t->number + 1;
	s->last_operation = what;
	if (!r->probe)
		hyb_sequence_add(s, hyb_operation_hash(&what));
	else if (hyb_probe_add(r->probe, s, &what))
		r->err = -ENOMEM;
	return s->count;
}

static void on_collective_request(struct hyb_check_reading *r, const struct hyb_attached *a,
				  const struct hyb_known *known)
{
	const struct hyb_ids_comm *comm = hyb_ids_comm(&r->ids, a->comm);
	struct hyb_need need = {
		.kind = HYB_NEED_UNKNOWN,
		.nth = operation(r, a, a->coll, true, known),
		.op = a->coll,
		.root = a->peer,
		.sent = HYB_BYTES_UNKNOWN,
		.received = HYB_BYTES_UNKNOWN,
	};

	if (need.nth) {
		need.kind = HYB_NEED_COLL;
		need.comm = comm->index;
		need.begun = true;
	}
	begin(r, a->request, &need);
}

uint32_t hyb_count_win(const struct hyb_check_reading *r, uint32_t id)
{
	const struct hyb_win *win = r->ids.defs ? hyb_defs_win(r->ids.defs, id) : NULL;
	const struct hyb_gwin *g =
		win && win->defined ? hyb_wins_find(&r->c->model.wins, &win->def) : NULL;

	return g && g->id != HYB_COMM_NONE ? (uint32_t)(g - hyb_wins_at(&r->c->model.wins, 0))
					   : HYB_COMM_NONE;
}

uint32_t hyb_count_win_place(const struct hyb_check_reading *r, uint32_t win, int32_t rank)
{
	const struct hyb_comms *comms = &r->c->model.comms;
	const struct hyb_gcomm *g = hyb_comms_at(comms, hyb_wins_at(&r->c->model.wins, win)->comm);
	const struct hyb_group *group =
		g->kind == HYB_COMM_SELF ? NULL : hyb_comms_group(comms, g->group[0]);

	if (!group)
		return r->mp->group;
	return rank >= 0 && (uint32_t)rank < group->count ? group->members[rank] : HYB_COMM_NONE;
}

static void lock(struct hyb_check_reading *r, uint32_t win, const struct hyb_rma *rma)
{
	struct hyb_check *c = r->c;
	struct hyb_check_lock *grown =
		hyb_array_room(c->locks, &c->lock_room, c->lock_count, sizeof(*grown));

	if (!grown) {
		r->err = -ENOMEM;
		return;
	}
	c->locks = grown;
	c->locks[c->lock_count++] = (struct hyb_check_lock){
		.win = win,
		.target =
			rma->target < 0 ? HYB_CHECK_ANY : hyb_count_win_place(r, win, rma->target),
		.holder = r->mp->group,
		.shared = rma->target < 0 || rma->flags & HYB_RMA_SHARED,
	};
}

static void unlock(struct hyb_check_reading *r, uint32_t win, const struct hyb_rma *rma)
{
	uint32_t target =
		rma->target < 0 ? HYB_CHECK_ANY : hyb_count_win_place(r, win, rma->target);
	struct hyb_check *c = r->c;
	size_t i;

	for (i = c->lock_count; i-- > 0 && c->locks[i].holder == r->mp->group;) {
		if (c->locks[i].win != win || c->locks[i].target != target)
			continue;
		c->locks[i] = c->locks[--c->lock_count];
		return;
	}
}

/* Access by the members of a group, or to them. */
static void access_of(struct hyb_check_reading *r, uint32_t win, const struct hyb_rma *rma)
{
	bool origin = rma->what == HYB_RMA_COMPLETE;
	uint32_t number = hyb_ids_group(&r->ids, rma->group), i;
	struct hyb_access *access;
	const struct hyb_group *group;

	if (number == HYB_COMM_NONE)
		return;
	group = hyb_comms_group(&r->c->model.comms, number);
	for (i = 0; i < group->count; i++) {
		access = hyb_tally_access(&r->c->tally, win,
					  origin ? r->mp->group : group->members[i],
					  origin ? group->members[i] : r->mp->group);
		if (!access) {
			r->err = -ENOMEM;
			return;
		}
		access->posts += rma->what == HYB_RMA_POST;
		access->completes += rma->what == HYB_RMA_COMPLETE;
		access->waits += rma->what == HYB_RMA_WAIT;
	}
}

static void on_rma(struct hyb_check_reading *r, const struct hyb_attached *a)
{
	struct hyb_fences *fences;
	struct hyb_rma rma;
	uint32_t win;

	if (!hyb_rma_decode(a, &rma))
		return;
	win = hyb_count_win(r, rma.win);
	if (win == HYB_COMM_NONE)
		return;
	switch (rma.what) {
	case HYB_RMA_FENCE:
	case HYB_RMA_DESTROY:
		fences = hyb_tally_fences(&r->c->tally, win, r->mp->group);
		if (fences)
			fences->count++;
		else
			r->err = -ENOMEM;
		break;
	case HYB_RMA_LOCK:
		lock(r, win, &rma);
		break;
	case HYB_RMA_UNLOCK:
		unlock(r, win, &rma);
		break;
	case HYB_RMA_POST:
	case HYB_RMA_COMPLETE:
	case HYB_RMA_WAIT:
		access_of(r, win, &rma);
		break;
	}
}

static void on_collective(struct hyb_check_reading *r, const struct hyb_attached *a,
			  const struct hyb_known *known)
{
	if (a->request)
		end(r, a->request);
	else if (hyb_coll_has_data(known->region->coll))
		operation(r, a, known->region->coll, false, known);
}

static void count(struct hyb_check_reading *r, const struct hyb_attached *a,
		  const struct hyb_known *known)
{
	static const struct hyb_need receive = { .kind = HYB_NEED_RECV, .comm = HYB_COMM_NONE };

	switch (a->type) {
	case HYB_SEND:
		on_send(r, a, known);
		break;
	case HYB_RECV:
		on_receive(r, a);
		break;
	case HYB_SEND_CANCELLED:
		on_cancelled_send(r, a);
		break;
	case HYB_REQUEST_SENT:
	case HYB_REQUEST_CANCELLED:
		end(r, a->request);
		break;
	case HYB_REQUEST_RECV:
		begin(r, a->request, &receive);
		break;
	case HYB_RMA:
		on_rma(r, a);
		break;
	case HYB_ERROR:
		r->p->errors++;
		break;
	}
}

void hyb_count_attached(struct hyb_check_reading *r, const struct hyb_event *event,
			const struct hyb_known *known)
{
	struct hyb_attached a;
	uint32_t pos = 0;

	while (hyb_attached_next(event, &pos, &a)) {
		if (a.type == HYB_TEAM_BEGIN)
			r->t->worker = r->t->number != 0;
		else if (!r->mp->ranked)
			continue;
		else if (a.type == HYB_COLL)
			on_collective(r, &a, known);
		else if (a.type == HYB_REQUEST_COLL)
			on_collective_request(r, &a, known);
		else if (!r->probe)
			count(r, &a, known);
	}
}
