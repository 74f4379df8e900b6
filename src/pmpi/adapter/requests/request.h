/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: what is known of the operation behind each handle, from its start to its completion. Part of the
 * adapter.
 *
 * A request's entry is found by its handle. An MPI may give several operations the same handle at once (those
 * that are complete when they begin), and gives a handle out again as soon as its operation is complete, which
 * may be before the thread that completed it comes back here. So an entry has a queue of operations, and a call
 * that completes one notes before it which was the newest. Where one thread at a time calls MPI, all in the queue
 * have the same handle at once, and a completion takes the oldest. Where several do, what is older than the newest
 * may be another thread's that has not come back yet; then a completion takes the newest of those it noted: of
 * several that share a handle it does not matter which.
 *
 * The handles of operations that are complete when they begin are wanted by all threads all the time. So each thread
 * has an entry of its own for them, which another looks into only if it has to complete one and has none itself.
 *
 * Only operations that began while recording was on are known. A persistent request's operation is known from the
 * time when the request is made, recorded or not, and stays in its entry until the request is freed. The lock of
 * an entry is held for a few instructions and shared with nobody who has another handle.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_REQUEST_H
#define HYB_PMPI_ADAPTER_REQUESTS_REQUEST_H

#include <mpi.h>

#include "pmpi/adapter/handles/comm.h"
#include "record/record.h"

enum hyb_op_kind { HYB_OP_NONE = 0, HYB_OP_SEND, HYB_OP_RECV, HYB_OP_SENDRECV, HYB_OP_COLL,
		   HYB_OP_RMA, HYB_OP_IO };

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
	int peer;		/* of a send */
	int tag;
	/* From here on not set of a message that is not persistent: see hyb_op_copy. */
	uint64_t bytes;
	uint32_t groups;	/* of a persistent one: 1 << the enum hyb_group it belongs to */
	uint32_t coll;		/* enum hyb_coll; IO: enum hyb_io_what, RMA: enum hyb_rma_what */
	/*
	 * of a collective operation: its COLL; of a SENDRECV: the receive's number, source and tag, whether its status
	 * tells
	 */
	uint64_t record[3];
};

#define HYB_OP_MESSAGE offsetof(struct hyb_op, bytes)	/* so much of it is needed of a message */

/* Two cache lines hold all that a message needs: one for the way to entries, one for what changes in this one. */
struct hyb_request {
	struct hyb_node node;	/* key: see key_of in pending.c */
	struct hyb_request *next_ready;
	uint32_t is_ready;	/* it is among those of handles that are complete from the start */
	/* Threads pass by the entries of others on their way: what changes lies in other cache lines. */
	uint32_t lock __attribute__((aligned(HYB_CACHE_LINE)));
	uint32_t own_used;	/* `own` is in the queue */
	uint32_t length;	/* of the queue; read without the lock */
	uint32_t serial;	/* of the operation that was added last; read without the lock */
	struct hyb_op *first;	/* where one thread at a time calls MPI the oldest, else the newest */
	struct hyb_op own;
	struct hyb_op **end;	/* behind the last, where there are two and one thread at a time calls MPI */
	struct hyb_op *free;	/* with `own` as many as the handle ever had at once */
	/* While a call starts it, see follow in request.c: */
	struct hyb_request *starting;	/* the next that the same call starts */
	const void *where;	/* the program keeps its handle */
	MPI_Request handle;
	uint64_t starting_id;
};

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

#define HYB_PENDING_NEAR 64	/* so many requests need no memory but the stack's; more are in the thread's scratch */

/* The same of a call with many: handles or, where several threads may call MPI at once, a hyb_pending of each. */
struct hyb_pendings {
	MPI_Request *handles;		/* one of the two is NULL */
	struct hyb_pending *pending;
	MPI_Status *statuses;		/* where the program gives none */
	int count;
	int base;			/* what the indices of completed_some count from */
	bool blind;			/* the call failed and gave no statuses: those left are over, somehow */
	union {
		MPI_Request handles[HYB_PENDING_NEAR];
		struct hyb_pending pending[HYB_PENDING_NEAR];
	} near;
	MPI_Status near_statuses[HYB_PENDING_NEAR];
};

/* The record behind a persistent request's message that says it is a partitioned one, if it is. */
uint64_t *hyb_put_partitioned(uint64_t *p, const struct hyb_op *op);

/* Nonzero once the program has cancelled something; until then nobody asks statuses about it. */
extern uint32_t hyb_cancel_used;

/* MPI has started: one thread at a time calls it, or, which holds from then on, several may. */
void hyb_requests_in_turn(void);
void hyb_requests_at_once(void);
extern uint32_t hyb_requests_are_in_turn __attribute__((visibility("hidden")));

static inline bool hyb_requests_in_turn_now(void)
{
	return hyb_likely(__atomic_load_n(&hyb_requests_are_in_turn, __ATOMIC_RELAXED));
}

/* Several do: asks MPI, which has started, for the handles of operations that are complete when they begin. */
void hyb_requests_learn(void);

/* Looks its handle up. */
void hyb_request_look(struct hyb_pending *pending);

/* What is known of a request that a call is about to complete. */
static inline void hyb_request_note(struct hyb_pending *pending, MPI_Request request)
{
	pending->handle = request;
	pending->request = NULL;
	if (!hyb_requests_in_turn_now())
		hyb_request_look(pending);
}

/* Whether anything is known of it. */
static inline bool hyb_request_known(struct hyb_pending *pending)
{
	if (!pending->request && hyb_requests_in_turn_now())
		hyb_request_look(pending);
	return pending->request != NULL;
}

/* The number of the message or collective operation that was asked for and is not complete, or 0. */
uint64_t hyb_request_asked(struct hyb_request *r, uint32_t newest);
/* An RMA or IO operation with that number began. what: see `coll`; of: the id of its window or file. */
void hyb_request_began(MPI_Request request, enum hyb_op_kind kind, uint32_t what, uint32_t of, uint64_t id);

/*
 * p, with room for so many words behind it. Where the group is full it is published and a new one begun; NULL
 * where there is no space for that: all that was written so far is published.
 */
static inline uint64_t *hyb_group_room(uint64_t *p, uint32_t region, unsigned int words)
{
	if (p + words <= hyb_self.pos + HYB_GROUP_MAX)
		return p;
	hyb_publish(p);
	return hyb_more(region);
}

/*
 * The same with what belongs to a Leave, and with room for an ERROR behind it. *ok is false where there is no space for
 * more than the Leave itself.
 */
static inline uint64_t *hyb_leave_room(uint64_t *p, uint32_t region, unsigned int words, bool *ok)
{
	if (hyb_likely(p + words < hyb_self.pos + HYB_GROUP_MAX))
		return p;
	return hyb_leave_more(region, p, ok);
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
void hyb_requests_unseen(int count, const MPI_Request *requests) HYB_COLD;
/*
 * Before and after a call that starts requests and leaves no record: a request may have another handle then. What is
 * known of it goes along. One by one: `where` the program keeps it, and its handle before, and then after the call.
 */
void hyb_starts_unseen(int count, const MPI_Request *requests) HYB_COLD;
void hyb_starts_done(int count, const MPI_Request *requests) HYB_COLD;
void hyb_starts_begin(void);
void hyb_start_unseen(const void *where, MPI_Request request);
void hyb_start_done(const void *where, MPI_Request request);

/* After a test that succeeded: there was nothing under way that it could have asked for. */
bool hyb_request_settled(struct hyb_pending *pending);
bool hyb_requests_settled(const struct hyb_pendings *pendings);
/*
 * After MPI_Request_get_status, which leaves requests as they are: the same, or one before has said what there is to
 * say.
 */
bool hyb_request_told(struct hyb_pending *pending);

/* The lines of the table: see events.h for their form. */

/* Fills op, which hyb_ev_isent makes known under the request that the call gives. */
uint64_t *hyb_ev_isend(uint64_t *p, bool *late, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
		       MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_late_isend(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
			    MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request);
uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, const MPI_Request *request);
uint64_t *hyb_ev_imrecv(uint64_t *p, uint64_t comm1, const MPI_Request *request);
/* Instead of isent: one request for both. */
uint64_t *hyb_ev_isendrecv(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int source, int tag,
			   const MPI_Request *request);
/*
 * sendrecv.c: whether this MPI fills in the status of MPI_Isendrecv; `sends`: of one with a send, whose destination is
 * not MPI_PROC_NULL. Tried out when it is asked for the first time, within a call of MPI.
 */
bool hyb_sendrecv_tells(bool sends);
/* record to end: the COLL of the operation, as collective.c makes it. */
uint64_t *hyb_ev_icoll(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
		       const uint64_t *end);

/* One of which nothing is recorded: its handle may be shared with others. */
uint64_t *hyb_ev_iother(uint64_t *p, const MPI_Request *request);

/* Persistent and partitioned requests are made; recorded are their starts. */
void hyb_send_init(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int dest, int tag, MPI_Count count,
		   MPI_Datatype type);
void hyb_recv_init(uint32_t groups, const MPI_Request *request, MPI_Comm comm, int source);
void hyb_coll_init(const MPI_Request *request, uint32_t coll, const uint64_t *record, const uint64_t *end);
/* The same where only a line with the Leave can name what is needed. */
#define hyb_ev_coll_init(p, ...) (hyb_coll_init(__VA_ARGS__), (p))
/* Before MPI_Start and after it. */
uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request);
uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request);
/* The same for MPI_Startall: the latter takes more than one group. */
uint64_t *hyb_ev_start_all(uint64_t *p, bool *late, uint32_t region, int count, const MPI_Request *requests);
uint64_t *hyb_started_all(uint64_t *p, uint32_t region, int ret, int count, const MPI_Request *requests);

/* Before a call that may complete requests. */
static inline uint64_t *hyb_ev_pending(uint64_t *p, bool *late, struct hyb_pending *pending,
				       const MPI_Request *request)
{
	(void)late;
	hyb_request_note(pending, request ? *request : MPI_REQUEST_NULL);
	return p;
}

/* The same in all cases; `base` and `blind` are set. */
void hyb_pendings_note(struct hyb_pendings *pendings, int count, const MPI_Request *requests);

static inline uint64_t *hyb_ev_pendings(uint64_t *p, bool *late, struct hyb_pendings *pendings, int count,
					const MPI_Request *requests)
{
	bool near = count > 0 && count <= HYB_PENDING_NEAR && requests;

	(void)late;
	pendings->base = 0;
	pendings->blind = false;
	if (!hyb_likely(near && hyb_requests_in_turn_now())) {
		pendings->count = 0;
		hyb_pendings_note(pendings, count, requests);
		return p;
	}
	/* Polls come here as often as programs can. */
	pendings->handles = pendings->near.handles;
	pendings->statuses = pendings->near_statuses;
	pendings->count = count;
	for (int i = 0; i < count; i++) {
		pendings->near.handles[i] = requests[i];
		/* Else gcc copies the few there are with an instruction that takes 10 ns to begin. */
		__asm__ volatile("" : : "r"(i));
	}
	return p;
}

/* These never ask for a second try. */
#define hyb_ev_late_start(p, ...) (p)
#define hyb_ev_late_start_all(p, ...) (p)
#define hyb_ev_late_pending(p, ...) (p)
#define hyb_ev_late_pendings(p, ...) (p)
/* Room for their statuses where the program gives none. */
MPI_Status *hyb_own_statuses(struct hyb_pendings *pendings);

/*
 * After it, whatever it returned. flag: whether the request is complete, NULL: it is. request is the handle as it
 * stands now.
 */
uint64_t *hyb_ev_completed(uint64_t *p, int ret, struct hyb_pending *pending, const int *flag,
			   const MPI_Request *request, const MPI_Status *status);
/*
 * After MPI_Request_get_status: what is complete is so from here on, for the request may be freed without another call
 * that completes it. status: MPI_STATUS_IGNORE where the program wants none.
 */
uint64_t *hyb_ev_asked(uint64_t *p, int ret, struct hyb_pending *pending, const int *flag, MPI_Request request,
		       const MPI_Status *status);
/* Before the following ones: a test that found nothing where *flag is 0. */
uint64_t *hyb_tested(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, const int *flag);
/* Waitall, Testall: flag as above. */
uint64_t *hyb_completed_all(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, const int *flag,
			    const MPI_Status *statuses);
/* Waitany, Testany: the one at *index; requests as they stand now. */
uint64_t *hyb_ev_completed_any(uint64_t *p, int ret, struct hyb_pendings *pendings, const int *flag, const int *index,
			       const MPI_Request *requests, const MPI_Status *status);
/* Waitsome, Testsome. */
uint64_t *hyb_completed_some(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, const int *count,
			     const int *indices, const MPI_Status *statuses);
/* The indices that come to hyb_completed_some count from 1. */
static inline void hyb_pendings_from_one(struct hyb_pendings *pendings)
{
	pendings->base = 1;
}
/*
 * Before the last three, after a call that failed and tells neither how its requests ended nor which are left: what is
 * left are those that are still handles. Of the others it is not known what they did.
 */
void hyb_pendings_blind(struct hyb_pendings *pendings, const MPI_Request *requests);
/* Before MPI_Request_free, and after it succeeded. */
void hyb_request_freeing(struct hyb_pending *pending, const MPI_Request *request);
void hyb_request_freed(struct hyb_pending *pending);
/* Before MPI_Cancel. */
void hyb_request_cancelling(void);

#endif
