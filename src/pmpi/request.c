/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests, and the records of their beginning; see request.h. */
#include "pmpi/request.h"

#include <sched.h>

#include "core/alloc.h"
#include "pmpi/events.h"

static struct hyb_trie requests;
uint32_t hyb_cancel_used;

/* Held for a few instructions; whoever waits gives its CPU to the one that was preempted there. */
static void lock(struct hyb_request *r)
{
	while (__atomic_exchange_n(&r->lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(struct hyb_request *r)
{
	__atomic_store_n(&r->lock, 0, __ATOMIC_RELEASE);
}

static struct hyb_request *find(MPI_Request request)
{
	if (request == MPI_REQUEST_NULL)
		return NULL;
	return (struct hyb_request *)hyb_trie_find(&requests, HYB_HANDLE(request));
}

/* An operation to fill in, of an entry that is locked; NULL without memory. */
static struct hyb_op *take_free(struct hyb_request *r)
{
	struct hyb_op *op = r->free;

	if (op) {
		r->free = op->next;
		return op;
	}
	if (!r->own_given) {
		r->own_given = 1;
		return &r->own;
	}
	return hyb_alloc(sizeof(*op));
}

static void drop_first(struct hyb_request *r)
{
	struct hyb_op *op = r->first;

	r->first = op->next;
	op->next = r->free;
	r->free = op;
}

/*
 * Puts a copy of op behind the others of its handle. What stands there from before recording was last switched
 * on was completed unseen.
 */
static void add(MPI_Request request, const struct hyb_op *op)
{
	struct hyb_request *r;
	struct hyb_op *own;

	if (request == MPI_REQUEST_NULL)
		return;
	r = (struct hyb_request *)hyb_trie_add(&requests, HYB_HANDLE(request), sizeof(*r));
	if (!r)
		return;
	lock(r);
	while (r->first && r->first->turn != op->turn)
		drop_first(r);
	own = take_free(r);
	if (own) {
		*own = *op;
		own->next = NULL;
		if (r->first)
			r->last->next = own;
		else
			r->first = own;
		r->last = own;
	}
	unlock(r);
}

bool hyb_request_take(struct hyb_request *r, struct hyb_op *op)
{
	bool found = false;

	lock(r);
	if (r->first && (!r->first->persistent || r->first->active)) {
		found = true;
		*op = *r->first;
		if (op->persistent) {
			r->first->active = 0;
			r->first->id = 0;
		} else {
			drop_first(r);
		}
	}
	unlock(r);
	return found;
}

void hyb_request_freed(const MPI_Request *request)
{
	struct hyb_request *r = request ? find(*request) : NULL;

	if (!r)
		return;
	lock(r);
	if (r->first)
		drop_first(r);
	unlock(r);
}

void hyb_request_cancelling(void)
{
	__atomic_store_n(&hyb_cancel_used, 1, __ATOMIC_RELAXED);
}

struct hyb_request *hyb_request_find(MPI_Request request)
{
	return find(request);
}

static uint64_t turn(void)
{
	return __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED);
}

void hyb_request_began(MPI_Request request, enum hyb_op_kind kind, uint32_t of, uint64_t id)
{
	struct hyb_op op = { .kind = (uint8_t)kind, .id = id, .comm = of, .turn = turn() };

	add(request, &op);
}

static uint64_t *put_one(uint64_t *p, enum hyb_record_type type, uint64_t request)
{
	*p = (uint64_t)type << HYB_TYPE_SHIFT | request;
	return p + 1;
}

static uint64_t *put_isend(uint64_t *p, const struct hyb_op *op)
{
	p = hyb_put_message(p, HYB_SEND, HYB_SEND_WIDE, op->comm, op->peer, op->tag, op->bytes);
	return put_one(p, HYB_REQUEST, op->id);
}

static uint64_t *put_icoll(uint64_t *p, const struct hyb_op *op)
{
	p[0] = (uint64_t)HYB_REQUEST_COLL << HYB_TYPE_SHIFT | (uint64_t)op->comm << 32 | op->coll;
	p[1] = op->id;
	return p + 2;
}

static void fill_send(struct hyb_op *op, uint32_t comm, int dest, int tag, uint64_t bytes)
{
	*op = (struct hyb_op){
		.kind = HYB_OP_SEND, .comm = comm, .peer = dest, .tag = tag, .bytes = bytes, .turn = turn(),
	};
}

uint64_t *hyb_ev_isend(uint64_t *p, bool *late, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
		       MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = hyb_comm_find(comm);
	uint64_t size1 = hyb_type_find(type);

	op->kind = HYB_OP_NONE;
	if (dest == MPI_PROC_NULL)
		return p;
	if (hyb_unlikely(!c || !size1 || (uint32_t)dest >= c->peers || count < 0)) {
		*late = true;
		return p;
	}
	fill_send(op, c->id, dest, tag, (uint64_t)count * (size1 - 1));
	op->id = hyb_new_request();
	return put_isend(p, op);
}

uint64_t *hyb_ev_late_isend(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
			    MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = hyb_comm_get(comm);

	if (!c)
		return p;
	fill_send(op, c->id, dest, tag, (uint64_t)count * hyb_type_size(type));
	op->id = hyb_new_request();
	return put_isend(p, op);
}

uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request)
{
	if (op->kind != HYB_OP_NONE)
		add(*request, op);
	return p;
}

uint64_t *hyb_ev_imrecv(uint64_t *p, const struct hyb_comm *comm, const MPI_Request *request)
{
	struct hyb_op op = { .kind = HYB_OP_RECV, .turn = turn() };

	if (!comm)
		return p;
	op.comm = comm->id;
	op.id = hyb_new_request();
	add(*request, &op);
	return put_one(p, HYB_REQUEST_RECV, op.id);
}

uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, const MPI_Request *request)
{
	return source == MPI_PROC_NULL ? p : hyb_ev_imrecv(p, hyb_comm_get(comm), request);
}

uint64_t *hyb_ev_isendrecv(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int source, int tag,
			   const MPI_Request *request)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);

	if (!c)
		return hyb_ev_isent(p, op, request);
	if (op->kind == HYB_OP_NONE)
		*op = (struct hyb_op){ .comm = c->id, .turn = turn() };
	op->kind = HYB_OP_SENDRECV;
	op->record[0] = hyb_new_request();
	op->record[1] = (uint32_t)source;
	op->record[2] = (uint32_t)tag;
	add(*request, op);
	return put_one(p, HYB_REQUEST_RECV, op->record[0]);
}

/* False where there is no record: the communicator is not known. */
static bool fill_coll(struct hyb_op *op, uint32_t coll, const uint64_t *record, const uint64_t *end)
{
	*op = (struct hyb_op){ .kind = HYB_OP_COLL, .coll = coll, .turn = turn() };
	while (record < end)
		op->record[op->words++] = *record++;
	if (!op->words)
		return false;
	op->comm = (op->record[0] >> 32) & 0xffffff;
	return true;
}

uint64_t *hyb_ev_icoll(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
		       const uint64_t *end)
{
	struct hyb_op op;

	if (!fill_coll(&op, coll, record, end))
		return p;
	op.id = hyb_new_request();
	add(*request, &op);
	return put_icoll(p, &op);
}

uint64_t *hyb_ev_send_init(uint64_t *p, const MPI_Request *request, MPI_Comm comm, int dest, int tag,
			   MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = dest == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op;

	if (!c)
		return p;
	fill_send(&op, c->id, dest, tag, (uint64_t)count * hyb_type_size(type));
	op.persistent = 1;
	add(*request, &op);
	return p;
}

uint64_t *hyb_ev_recv_init(uint64_t *p, const MPI_Request *request, MPI_Comm comm, int source)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op = { .kind = HYB_OP_RECV, .persistent = 1, .turn = turn() };

	if (!c)
		return p;
	op.comm = c->id;
	add(*request, &op);
	return p;
}

uint64_t *hyb_ev_coll_init(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
			   const uint64_t *end)
{
	struct hyb_op op;

	if (fill_coll(&op, coll, record, end)) {
		op.persistent = 1;
		add(*request, &op);
	}
	return p;
}

/* The operation of a persistent request that is not started, now with a number; no other thread has it. */
static struct hyb_op *startable(MPI_Request request)
{
	struct hyb_request *r = find(request);
	struct hyb_op *op = r ? r->first : NULL;

	return op && op->persistent && !op->active ? op : NULL;
}

uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request)
{
	struct hyb_op *op = request ? startable(*request) : NULL;

	(void)late;
	if (!op)
		return p;
	op->id = hyb_new_request();
	op->turn = turn();
	return op->kind == HYB_OP_SEND ? put_isend(p, op) : p;
}

uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request)
{
	struct hyb_op *op = startable(*request);

	if (!op || !op->id)
		return p;
	op->active = 1;
	if (op->kind == HYB_OP_RECV)
		return put_one(p, HYB_REQUEST_RECV, op->id);
	return op->kind == HYB_OP_COLL ? put_icoll(p, op) : p;
}

uint64_t *hyb_ev_start_all(uint64_t *p, bool *late, uint32_t region, int count, const MPI_Request *request)
{
	for (int i = 0; request && i < count; i++) {
		p = hyb_group_room(p, region, 4);
		if (!p)
			return hyb_self.pos;
		p = hyb_ev_start(p, late, &request[i]);
	}
	return p;
}

void hyb_started_all(uint32_t region, int ret, int count, const MPI_Request *request)
{
	uint64_t *p;

	if (ret != MPI_SUCCESS || count <= 0 || !request)
		return;
	p = hyb_more(region);
	for (int i = 0; p && i < count; i++) {
		p = hyb_group_room(p, region, 2);
		if (p)
			p = hyb_ev_started(p, &request[i]);
	}
	if (p)
		hyb_publish(p);
}
