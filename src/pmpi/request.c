/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests, and the records of their beginning; see request.h. */
#include "pmpi/request.h"

#include <sched.h>

#include "core/alloc.h"
#include "pmpi/events.h"
#include "pmpi/functions.h"

static struct hyb_trie requests;
uint32_t hyb_requests_are_in_turn;	/* one thread at a time calls MPI */
uint32_t hyb_cancel_used;

static bool in_turn(void)
{
	return __atomic_load_n(&hyb_requests_are_in_turn, __ATOMIC_RELAXED);
}

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/*
 * Held for a few instructions. MPIs give one handle to all operations that are complete when they begin, so many
 * threads may want it at once; who has waited longer than that takes gives its CPU to the one that was preempted there.
 */
static void lock(struct hyb_request *r)
{
	if (hyb_likely(in_turn()))
		return;
	for (int tries = 0; __atomic_exchange_n(&r->lock, 1, __ATOMIC_ACQUIRE); tries++) {
		if (tries < 128)
			relax();
		else
			sched_yield();
	}
}

static void unlock(struct hyb_request *r)
{
	__atomic_store_n(&r->lock, 0, __ATOMIC_RELEASE);
}

/* Handles of operations that are complete when they begin, and the entries for them. */
static uint64_t ready_handles[2] = { UINT64_MAX, UINT64_MAX };
static struct hyb_request *ready;

static bool is_ready(uint64_t handle)
{
	return handle == ready_handles[0] || handle == ready_handles[1];
}

/* A handle is an int or an address: the upper bits are free for the thread. */
#define HANDLE_BITS 48

/* What a handle's entry for this thread is found by. Two threads with one key share an entry. */
static uint64_t key_of(uint64_t handle)
{
	if (hyb_likely(!is_ready(handle)))
		return handle;
	return handle ^ ((hyb_self.requests >> HYB_REQUEST_THREAD_SHIFT) % 0xffff + 1) << HANDLE_BITS;
}

static uint32_t length(const struct hyb_request *r)
{
	return __atomic_load_n(&r->length, __ATOMIC_RELAXED);
}

static struct hyb_request *find_ready(uint64_t handle)
{
	struct hyb_request *own = (struct hyb_request *)hyb_trie_find(&requests, key_of(handle));
	struct hyb_request *r;

	if (own && length(own))
		return own;
	for (r = __atomic_load_n(&ready, __ATOMIC_ACQUIRE); r; r = r->next_ready) {
		if ((r->node.key ^ handle) << (64 - HANDLE_BITS) == 0 && length(r))
			return r;
	}
	return own;
}

static struct hyb_request *find(MPI_Request request)
{
	uint64_t handle = HYB_HANDLE(request);

	if (request == MPI_REQUEST_NULL)
		return NULL;
	if (hyb_unlikely(is_ready(handle)))
		return find_ready(handle);
	return (struct hyb_request *)hyb_trie_find(&requests, handle);
}

static struct hyb_request *find_or_make(uint64_t handle)
{
	struct hyb_request *r = (struct hyb_request *)hyb_trie_add(&requests, key_of(handle), sizeof(*r));

	if (r && hyb_unlikely(is_ready(handle)) && !__atomic_load_n(&r->is_ready, __ATOMIC_RELAXED) &&
	    !__atomic_exchange_n(&r->is_ready, 1, __ATOMIC_RELAXED)) {
		r->next_ready = __atomic_load_n(&ready, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&ready, &r->next_ready, r, 0, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED))
			;
	}
	return r;
}

/*
 * Those to and from MPI_PROC_NULL are such operations, and have the handle of all that are; where two have the same at once
 * it is nobody's. No message is sent.
 */
void hyb_requests_learn(void)
{
	for (int i = 0; i < 2; i++) {
		MPI_Request two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
		char none;

		for (int k = 0; k < 2; k++) {
			if (i == 0)
				PMPI_Isend(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
			else
				PMPI_Irecv(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
		}
		if (two[0] == two[1] && two[0] != MPI_REQUEST_NULL &&
		    (HYB_HANDLE(two[0]) >> HANDLE_BITS) == 0)
			ready_handles[i] = HYB_HANDLE(two[0]);
		for (int k = 0; k < 2; k++)
			PMPI_Wait(&two[k], MPI_STATUS_IGNORE);
	}
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

/* Takes out the operation that a link of the queue leads to. */
static void drop(struct hyb_request *r, struct hyb_op **link)
{
	struct hyb_op *op = *link;

	*link = op->next;
	if (!*link)
		r->end = link;
	op->next = r->free;
	r->free = op;
	__atomic_store_n(&r->length, r->length - 1, __ATOMIC_RELAXED);
}

/* Those that a completion takes first stand first: there may be thousands. See request.h. */
static void enqueue(struct hyb_request *r, struct hyb_op *op)
{
	struct hyb_op **link = &r->first;

	if (r->first && in_turn())
		link = r->end;
	op->next = *link;
	*link = op;
	if (!op->next)
		r->end = &op->next;
	__atomic_store_n(&r->length, r->length + 1, __ATOMIC_RELAXED);
}

/*
 * Puts a copy of op to the others of its handle. What stands there from before recording was last switched
 * on was completed unseen.
 */
static void add(MPI_Request request, const struct hyb_op *op)
{
	struct hyb_request *r;
	struct hyb_op *own;

	if (request == MPI_REQUEST_NULL)
		return;
	r = find_or_make(HYB_HANDLE(request));
	if (!r)
		return;
	lock(r);
	while (r->first && r->first->turn != op->turn)
		drop(r, &r->first);
	own = take_free(r);
	if (own) {
		*own = *op;
		own->serial = r->serial + 1;
		/* The thread that completes it was handed the request behind this. */
		__atomic_store_n(&r->serial, own->serial, __ATOMIC_RELAXED);
		enqueue(r, own);
	}
	unlock(r);
}

/* The link to the operation that a call of which `newest` was noted has completed, or NULL; see request.h. */
static struct hyb_op **choose(struct hyb_request *r, uint32_t newest)
{
	for (struct hyb_op **link = &r->first; *link; link = &(*link)->next) {
		if ((int32_t)(newest - (*link)->serial) >= 0 && (!(*link)->persistent || (*link)->active))
			return link;
	}
	return NULL;
}

void hyb_requests_in_turn(void)
{
	__atomic_store_n(&hyb_requests_are_in_turn, 1, __ATOMIC_RELAXED);
}

void hyb_request_look(struct hyb_pending *pending)
{
	pending->request = find(pending->handle);
	if (pending->request)
		pending->newest = __atomic_load_n(&pending->request->serial, __ATOMIC_RELAXED);
}

/* The entry, locked, or NULL. */
static struct hyb_request *lock_pending(struct hyb_pending *pending)
{
	if (!hyb_request_known(pending))
		return NULL;
	lock(pending->request);
	return pending->request;
}

bool hyb_request_take(struct hyb_pending *pending, struct hyb_op *op)
{
	struct hyb_request *r = lock_pending(pending);
	struct hyb_op **link;

	if (!r)
		return false;
	link = choose(r, pending->newest);
	if (link) {
		*op = **link;
		if (op->persistent) {
			(*link)->active = 0;
			(*link)->id = 0;
		} else {
			drop(r, link);
		}
	}
	unlock(r);
	return link != NULL;
}

uint64_t hyb_request_asked(struct hyb_pending *pending)
{
	struct hyb_request *r = lock_pending(pending);
	struct hyb_op **link;
	uint64_t id;

	if (!r)
		return 0;
	link = choose(r, pending->newest);
	id = link && (*link)->kind >= HYB_OP_SEND && (*link)->kind <= HYB_OP_COLL ? (*link)->id : 0;
	unlock(r);
	return id;
}

/* The persistent operation of an entry that is locked; what else is there is another thread's, as in choose. */
static struct hyb_op **persistent(struct hyb_request *r, uint32_t newest)
{
	struct hyb_op **link = &r->first;

	while (*link && !((*link)->persistent && (int32_t)(newest - (*link)->serial) >= 0))
		link = &(*link)->next;
	return *link ? link : NULL;
}

static bool is_recorded(struct hyb_request *r, bool starts)
{
	struct hyb_op **link = &r->first;
	bool recorded = false;

	lock(r);
	while (*link && !recorded) {
		const struct hyb_op *op = *link;

		if (op->persistent)
			recorded = starts != op->active && !hyb_is_off(op->groups);
		else
			recorded = op->kind != HYB_OP_NONE;
		if (op->kind == HYB_OP_NONE)
			drop(r, link);
		else
			link = &(*link)->next;
	}
	unlock(r);
	return recorded;
}

/*
 * Recording is paused, and what the call completes ends unseen: its handle may be another's by the time when
 * recording goes on. What a test finds not complete is given up with it.
 */
static void forget(struct hyb_request *r)
{
	struct hyb_op **link = &r->first;

	lock(r);
	while (*link) {
		if ((*link)->persistent) {
			(*link)->active = 0;
			(*link)->id = 0;
			link = &(*link)->next;
		} else {
			drop(r, link);
		}
	}
	unlock(r);
}

bool hyb_requests_recorded(bool starts, int count, const MPI_Request *request)
{
	bool paused = hyb_is_off(HYB_RECORDING_ON);

	if (!request || (paused && starts))
		return false;
	for (int i = 0; i < count; i++) {
		struct hyb_request *r = find(request[i]);

		if (r && paused)
			forget(r);
		else if (r && is_recorded(r, starts))
			return true;
	}
	return false;
}

void hyb_request_freeing(struct hyb_pending *pending, const MPI_Request *request)
{
	hyb_request_note(pending, request ? *request : MPI_REQUEST_NULL);
}

void hyb_request_freed(struct hyb_pending *pending)
{
	struct hyb_request *r = lock_pending(pending);
	struct hyb_op **link;

	if (!r)
		return;
	link = persistent(r, pending->newest);
	if (!link)
		link = choose(r, pending->newest);
	if (link)
		drop(r, link);
	unlock(r);
}

void hyb_request_cancelling(void)
{
	__atomic_store_n(&hyb_cancel_used, 1, __ATOMIC_RELAXED);
}

static uint64_t turn(void)
{
	return __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED);
}

void hyb_request_began(MPI_Request request, enum hyb_op_kind kind, uint32_t what, uint32_t of, uint64_t id)
{
	struct hyb_op op = { .kind = (uint8_t)kind, .coll = what, .comm = of, .id = id, .turn = turn() };

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
	fill_send(op, c->id, dest, tag, hyb_type_bytes(count, type));
	op->id = hyb_new_request();
	return put_isend(p, op);
}

uint64_t *hyb_ev_iother(uint64_t *p, const MPI_Request *request)
{
	const struct hyb_op op = { .kind = HYB_OP_NONE, .turn = turn() };

	add(*request, &op);
	return p;
}

uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request)
{
	if (op->kind == HYB_OP_NONE)
		return hyb_ev_iother(p, request);
	add(*request, op);
	return p;
}

uint64_t *hyb_ev_imrecv(uint64_t *p, const struct hyb_comm *comm, const MPI_Request *request)
{
	struct hyb_op op = { .kind = HYB_OP_RECV, .turn = turn() };

	if (!comm)
		return hyb_ev_iother(p, request);
	op.comm = comm->id;
	op.id = hyb_new_request();
	add(*request, &op);
	return put_one(p, HYB_REQUEST_RECV, op.id);
}

uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, const MPI_Request *request)
{
	return hyb_ev_imrecv(p, source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm), request);
}

uint64_t *hyb_ev_isendrecv(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int source, int tag, MPI_Count count,
			   MPI_Datatype type, const MPI_Request *request)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);

	if (!c)
		return hyb_ev_isent(p, op, request);
	if (op->kind == HYB_OP_NONE)
		*op = (struct hyb_op){ .comm = c->id, .turn = turn() };
	op->kind = HYB_OP_SENDRECV;
	op->record[0] = hyb_new_request();
	op->record[1] = (uint64_t)(uint32_t)source << 32 | (uint32_t)tag;
	op->record[2] = hyb_type_bytes(count, type);
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

void hyb_send_init(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int dest, int tag, MPI_Count count,
		   MPI_Datatype type)
{
	const struct hyb_comm *c = dest == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op;

	if (!c)
		return;
	fill_send(&op, c->id, dest, tag, hyb_type_bytes(count, type));
	op.persistent = 1;
	op.groups = groups;
	add(*request, &op);
}

void hyb_recv_init(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int source)
{
	const struct hyb_comm *c = source == MPI_PROC_NULL ? NULL : hyb_comm_get(comm);
	struct hyb_op op = { .kind = HYB_OP_RECV, .persistent = 1, .groups = groups, .turn = turn() };

	if (!c)
		return;
	op.comm = c->id;
	add(*request, &op);
}

void hyb_coll_init(const MPI_Request *request, uint32_t coll, const uint64_t *record, const uint64_t *end)
{
	struct hyb_op op;

	if (fill_coll(&op, coll, record, end)) {
		op.persistent = 1;
		op.groups = 1u << HYB_GROUP_COLL;
		add(*request, &op);
	}
}

/*
 * The operation of a persistent request that can be started, locked. Another thread may
 * just be completing what had this handle before.
 */
static struct hyb_op *startable(MPI_Request request, struct hyb_request **r)
{
	struct hyb_op **link;

	*r = find(request);
	if (!*r)
		return NULL;
	lock(*r);
	link = persistent(*r, (*r)->serial);
	/* To start one that is active would be an error: it was completed where nothing could be recorded. */
	if (link && (*link)->turn != turn())
		(*link)->active = 0;
	if (link && !(*link)->active && !hyb_is_off((*link)->groups))
		return *link;
	unlock(*r);
	return NULL;
}

uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request)
{
	struct hyb_request *r;
	struct hyb_op *op = request ? startable(*request, &r) : NULL;

	(void)late;
	if (!op)
		return p;
	op->id = hyb_new_request();
	op->turn = turn();
	if (op->kind == HYB_OP_SEND)
		p = put_isend(p, op);
	unlock(r);
	return p;
}

uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request)
{
	struct hyb_request *r;
	struct hyb_op *op = startable(*request, &r);

	if (!op)
		return p;
	/* 0: recording was switched on in between */
	op->active = op->id != 0;
	if (op->active && op->kind == HYB_OP_RECV)
		p = put_one(p, HYB_REQUEST_RECV, op->id);
	else if (op->active && op->kind == HYB_OP_COLL)
		p = put_icoll(p, op);
	unlock(r);
	return p;
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
