/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: what is known of the operation behind each handle, from its start to its completion. Part of the
 * adapter.
 *
 * A request's entry is found by its handle. An MPI may give several operations the same handle at once (those
 * that are complete when they begin), and gives a handle out again as soon as its operation is complete, which
 * may be before the thread that completed it comes back here. So an entry has a queue of operations, and a
 * completion takes the oldest. A persistent request's operation stays in its entry until the request is freed.
 *
 * Only operations that began while recording was on are known. The lock of an entry is held for a few
 * instructions and shared with nobody who has another handle.
 */
#ifndef HYB_PMPI_REQUEST_H
#define HYB_PMPI_REQUEST_H

#include <mpi.h>

#include "core/record.h"
#include "pmpi/comm.h"

enum hyb_op_kind { HYB_OP_NONE = 0, HYB_OP_SEND, HYB_OP_RECV, HYB_OP_SENDRECV, HYB_OP_COLL,
		   HYB_OP_RMA, HYB_OP_IO };

struct hyb_op {
	struct hyb_op *next;	/* in an entry's queue, or of those free */
	uint64_t id;		/* number of the request, a new one at each start */
	uint64_t turn;		/* hyb_recording_turns when it began */
	uint8_t kind;		/* enum hyb_op_kind */
	uint8_t persistent;
	uint8_t active;		/* persistent: started and not complete */
	uint8_t words;		/* of record */
	uint32_t coll;		/* enum hyb_coll */
	uint32_t comm;		/* id of its definition; RMA: of the window's, IO: of the file's */
	int peer;		/* of a send */
	int tag;
	uint64_t bytes;
	/* of a collective operation: its COLL; of a SENDRECV: the receive's number, source and tag */
	uint64_t record[3];
};

struct hyb_request {
	struct hyb_node node;	/* key: the handle */
	uint32_t lock;
	uint32_t own_given;	/* `own` is in the queue or free */
	struct hyb_op *first;	/* oldest first */
	struct hyb_op *last;
	struct hyb_op *free;	/* as many as the handle ever had at once */
	struct hyb_op own;
};

/* One request that a call is about to complete or to ask for: its entry before the call, or NULL. */
struct hyb_pending {
	struct hyb_request *request;
};

#define HYB_PENDING_NEAR 64	/* so many requests need no memory but the stack's */

/* The same of a call with many. */
struct hyb_pendings {
	struct hyb_request **request;
	MPI_Status *statuses;	/* where the program gives none */
	void *far;		/* what was had for more than HYB_PENDING_NEAR, or NULL */
	size_t far_size;
	int count;
	struct hyb_request *near[HYB_PENDING_NEAR];
	MPI_Status near_statuses[HYB_PENDING_NEAR];
};

/* Nonzero once the program has cancelled something; until then nobody asks statuses about it. */
extern uint32_t hyb_cancel_used;

/* Takes the oldest operation of an entry that can be complete; false if there is none. */
bool hyb_request_take(struct hyb_request *r, struct hyb_op *op);
struct hyb_request *hyb_request_find(MPI_Request request);
/* An RMA or IO operation with that number began; of: the id of its window or file. */
void hyb_request_began(MPI_Request request, enum hyb_op_kind kind, uint32_t of, uint64_t id);

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

/* The lines of the table: see events.h for their form. */

/* Fills op, which hyb_ev_isent makes known under the request that the call gives. */
uint64_t *hyb_ev_isend(uint64_t *p, bool *late, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
		       MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_late_isend(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int dest, int tag,
			    MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_isent(uint64_t *p, const struct hyb_op *op, const MPI_Request *request);
uint64_t *hyb_ev_irecv(uint64_t *p, MPI_Comm comm, int source, const MPI_Request *request);
uint64_t *hyb_ev_imrecv(uint64_t *p, const struct hyb_comm *comm, const MPI_Request *request);
/* Instead of isent: one request for both. */
uint64_t *hyb_ev_isendrecv(uint64_t *p, struct hyb_op *op, MPI_Comm comm, int source, int tag,
			   const MPI_Request *request);
/* record to end: the COLL of the operation, as coll.c makes it. */
uint64_t *hyb_ev_icoll(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
		       const uint64_t *end);

/* Persistent and partitioned requests. */
uint64_t *hyb_ev_send_init(uint64_t *p, const MPI_Request *request, MPI_Comm comm, int dest, int tag,
			   MPI_Count count, MPI_Datatype type);
uint64_t *hyb_ev_recv_init(uint64_t *p, const MPI_Request *request, MPI_Comm comm, int source);
uint64_t *hyb_ev_coll_init(uint64_t *p, const MPI_Request *request, uint32_t coll, const uint64_t *record,
			   const uint64_t *end);
/* Before MPI_Start and after it. */
uint64_t *hyb_ev_start(uint64_t *p, bool *late, const MPI_Request *request);
uint64_t *hyb_ev_started(uint64_t *p, const MPI_Request *request);
/* The same for MPI_Startall: the latter between the call and its Leave. */
uint64_t *hyb_ev_start_all(uint64_t *p, bool *late, uint32_t region, int count, const MPI_Request *requests);
void hyb_started_all(uint32_t region, int ret, int count, const MPI_Request *requests);

/* Before a call that may complete requests. */
uint64_t *hyb_ev_pending(uint64_t *p, bool *late, struct hyb_pending *pending, const MPI_Request *request);
uint64_t *hyb_ev_pendings(uint64_t *p, bool *late, struct hyb_pendings *pendings, int count,
			  const MPI_Request *requests);
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
uint64_t *hyb_ev_completed(uint64_t *p, int ret, const struct hyb_pending *pending, const int *flag,
			   const MPI_Status *status);
/* Waitall, Testall: flag as above. */
void hyb_completed_all(uint32_t region, int ret, struct hyb_pendings *pendings, const int *flag,
		       const MPI_Status *statuses);
/* Waitany, Testany: the one at *index. */
uint64_t *hyb_ev_completed_any(uint64_t *p, int ret, struct hyb_pendings *pendings, const int *flag, const int *index,
			       const MPI_Status *status);
/* Waitsome, Testsome. */
void hyb_completed_some(uint32_t region, int ret, struct hyb_pendings *pendings, const int *count,
			const int *indices, const MPI_Status *statuses);
/* The indices that come to hyb_completed_some count from 1. */
static inline void hyb_pendings_from_one(struct hyb_pendings *pendings)
{
	pendings->request--;
	if (pendings->count)
		pendings->count++;
}
/* Instead of the last three, where nothing was complete. */
void hyb_forget(struct hyb_pendings *pendings);
/* Before MPI_Request_free. */
void hyb_request_freed(const MPI_Request *request);
/* Before MPI_Cancel. */
void hyb_request_cancelling(void);

#endif
