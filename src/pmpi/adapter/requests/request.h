/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: what is known of the operation that each handle stands for, from its start to its completion. Part of the
 * adapter.
 *
 * A request's entry is found by its handle. An MPI may give several operations the same handle at once, if they are
 * complete when they begin (precompleted). It gives a handle out again as soon as its operation is complete, which may
 * be before the thread that completed it comes back here. So an entry has a queue of operations, and before a call that
 * may complete one it is noted which is the newest. If one thread at a time calls MPI (serialized), all in the queue
 * have the same handle at once, and a completion takes the oldest. If several threads call it (multiple), what is older
 * than the newest may be another thread's that has not come back yet. Then a completion takes the newest of those it
 * noted; which one of several that share a handle does not matter.
 *
 * All threads want the precompleted handles all the time. So each thread has an entry of its own for them. Another
 * thread looks into it only if it has to complete such an operation and has none itself.
 *
 * Only operations that began while recording was on are known. A persistent request's operation is known from the
 * time when the request is made, recorded or not, and stays in its entry until the request is freed. The lock of an
 * entry is held for a few instructions, and shared with nobody who has another handle.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_REQUEST_H
#define HYB_PMPI_ADAPTER_REQUESTS_REQUEST_H

#include <string.h>

#include <mpi.h>

#include "core/sys/trie.h"
#include "format/standing.h"
#include "pmpi/entry/thread.h"
#include "pmpi/table/functions.h"
#include "core/record/record.h"

enum hyb_op_kind {
	HYB_OP_NONE = HYB_REQUEST_NONE,
	HYB_OP_SEND = HYB_REQUEST_OF_SEND,
	HYB_OP_RECV = HYB_REQUEST_OF_RECV,
	HYB_OP_SENDRECV = HYB_REQUEST_OF_SENDRECV,
	HYB_OP_COLL = HYB_REQUEST_OF_COLL,
	HYB_OP_RMA = HYB_REQUEST_OF_RMA,
	HYB_OP_IO = HYB_REQUEST_OF_IO,
};

struct hyb_op {
	struct hyb_op *next;	/* in an entry's queue, or of those free */
	uint64_t id;		/* number of the request, a new one at each start */
	uint32_t turn;		/* hyb_recording_turns when it began, its lower half */
	uint32_t serial;	/* as struct hyb_request's */
	uint8_t kind;		/* enum hyb_op_kind */
	uint8_t persistent;
	uint8_t active;		/* persistent: started and not complete */
	uint8_t words;		/* of record */
	uint32_t comm;		/* id of its definition; RMA: of the window's, IO: of the file's */
	int peer;		/* of a message */
	int tag;
	/* From here on not set of a message that is not persistent: see hyb_op_copy. */
	uint64_t bytes;
	uint32_t groups;	/* of a persistent one: 1 << the enum hyb_group it belongs to */
	uint32_t coll;		/* enum hyb_coll; IO: enum hyb_io_what, RMA: enum hyb_rma_what */
	/* COLL: its record; SENDRECV: the receive's number, its source and tag, whether its status is filled in */
	uint64_t record[3];
};

#define HYB_OP_MESSAGE offsetof(struct hyb_op, bytes)	/* so much of it is needed of a message */

/* Two cache lines hold all that a message needs: one for the way to entries, one for what changes in this one. */
struct hyb_request {
	struct hyb_node node;	/* key: see key_of in request.c */
	struct hyb_request *next_precompleted;
	uint32_t is_precompleted;	/* it is among those of handles that are complete from the start */
	/* Threads pass by the entries of others on their way: what changes lies in other cache lines. */
	uint32_t lock __attribute__((aligned(HYB_CACHE_LINE)));
	uint32_t own_used;	/* `own` is in the queue */
	uint32_t length;	/* of the queue; read without the lock */
	uint32_t serial;	/* of the operation that was added last; read without the lock */
	struct hyb_op *first;	/* where one thread at a time calls MPI the oldest, otherwise the newest */
	struct hyb_op own;
	struct hyb_op **end;	/* after the last, where there are two and one thread at a time calls MPI */
	struct hyb_op *free;	/* with `own` as many as the handle ever had at once */
	/* While a call starts it, see follow in begin.c: */
	struct hyb_request *starting;	/* the next that the same call starts */
	const void *where;	/* the program keeps its handle */
	MPI_Request handle;
	uint64_t starting_id;
};

/* MPI has started: one thread at a time calls it, or several may. The latter holds from then on. */
void hyb_requests_set_serialized(void);
void hyb_requests_set_multiple(void);
extern uint32_t hyb_requests_are_serialized __attribute__((visibility("hidden")));

static inline bool hyb_requests_serialized(void)
{
	return hyb_likely(__atomic_load_n(&hyb_requests_are_serialized, __ATOMIC_RELAXED));
}

/* Asks MPI, which has started, for its precompleted handles. For several threads: one alone has no use for them. */
void hyb_requests_find_precompleted(void);

extern struct hyb_trie_wide hyb_requests;

/* The precompleted handles. With sessions they may be found while other threads have operations under way. */
extern uint64_t hyb_precompleted_handles[HYB_PRECOMPLETED_HANDLES];

/* Which of them it is, or HYB_PRECOMPLETED_HANDLES. */
static inline int hyb_precompleted_index(uint64_t handle)
{
	int i = 0;

	while (i < HYB_PRECOMPLETED_HANDLES &&
	       hyb_likely(handle != __atomic_load_n(&hyb_precompleted_handles[i], __ATOMIC_RELAXED)))
		i++;
	return i;
}

/* One of them that somebody can complete: this thread's, if there is something in it, otherwise another's that has. */
struct hyb_request *hyb_request_find_precompleted(int i);

/* The entry of a handle for a call that completes it, or NULL. */
static inline struct hyb_request *hyb_request_entry(MPI_Request request)
{
	uint64_t handle = HYB_HANDLE(request);
	int i = hyb_precompleted_index(handle);

	if (request == MPI_REQUEST_NULL)
		return NULL;
	if (hyb_unlikely(i < HYB_PRECOMPLETED_HANDLES))
		return hyb_request_find_precompleted(i);
	return (struct hyb_request *)hyb_trie_find_wide(&hyb_requests, handle);
}

/* Until it is free; see hyb_request_lock. */
void hyb_request_wait(struct hyb_request *r) HYB_COLD;

/* An entry's lock, held for a few instructions. Where one thread at a time calls MPI there is nobody to wait for. */
static inline void hyb_request_lock(struct hyb_request *r)
{
	/* Acquire: pairs with hyb_request_unlock. */
	if (!hyb_requests_serialized() && hyb_unlikely(__atomic_exchange_n(&r->lock, 1, __ATOMIC_ACQUIRE)))
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

/* A new entry, for an operation that has begun. NULL without memory, and of MPI_REQUEST_NULL. */
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
	int i = hyb_precompleted_index(HYB_HANDLE(request));
	struct hyb_request *r;
	struct hyb_op *op;

	if (hyb_likely(i == HYB_PRECOMPLETED_HANDLES))
		r = (struct hyb_request *)hyb_trie_find_wide(&hyb_requests, HYB_HANDLE(request));
	else
		r = hyb_mpi_self.precompleted[i];
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
	/* The thread that completes it was handed the request after this. */
	__atomic_store_n(&r->serial, op->serial, __ATOMIC_RELAXED);
	/* Those that a completion takes first stand first: there may be thousands. See above. */
	if (r->first && hyb_requests_serialized())
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

/* The link to the operation that a call of which `newest` was noted has completed, or NULL; see above. */
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

/* Whether it is a partitioned one, which its record says. Only of a persistent one the groups are filled in. */
static inline bool hyb_op_is_partitioned(const struct hyb_op *op)
{
	return op->persistent && op->groups & 1u << HYB_GROUP_PART;
}

/* Both halves of a SENDRECV; as hyb_request_stand. */
uint64_t *hyb_request_stand_both(uint64_t *p, const uint64_t *end, const struct hyb_op *op) HYB_COLD HYB_ORDERED;

/*
 * What a call that is about to wait for a request waits for, as format/standing.h lists it; nothing where there is no
 * room before `end`. r may be NULL. Without the lock: no other thread completes this one, and MPI gives its handle out
 * anew, after which others write here, only when this thread's call has completed it. What is precompleted is not
 * waited for.
 */
static HYB_HOT_ORDERED uint64_t *hyb_request_stand(uint64_t *p, const uint64_t *end, const struct hyb_request *r)
{
	const struct hyb_op *op;

	/* In entries of what is precompleted other threads write meanwhile. */
	if (!r || hyb_unlikely(p + HYB_STANDING_REQUEST_WORDS > end ||
			       __atomic_load_n(&r->is_precompleted, __ATOMIC_RELAXED)))
		return p;
	op = r->first;
	if (hyb_unlikely(!op))
		return p;
	if (hyb_unlikely(op->kind == HYB_OP_SENDRECV))
		return hyb_request_stand_both(p, end, op);
	/* Not one that is not recorded, or persistent and not started. */
	if (hyb_unlikely(!op->id))
		return p;
	p[0] = op->id;
	p[1] = (uint64_t)op->comm << 32 | op->kind;
	p[2] = (uint64_t)(uint32_t)op->tag << 32 | (uint32_t)op->peer;
	return p + HYB_STANDING_REQUEST_WORDS;
}

/* The number of the message or collective operation that was asked for and is not complete, or 0. */
uint64_t hyb_request_tested_id(struct hyb_request *r, uint32_t newest);

/*
 * One request that a call is about to complete or to ask for: its entry before the call, or NULL. Where one thread at
 * a time calls MPI only its handle is kept, to be looked up when there is something to say of it: most calls find
 * nothing.
 */
struct hyb_pending {
	MPI_Request handle;
	struct hyb_request *request;
	uint32_t newest;	/* its serial then */
};

/* Looks its handle up. */
static inline void hyb_pending_look_up(struct hyb_pending *pending)
{
	pending->request = hyb_request_entry(pending->handle);
	if (pending->request)
		pending->newest = __atomic_load_n(&pending->request->serial, __ATOMIC_RELAXED);
}

/* What is known of a request that a call is about to complete. */
static inline void hyb_pending_note(struct hyb_pending *pending, MPI_Request request)
{
	pending->handle = request;
	pending->request = NULL;
	if (!hyb_requests_serialized())
		hyb_pending_look_up(pending);
}

/* Whether anything is known of it. */
static inline bool hyb_pending_known(struct hyb_pending *pending)
{
	if (!pending->request && hyb_requests_serialized())
		hyb_pending_look_up(pending);
	return pending->request != NULL;
}

/*
 * Whether an operation of one of these requests is recorded, under way or, for a call that starts it, not yet: then so
 * is the call, also where its own group is not. Where recording is paused, they are forgotten.
 */
bool hyb_requests_recorded(bool starts, int count, const MPI_Request *requests) HYB_COLD;
/* The same for a call that asks about a request and leaves it as it is: nothing is forgotten. */
bool hyb_request_recorded(const MPI_Request *request) HYB_COLD;

/*
 * Before a call that may complete requests and leaves no record, for want of space: their operations are forgotten,
 * since their handles may be others' by the time when there is space again.
 */
void hyb_requests_forget(int count, const MPI_Request *requests) HYB_COLD;

/* Before MPI_Request_free, and after it succeeded. */
void hyb_request_freeing(struct hyb_pending *pending, const MPI_Request *request);
void hyb_request_freed(struct hyb_pending *pending);

#endif
