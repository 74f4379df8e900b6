/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of requests: what is under way behind each handle; see request.h. */
#include "pmpi/pending.h"

#include <sched.h>

#include "core/alloc.h"

static struct hyb_trie requests;
uint32_t hyb_requests_are_in_turn;	/* one thread at a time calls MPI */

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
void hyb_request_lock(struct hyb_request *r)
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

void hyb_request_unlock(struct hyb_request *r)
{
	__atomic_store_n(&r->lock, 0, __ATOMIC_RELEASE);
}

/*
 * Handles of operations that are complete when they begin, and the entries for them. They may be learned while other
 * threads have operations under way, in sessions: the entries that these have by then are among those for them, too.
 */
static uint64_t ready_handles[2] = { UINT64_MAX, UINT64_MAX };
static struct hyb_request *ready;

static bool is_ready(uint64_t handle)
{
	return handle == __atomic_load_n(&ready_handles[0], __ATOMIC_RELAXED) ||
	       handle == __atomic_load_n(&ready_handles[1], __ATOMIC_RELAXED);
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

	/* Pairs with the release in learn: what was there before is in the list. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (own && length(own))
		return own;
	for (r = __atomic_load_n(&ready, __ATOMIC_ACQUIRE); r; r = r->next_ready) {
		if ((r->node.key ^ handle) << (64 - HANDLE_BITS) == 0 && length(r))
			return r;
	}
	return own;
}

struct hyb_request *hyb_request_entry(MPI_Request request)
{
	uint64_t handle = HYB_HANDLE(request);

	if (request == MPI_REQUEST_NULL)
		return NULL;
	if (hyb_unlikely(is_ready(handle)))
		return find_ready(handle);
	return (struct hyb_request *)hyb_trie_find(&requests, handle);
}

/* Puts an entry among those of handles that are complete from the start. */
static void list_ready(struct hyb_request *r)
{
	if (__atomic_load_n(&r->is_ready, __ATOMIC_RELAXED) || __atomic_exchange_n(&r->is_ready, 1, __ATOMIC_RELAXED))
		return;
	r->next_ready = __atomic_load_n(&ready, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&ready, &r->next_ready, r, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static struct hyb_request *find_or_make(uint64_t handle)
{
	struct hyb_request *r = (struct hyb_request *)hyb_trie_add(&requests, key_of(handle), sizeof(*r));

	if (r && hyb_unlikely(is_ready(handle)))
		list_ready(r);
	return r;
}

/* What was begun under this handle until now is still found. */
static void learn(int place, uint64_t handle)
{
	struct hyb_request *r;

	if (is_ready(handle))
		return;
	r = (struct hyb_request *)hyb_trie_add(&requests, handle, sizeof(*r));
	if (!r)
		return;
	list_ready(r);
	__atomic_store_n(&ready_handles[place], handle, __ATOMIC_RELEASE);
}

/*
 * Those to and from MPI_PROC_NULL are such operations, and have the handle of all that are: where two have the same at
 * once it stands for no operation of its own. No message is sent.
 */
void hyb_requests_learn(void)
{
	for (int i = 0; i < 2; i++) {
		MPI_Request two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
		char none = 0;

		for (int k = 0; k < 2; k++) {
			if (i == 0)
				PMPI_Isend(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
			else
				PMPI_Irecv(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
		}
		if (two[0] == two[1] && two[0] != MPI_REQUEST_NULL &&
		    (HYB_HANDLE(two[0]) >> HANDLE_BITS) == 0)
			learn(i, HYB_HANDLE(two[0]));
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
void hyb_request_drop(struct hyb_request *r, struct hyb_op **link)
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
 * What stands under a handle that MPI has just given out, and was completed unseen: what is from before recording was
 * last switched on; and where one thread at a time calls MPI everything, if the new request is one that MPIs make an
 * object for, so that it shares its handle with no other. It may have been completed by a function of PMPI.
 */
static HYB_COLD void drop_stale(struct hyb_request *r, uint64_t turn, bool alone)
{
	alone = alone && in_turn();
	while (r->first && (alone || r->first->turn != turn))
		hyb_request_drop(r, &r->first);
}

struct hyb_op *hyb_request_begin(struct hyb_request **entry, MPI_Request request, uint64_t turn, bool alone)
{
	struct hyb_request *r;
	struct hyb_op *op;

	if (request == MPI_REQUEST_NULL)
		return NULL;
	r = find_or_make(HYB_HANDLE(request));
	if (!r)
		return NULL;
	hyb_request_lock(r);
	if (hyb_unlikely(r->first != NULL))
		drop_stale(r, turn, alone);
	op = take_free(r);
	if (!op)
		hyb_request_unlock(r);
	*entry = r;
	return op;
}

void hyb_request_end(struct hyb_request *r, struct hyb_op *op)
{
	op->serial = r->serial + 1;
	/* The thread that completes it was handed the request behind this. */
	__atomic_store_n(&r->serial, op->serial, __ATOMIC_RELAXED);
	enqueue(r, op);
	hyb_request_unlock(r);
}

void hyb_request_add(MPI_Request request, const struct hyb_op *op)
{
	bool alone = op->persistent || op->kind == HYB_OP_RECV || op->kind == HYB_OP_SENDRECV;
	struct hyb_request *r;
	struct hyb_op *own = hyb_request_begin(&r, request, op->turn, alone);

	if (own) {
		*own = *op;
		hyb_request_end(r, own);
	}
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

static uint32_t at_once;

void hyb_requests_in_turn(void)
{
	if (!__atomic_load_n(&at_once, __ATOMIC_RELAXED))
		__atomic_store_n(&hyb_requests_are_in_turn, 1, __ATOMIC_RELAXED);
}

void hyb_requests_at_once(void)
{
	__atomic_store_n(&at_once, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&hyb_requests_are_in_turn, 0, __ATOMIC_RELAXED);
}

void hyb_request_look(struct hyb_pending *pending)
{
	pending->request = hyb_request_entry(pending->handle);
	if (pending->request)
		pending->newest = __atomic_load_n(&pending->request->serial, __ATOMIC_RELAXED);
}

/* The entry, locked, or NULL. */
static struct hyb_request *lock_pending(struct hyb_pending *pending)
{
	if (!hyb_request_known(pending))
		return NULL;
	hyb_request_lock(pending->request);
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
			hyb_request_drop(r, link);
		}
	}
	hyb_request_unlock(r);
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
	hyb_request_unlock(r);
	return id;
}

/* The persistent operation of an entry that is locked; what else is there is another thread's, as in choose. */
struct hyb_op **hyb_request_persistent(struct hyb_request *r, uint32_t newest)
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

	hyb_request_lock(r);
	while (*link && !recorded) {
		const struct hyb_op *op = *link;

		if (op->persistent)
			recorded = starts != op->active && !hyb_is_off(op->groups);
		else
			recorded = op->kind != HYB_OP_NONE;
		if (op->kind == HYB_OP_NONE)
			hyb_request_drop(r, link);
		else
			link = &(*link)->next;
	}
	hyb_request_unlock(r);
	return recorded;
}

/*
 * Recording is paused, and what the call completes ends unseen: its handle may be another's by the time when
 * recording goes on. What a test finds not complete is given up with it.
 */
static void forget(struct hyb_request *r)
{
	struct hyb_op **link = &r->first;

	hyb_request_lock(r);
	while (*link) {
		if ((*link)->persistent) {
			(*link)->active = 0;
			(*link)->id = 0;
			link = &(*link)->next;
		} else {
			hyb_request_drop(r, link);
		}
	}
	hyb_request_unlock(r);
}

bool hyb_requests_recorded(bool starts, int count, const MPI_Request *request)
{
	bool paused = hyb_is_off(HYB_RECORDING_ON);

	if (!request || (paused && starts))
		return false;
	for (int i = 0; i < count; i++) {
		struct hyb_request *r = hyb_request_entry(request[i]);

		if (r && paused)
			forget(r);
		else if (r && is_recorded(r, starts))
			return true;
	}
	return false;
}

void hyb_requests_unseen(int count, const MPI_Request *request)
{
	/* Within a call that is recorded, that one sees to them. */
	for (int i = 0; !hyb_self.frame && request && i < count; i++) {
		struct hyb_request *r = hyb_request_entry(request[i]);

		if (r)
			forget(r);
	}
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
	link = hyb_request_persistent(r, pending->newest);
	if (!link)
		link = choose(r, pending->newest);
	if (link)
		hyb_request_drop(r, link);
	hyb_request_unlock(r);
}

