/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of how requests begin; see begin.h. */
#include "pmpi/adapter/requests/begin.h"

#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/sendrecv.h"

static uint32_t turn(void)
{
	return (uint32_t)__atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED);
}

void hyb_request_add_transfer(MPI_Request request, enum hyb_op_kind kind, uint32_t what, uint32_t of, uint64_t id)
{
	struct hyb_op op = { .kind = (uint8_t)kind, .coll = what, .comm = of, .id = id, .turn = turn() };

	hyb_request_add(request, &op);
}

static uint64_t *put_isend(uint64_t *p, const struct hyb_op *op)
{
	return hyb_put_requested(p, HYB_SEND, op->comm, op->peer, op->tag, op->bytes, op->id);
}

static uint64_t *put_icoll(uint64_t *p, const struct hyb_op *op)
{
	/* The lower half of its COLL is the root. */
	uint32_t root = (uint32_t)op->record[0] + HYB_COLL_ROOT_BIAS;

	if (root > HYB_COLL_ROOT_MASK)
		root = 0;
	p[0] = (uint64_t)HYB_REQUEST_COLL << HYB_TYPE_SHIFT | (uint64_t)op->comm << 32 |
	       root << HYB_COLL_ROOT_SHIFT | op->coll;
	p[1] = op->id;
	return p + 2;
}

static void fill_send(struct hyb_op *op, uint32_t comm, int dest, int tag, uint64_t bytes)
{
	/* The rest is not looked at; to clear it all takes longer than this. */
	op->bytes = bytes;
	op->turn = turn();
	op->kind = HYB_OP_SEND;
	op->persistent = 0;
	op->active = 0;
	op->comm = comm;
	op->peer = dest;
	op->tag = tag;
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
	op->id = hyb_request_number();
	return put_isend(p, op);
}

uint64_t *hyb_ev_late_isend(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
			    MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = hyb_comm_get(comm);

	if (!c)
		return p;
	fill_send(op, c->id, dest, tag, hyb_type_bytes(count, type));
	op->id = hyb_request_number();
	return put_isend(p, op);
}

/* One that is not persistent and no send. Filled in where it is, which is half of the way of a copy. */
static inline void add_plain(MPI_Request request, enum hyb_op_kind kind, uint32_t comm, int peer, int tag, uint64_t id)
{
	uint32_t now = turn();
	struct hyb_request *r;
	struct hyb_op *op = hyb_request_begin(&r, request, now, kind == HYB_OP_RECV);

	if (!op)
		return;
	op->id = id;
	op->turn = now;
	op->kind = (uint8_t)kind;
	op->persistent = 0;
	op->active = 0;
	op->comm = comm;
	op->peer = peer;
	op->tag = tag;
	hyb_request_end(r, op);
}

uint64_t *hyb_ev_iuntracked(uint64_t *p, const MPI_Request *request)
{
	add_plain(*request, HYB_OP_NONE, 0, 0, 0, 0);
	return p;
}

uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request)
{
	struct hyb_request *r;
	struct hyb_op *own;

	if (op->kind == HYB_OP_NONE)
		return hyb_ev_iuntracked(p, request);
	own = hyb_request_begin(&r, *request, op->turn, false);
	if (own) {
		hyb_op_copy(own, op);
		hyb_request_end(r, own);
	}
	return p;
}

static uint64_t *put_irecv(uint64_t *p, uint64_t comm1, int source, int tag, const MPI_Request *request)
{
	uint64_t id;

	if (!comm1)
		return hyb_ev_iuntracked(p, request);
	id = hyb_request_number();
	add_plain(*request, HYB_OP_RECV, (uint32_t)(comm1 - 1), source, tag, id);
	return hyb_put_word(p, HYB_REQUEST_RECV, id);
}

/* Whose message it is was said to the probe that matched it. */
uint64_t *hyb_ev_imrecv(uint64_t *p, uint64_t comm1, const MPI_Request *request)
{
	return put_irecv(p, comm1, MPI_PROC_NULL, MPI_ANY_TAG, request);
}

uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, int tag, const MPI_Request *request)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);

	return put_irecv(p, c ? (uint64_t)c->id + 1 : 0, source, tag, request);
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
	op->record[0] = hyb_request_number();
	op->record[1] = (uint64_t)(uint32_t)source << 32 | (uint32_t)tag;
	op->record[2] = hyb_sendrecv_fills_status(op->id != 0);
	hyb_request_add(*request, op);
	return hyb_put_word(p, HYB_REQUEST_RECV, op->record[0]);
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
		return hyb_ev_iuntracked(p, request);
	op.id = hyb_request_number();
	hyb_request_add(*request, &op);
	return put_icoll(p, &op);
}

void hyb_request_init_send(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int dest, int tag,
			   MPI_Count count, MPI_Datatype type)
{
	const struct hyb_comm *c = dest == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op = { .words = 0 };

	if (!c)
		return;
	fill_send(&op, c->id, dest, tag, hyb_type_bytes(count, type));
	op.persistent = 1;
	op.groups = groups;
	hyb_request_add(*request, &op);
}

void hyb_request_init_recv(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int source, int tag)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op = { .kind = HYB_OP_RECV, .persistent = 1, .groups = groups, .turn = turn() };

	if (!c)
		return;
	op.comm = c->id;
	op.peer = source;
	op.tag = tag;
	hyb_request_add(*request, &op);
}

void hyb_request_init_coll(const MPI_Request *request, uint32_t coll, const uint64_t *record, const uint64_t *end)
{
	struct hyb_op op;

	if (fill_coll(&op, coll, record, end)) {
		op.persistent = 1;
		op.groups = 1u << HYB_GROUP_COLL;
		hyb_request_add(*request, &op);
	}
}

/*
 * The operation of a persistent request that can be started, locked. Another thread may
 * just be completing what had this handle before.
 */
static struct hyb_op *startable(MPI_Request request, struct hyb_request **r)
{
	struct hyb_op **link;

	*r = hyb_request_entry(request);
	if (!*r)
		return NULL;
	hyb_request_lock(*r);
	link = hyb_request_persistent(*r, (*r)->serial);
	/* To start one that is active would be an error: it ended unseen, or in a call that failed. */
	if (link)
		(*link)->active = 0;
	if (link && !hyb_is_off((*link)->groups))
		return *link;
	hyb_request_unlock(*r);
	return NULL;
}

static void note_start(struct hyb_request *r, const void *where, MPI_Request request, uint64_t id)
{
	r->starting = NULL;
	r->where = where;
	r->handle = request;
	r->starting_id = id;
	*hyb_mpi_self.starting_end = r;
	hyb_mpi_self.starting_end = &r->starting;
}

static uint64_t *start(uint64_t *p, const MPI_Request *request)
{
	struct hyb_request *r;
	struct hyb_op *op = request ? startable(*request, &r) : NULL;

	if (!op)
		return p;
	op->id = hyb_request_number();
	op->turn = turn();
	if (op->kind == HYB_OP_SEND)
		p = put_isend(p, op);
	if (hyb_op_is_partitioned(op) && op->kind == HYB_OP_SEND)
		p = hyb_put_word(p, HYB_PARTITIONED, 0);
	note_start(r, request, *request, op->id);
	hyb_request_unlock(r);
	return p;
}

/*
 * Open MPI gives a persistent send that is complete for the program, but not yet for itself, another handle when it is
 * started again. Its operation goes along.
 */
static void follow(const void *where, MPI_Request now)
{
	struct hyb_request *r = hyb_mpi_self.starting;
	struct hyb_op **link;
	struct hyb_op op;

	if (!r || r->where != where)
		return;
	hyb_mpi_self.starting = r->starting;
	if (hyb_likely(r->handle == now))
		return;
	hyb_request_lock(r);
	link = &r->first;
	while (*link && !((*link)->persistent && (*link)->id == r->starting_id))
		link = &(*link)->next;
	op.persistent = *link != NULL;
	if (*link) {
		op = **link;
		hyb_request_drop(r, link);
	}
	hyb_request_unlock(r);
	if (op.persistent)
		hyb_request_add(now, &op);
}

void hyb_starts_begin(void)
{
	hyb_mpi_self.starting = NULL;
	hyb_mpi_self.starting_end = &hyb_mpi_self.starting;
}

void hyb_start_unrecorded(const void *where, MPI_Request request)
{
	struct hyb_request *r = hyb_request_entry(request);
	struct hyb_op **link;

	if (!r)
		return;
	hyb_request_lock(r);
	link = hyb_request_persistent(r, r->serial);
	if (link) {
		(*link)->active = 0;
		(*link)->id = 0;
		note_start(r, where, request, 0);
	}
	hyb_request_unlock(r);
}

void hyb_start_unrecorded_done(const void *where, MPI_Request request)
{
	follow(where, request);
}

/* Within a call that is recorded, that one does it. */
void hyb_starts_unrecorded(int count, const MPI_Request *request)
{
	if (hyb_self.frame)
		return;
	hyb_starts_begin();
	for (int i = 0; request && i < count; i++)
		hyb_start_unrecorded(&request[i], request[i]);
}

void hyb_starts_unrecorded_done(int count, const MPI_Request *request)
{
	for (int i = 0; !hyb_self.frame && request && i < count; i++)
		hyb_start_unrecorded_done(&request[i], request[i]);
}

uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request)
{
	(void)late;
	hyb_starts_begin();
	return start(p, request);
}

uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request)
{
	struct hyb_request *r;
	struct hyb_op *op;

	follow(request, *request);
	op = startable(*request, &r);
	if (!op)
		return p;
	/* 0: recording was switched on in between */
	op->active = op->id != 0;
	if (op->active && op->kind == HYB_OP_RECV)
		p = hyb_put_word(p, HYB_REQUEST_RECV, op->id);
	else if (op->active && op->kind == HYB_OP_COLL)
		p = put_icoll(p, op);
	hyb_request_unlock(r);
	return p;
}

uint64_t *hyb_ev_start_all(uint64_t *p, bool *late, uint32_t region, int count, const MPI_Request *request)
{
	(void)late;
	hyb_starts_begin();
	for (int i = 0; request && i < count; i++) {
		p = hyb_put_room(p, region, 5);
		if (!p)
			return hyb_self.pos;
		p = start(p, &request[i]);
	}
	return p;
}

uint64_t *hyb_requests_started_all(uint64_t *p, uint32_t region, int ret, int count, const MPI_Request *request)
{
	bool ok = true;

	for (int i = 0; ret == MPI_SUCCESS && request && i < count; i++) {
		p = hyb_put_leave_room(p, region, 2, &ok);
		if (!ok)
			break;
		p = hyb_ev_started(p, &request[i]);
	}
	return p;
}
