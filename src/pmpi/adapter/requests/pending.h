/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of requests as those see it that put operations into it and take them out; see request.h. What each message
 * goes through is here, to be inlined; the rest is in pending.c. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_PENDING_H
#define HYB_PMPI_ADAPTER_REQUESTS_PENDING_H

#include <string.h>

#include "pmpi/adapter/requests/request.h"

extern struct hyb_trie_wide hyb_requests;

/*
 * Handles of operations that are complete when they begin, which all threads want all the time, and this thread's
 * entries for them, NULL until it needs one. They may be learned while other threads have operations under way, in
 * sessions.
 */
#define HYB_READY_HANDLES 2
extern uint64_t hyb_ready_handles[HYB_READY_HANDLES];
extern __thread struct hyb_request *hyb_ready_own[HYB_READY_HANDLES] __attribute__((tls_model("initial-exec")));

/* Which of them it is, or HYB_READY_HANDLES. */
static inline int hyb_ready_index(uint64_t handle)
{
	int i = 0;

	while (i < HYB_READY_HANDLES && hyb_likely(handle != __atomic_load_n(&hyb_ready_handles[i], __ATOMIC_RELAXED)))
		i++;
	return i;
}

/* One of them that somebody can complete: this thread's, if there is something in it, else another's that has. */
struct hyb_request *hyb_request_find_ready(int i);

/* The entry of a handle for a call that completes it, or NULL. */
static inline struct hyb_request *hyb_request_entry(MPI_Request request)
{
	uint64_t handle = HYB_HANDLE(request);
	int i = hyb_ready_index(handle);

	if (request == MPI_REQUEST_NULL)
		return NULL;
	if (hyb_unlikely(i < HYB_READY_HANDLES))
		return hyb_request_find_ready(i);
	return (struct hyb_request *)hyb_trie_find_wide(&hyb_requests, handle);
}

/* Until it is free; see hyb_request_lock. */
void hyb_request_wait(struct hyb_request *r) HYB_COLD;

/* An entry's lock, held for a few instructions. Where one thread at a time calls MPI there is nobody to wait for. */
static inline void hyb_request_lock(struct hyb_request *r)
{
	/* Acquire: pairs with hyb_request_unlock. */
	if (!hyb_requests_in_turn_now() && hyb_unlikely(__atomic_exchange_n(&r->lock, 1, __ATOMIC_ACQUIRE)))
		hyb_request_wait(r);
}

static inline void hyb_request_unlock(struct hyb_request *r)
{
	__atomic_store_n(&r->lock, 0, __ATOMIC_RELEASE);
}

/* What is needed of an operation: of a message that is not persistent a few words. */
static inline void hyb_op_copy(struct hyb_op *to, const struct hyb_op *from)
{
	memcpy(to, from, HYB_OP_MESSAGE);
	if (hyb_unlikely(from->kind > HYB_OP_RECV || from->persistent))
		memcpy((char *)to + HYB_OP_MESSAGE, (const char *)from + HYB_OP_MESSAGE, sizeof(*to) - HYB_OP_MESSAGE);
}

/* The entry for an operation that has begun and is not in the table; NULL without memory and of MPI_REQUEST_NULL. */
struct hyb_request *hyb_request_make(MPI_Request request) HYB_COLD;
/* For an entry that is locked, and whose own is in the queue: one more operation. NULL without memory. */
struct hyb_op *hyb_request_more(struct hyb_request *r);
/* Drops what stands under a handle that MPI has just given out; see there. */
void hyb_request_drop_stale(struct hyb_request *r, uint32_t turn, bool alone);

/*
 * Puts an operation to the others of its handle, in two steps: an operation to fill in, in the entry, which is then
 * locked, and its end. NULL without memory and of MPI_REQUEST_NULL. alone: MPIs make an object for such a request.
 */
static inline struct hyb_op *hyb_request_begin(struct hyb_request **entry, MPI_Request request, uint32_t turn,
					       bool alone)
{
	int i = hyb_ready_index(HYB_HANDLE(request));
	struct hyb_request *r;
	struct hyb_op *op;

	if (hyb_likely(i == HYB_READY_HANDLES))
		r = (struct hyb_request *)hyb_trie_find_wide(&hyb_requests, HYB_HANDLE(request));
	else
		r = hyb_ready_own[i];
	if (hyb_unlikely(!r)) {
		r = hyb_request_make(request);
		if (!r)
			return NULL;
	}
	hyb_request_lock(r);
	if (r->first && hyb_unlikely(alone || r->first->turn != turn))
		hyb_request_drop_stale(r, turn, alone);
	op = hyb_likely(!r->own_used) ? &r->own : hyb_request_more(r);
	if (hyb_unlikely(!op))
		hyb_request_unlock(r);
	*entry = r;
	return op;
}

static inline void hyb_request_end(struct hyb_request *r, struct hyb_op *op)
{
	struct hyb_op **link = &r->first;

	if (op == &r->own)
		r->own_used = 1;
	op->serial = r->serial + 1;
	/* The thread that completes it was handed the request behind this. */
	__atomic_store_n(&r->serial, op->serial, __ATOMIC_RELAXED);
	/* Those that a completion takes first stand first: there may be thousands. See request.h. */
	if (r->first && hyb_requests_in_turn_now())
		link = r->first->next ? r->end : &r->first->next;
	op->next = *link;
	*link = op;
	if (link != &r->first)
		r->end = &op->next;
	__atomic_store_n(&r->length, r->length + 1, __ATOMIC_RELAXED);
	hyb_request_unlock(r);
}

/* Puts a copy of op there. */
void hyb_request_add(MPI_Request request, const struct hyb_op *op);

/* Takes out the operation that a link of the queue leads to; the entry is locked. */
static inline void hyb_request_drop(struct hyb_request *r, struct hyb_op **link)
{
	struct hyb_op *op = *link;

	*link = op->next;
	if (!*link && link != &r->first)
		r->end = link;
	__atomic_store_n(&r->length, r->length - 1, __ATOMIC_RELAXED);
	if (hyb_likely(op == &r->own)) {
		r->own_used = 0;
	} else {
		op->next = r->free;
		r->free = op;
	}
}

/* The link to the operation that a call of which `newest` was noted has completed, or NULL; see request.h. */
static inline struct hyb_op **hyb_request_choose(struct hyb_request *r, uint32_t newest)
{
	for (struct hyb_op **link = &r->first; *link; link = &(*link)->next) {
		if ((int32_t)(newest - (*link)->serial) >= 0 && (!(*link)->persistent || (*link)->active))
			return link;
	}
	return NULL;
}

/* Takes the operation that was completed out of its entry; false if there is none that is known. */
static inline bool hyb_request_take(struct hyb_request *r, uint32_t newest, struct hyb_op *op)
{
	struct hyb_op **link;

	hyb_request_lock(r);
	link = hyb_request_choose(r, newest);
	if (hyb_likely(link != NULL)) {
		hyb_op_copy(op, *link);
		if (hyb_unlikely(op->persistent)) {
			(*link)->active = 0;
			(*link)->id = 0;
		} else {
			hyb_request_drop(r, link);
		}
	}
	hyb_request_unlock(r);
	return link != NULL;
}

/* The persistent operation of an entry that is locked; what else is there is another thread's. Leads to NULL: none. */
struct hyb_op **hyb_request_persistent(struct hyb_request *r, uint32_t newest);

#endif
