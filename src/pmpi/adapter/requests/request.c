/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of requests: what is under way under each handle; see request.h. */
#include "pmpi/adapter/requests/request.h"

#include <sched.h>

#include "core/sys/memory.h"

struct hyb_trie_wide hyb_requests;
uint32_t hyb_requests_are_serialized;	/* one thread at a time calls MPI */

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/*
 * MPIs give one handle to all operations that are complete when they begin, so many threads may want its lock at once;
 * who has waited longer than it is held gives its CPU to the one that was preempted there.
 */
void hyb_request_wait(struct hyb_request *r)
{
	for (unsigned int tries = 1;; tries++) {
		if (!__atomic_load_n(&r->lock, __ATOMIC_RELAXED) && !__atomic_exchange_n(&r->lock, 1, __ATOMIC_ACQUIRE))
			return;
		if (tries % 128)
			relax();
		else
			sched_yield();
	}
}

uint64_t hyb_precompleted_handles[HYB_PRECOMPLETED_HANDLES] = { UINT64_MAX, UINT64_MAX };
static struct hyb_request *precompleted;	/* the entries for them: of all threads, and from before they were known */

/* A handle is an int, of which some are negative, or an address: the upper bits are alike, and free for the thread. */
#define HANDLE_BITS 48

/* What an entry of this thread for such a handle is found by. Two threads with one key share it. */
static uint64_t key_of(uint64_t handle)
{
	return handle ^ ((hyb_self.last_id >> HYB_REQUEST_THREAD_SHIFT) % 0xffff + 1) << HANDLE_BITS;
}

static uint32_t length(const struct hyb_request *r)
{
	return __atomic_load_n(&r->length, __ATOMIC_RELAXED);
}

struct hyb_request *hyb_request_find_precompleted(int i)
{
	struct hyb_request *own = hyb_mpi_self.precompleted[i];
	uint64_t handle = __atomic_load_n(&hyb_precompleted_handles[i], __ATOMIC_ACQUIRE);
	struct hyb_request *r;

	if (own && length(own))
		return own;
	/* What began under the handle before it was known is in the list: the acquire above pairs with remember. */
	for (r = __atomic_load_n(&precompleted, __ATOMIC_ACQUIRE); r; r = r->next_precompleted) {
		if ((r->node.key ^ handle) << (64 - HANDLE_BITS) == 0 && length(r))
			return r;
	}
	return own;
}

/* Puts an entry among those of handles that are complete from the start. */
static void list_precompleted(struct hyb_request *r)
{
	if (__atomic_load_n(&r->is_precompleted, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&r->is_precompleted, 1, __ATOMIC_RELAXED))
		return;
	r->next_precompleted = __atomic_load_n(&precompleted, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&precompleted, &r->next_precompleted, r, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

struct hyb_request *hyb_request_make(MPI_Request request)
{
	uint64_t handle = HYB_HANDLE(request);
	int i = hyb_precompleted_index(handle);
	uint64_t key = handle;
	struct hyb_request *r;

	if (request == MPI_REQUEST_NULL)
		return NULL;
	if (i < HYB_PRECOMPLETED_HANDLES)
		key = key_of(handle);
	r = (struct hyb_request *)hyb_trie_add_wide(&hyb_requests, key, sizeof(*r));
	if (r && i < HYB_PRECOMPLETED_HANDLES) {
		list_precompleted(r);
		hyb_mpi_self.precompleted[i] = r;
	}
	return r;
}

/* What was begun under this handle until now is still found. */
static void remember(int place, uint64_t handle)
{
	struct hyb_request *r;

	if (hyb_precompleted_index(handle) < HYB_PRECOMPLETED_HANDLES)
		return;
	r = (struct hyb_request *)hyb_trie_add_wide(&hyb_requests, handle, sizeof(*r));
	if (!r)
		return;
	list_precompleted(r);
	__atomic_store_n(&hyb_precompleted_handles[place], handle, __ATOMIC_RELEASE);
}

/*
 * Those to and from MPI_PROC_NULL are such operations, and have the handle of all that are: where two have the same at
 * once it stands for no operation of its own. No message is sent.
 */
void hyb_requests_find_precompleted(void)
{
	for (int i = 0; i < HYB_PRECOMPLETED_HANDLES; i++) {
		MPI_Request two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
		int64_t upper;
		char none = 0;

		for (int k = 0; k < 2; k++) {
			if (i == 0)
				PMPI_Isend(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
			else
				PMPI_Irecv(&none, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &two[k]);
		}
		upper = (int64_t)HYB_HANDLE(two[0]) >> HANDLE_BITS;
		if (two[0] == two[1] && two[0] != MPI_REQUEST_NULL && (upper == 0 || upper == -1))
			remember(i, HYB_HANDLE(two[0]));
		for (int k = 0; k < 2; k++)
			PMPI_Wait(&two[k], MPI_STATUS_IGNORE);
	}
}

struct hyb_op *hyb_request_more(struct hyb_request *r)
{
	struct hyb_op *op = r->free;

	if (!op)
		return hyb_alloc(sizeof(*op));
	r->free = op->next;
	return op;
}

/*
 * What stands under a handle that MPI has just given out, and was completed unseen: what is from before recording was
 * last switched on; and where one thread at a time calls MPI everything, if the new request is one that MPIs make an
 * object for, so that it shares its handle with no other. It may have been completed by a function of PMPI.
 */
void hyb_request_drop_stale(struct hyb_request *r, uint32_t turn, bool alone)
{
	alone = alone && hyb_requests_serialized();
	while (r->first && (alone || r->first->turn != turn))
		hyb_request_drop(r, &r->first);
}

void hyb_request_add(MPI_Request request, const struct hyb_op *op)
{
	bool alone = op->persistent || op->kind == HYB_OP_RECV || op->kind == HYB_OP_SENDRECV;
	struct hyb_request *r;
	struct hyb_op *own = hyb_request_begin(&r, request, op->turn, alone);

	if (own) {
		hyb_op_copy(own, op);
		hyb_request_end(r, own);
	}
}

static uint32_t multiple;

void hyb_requests_set_serialized(void)
{
	if (!__atomic_load_n(&multiple, __ATOMIC_RELAXED))
		__atomic_store_n(&hyb_requests_are_serialized, 1, __ATOMIC_RELAXED);
}

void hyb_requests_set_multiple(void)
{
	__atomic_store_n(&multiple, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&hyb_requests_are_serialized, 0, __ATOMIC_RELAXED);
}

uint64_t *hyb_request_stand_both(uint64_t *p, const uint64_t *end, const struct hyb_op *op)
{
	if (p + 2 * HYB_STANDING_REQUEST_WORDS > end)
		return p;
	/* To MPI_PROC_NULL nothing is sent. */
	if (op->id) {
		p[0] = op->id;
		p[1] = (uint64_t)op->comm << 32 | HYB_REQUEST_OF_SEND;
		p[2] = (uint64_t)(uint32_t)op->tag << 32 | (uint32_t)op->peer;
		p += HYB_STANDING_REQUEST_WORDS;
	}
	p[0] = op->record[0];
	p[1] = (uint64_t)op->comm << 32 | HYB_REQUEST_OF_RECV;
	p[2] = op->record[1] << 32 | op->record[1] >> 32;
	return p + HYB_STANDING_REQUEST_WORDS;
}

uint64_t hyb_request_tested_id(struct hyb_request *r, uint32_t newest)
{
	struct hyb_op **link;
	uint64_t id;

	hyb_request_lock(r);
	link = hyb_request_choose(r, newest);
	id = link && (*link)->kind >= HYB_OP_SEND && (*link)->kind <= HYB_OP_COLL ? (*link)->id : 0;
	hyb_request_unlock(r);
	return id;
}

/* The persistent operation of an entry that is locked; what else is there is another thread's, as in hyb_request_choose. */
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

bool hyb_request_recorded(const MPI_Request *request)
{
	struct hyb_request *r = NULL;

	if (request && !hyb_is_off(HYB_RECORDING_ON))
		r = hyb_request_entry(*request);
	return r && is_recorded(r, false);
}

void hyb_requests_forget(int count, const MPI_Request *request)
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
	hyb_pending_note(pending, request ? *request : MPI_REQUEST_NULL);
}

void hyb_request_freed(struct hyb_pending *pending)
{
	struct hyb_request *r;
	struct hyb_op **link;

	if (!hyb_pending_known(pending))
		return;
	r = pending->request;
	hyb_request_lock(r);
	link = hyb_request_persistent(r, pending->newest);
	if (!link)
		link = hyb_request_choose(r, pending->newest);
	if (link)
		hyb_request_drop(r, link);
	hyb_request_unlock(r);
}
