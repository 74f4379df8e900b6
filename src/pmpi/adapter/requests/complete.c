/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of requests that complete; see complete.h. */
#include "pmpi/adapter/requests/complete.h"

#include "pmpi/adapter/call-memory.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/status.h"

/* What one completion writes at most: RECV_WIDE and SENDRECV's two numbers, or COLL_WIDE and DONE. */
#define COMPLETION_WORDS 6

/* The program has cancelled something; until then nobody asks statuses about it. */
static uint32_t cancel_used;

void hyb_request_cancelling(void)
{
	__atomic_store_n(&cancel_used, 1, __ATOMIC_RELAXED);
}

static bool was_cancelled(const MPI_Status *status)
{
	int flag = 0;

	if (hyb_likely(!__atomic_load_n(&cancel_used, __ATOMIC_RELAXED)))
		return false;
	PMPI_Test_cancelled(status, &flag);
	return flag != 0;
}

static uint64_t *put_received(uint64_t *p, uint32_t comm, uint64_t id, const MPI_Status *status)
{
	if (was_cancelled(status))
		return hyb_put_word(p, HYB_REQUEST_CANCELLED, id);
	if (status->MPI_SOURCE == MPI_PROC_NULL)
		return p;
	return hyb_put_requested(p, HYB_RECV, comm, status->MPI_SOURCE, status->MPI_TAG, hyb_status_bytes(status), id);
}

static uint64_t *put_received_by(uint64_t *p, const struct hyb_op *op, const MPI_Status *status)
{
	uint64_t *end = put_received(p, op->comm, op->id, status);
	bool message = end > p && *p >> HYB_TYPE_SHIFT != HYB_REQUEST_CANCELLED;

	return message && hyb_op_is_partitioned(op) ? hyb_put_word(end, HYB_PARTITIONED, 0) : end;
}

/*
 * *sent: where a SENT_SHORT was put that has room for another one, or NULL. The order stays: only what comes next
 * joins.
 */
static inline uint64_t *put_sent_one(uint64_t *p, uint64_t id, uint64_t **sent)
{
	uint64_t near = hyb_request_near(id);

	if (hyb_unlikely(near == HYB_NEAR_NONE))
		return hyb_put_word(p, HYB_REQUEST_SENT, id);
	if (*sent != p - 1) {
		*p = (uint64_t)HYB_SENT_SHORT << HYB_TYPE_SHIFT | (near + 1);
		*sent = p;
		return p + 1;
	}
	if (!(**sent >> HYB_SHORT_SENT_SHIFT & HYB_NEAR_NONE)) {
		**sent |= (near + 1) << HYB_SHORT_SENT_SHIFT;
	} else {
		**sent |= (near + 1) << 2 * HYB_SHORT_SENT_SHIFT;
		*sent = NULL;
	}
	return p;
}

static uint64_t *put_sent(uint64_t *p, const struct hyb_op *op, const MPI_Status *status, uint64_t **sent)
{
	if (!was_cancelled(status))
		return put_sent_one(p, op->id, sent);
	p[0] = (uint64_t)HYB_SEND_CANCELLED << HYB_TYPE_SHIFT | (uint32_t)op->peer;
	p[1] = (uint64_t)op->comm << 32 | (uint32_t)op->tag;
	p[2] = op->id;
	return p + 3;
}

/*
 * The status is that of the receive where this MPI fills it in. Otherwise what the call named is known; how much came,
 * and from whom where it named nobody, readers take from the send. One of which MPI made a plain receive or send is
 * like others.
 */
static uint64_t *put_sendrecv(uint64_t *p, const struct hyb_op *op, const MPI_Status *status)
{
	const int source = (int)(op->record[1] >> 32);
	const int tag = (int)op->record[1];

	if (op->id)
		p = hyb_put_word(p, HYB_REQUEST_SENT, op->id);
	if (op->record[2])
		return put_received(p, op->comm, op->record[0], status);
	return hyb_put_requested(p, HYB_RECV, op->comm, source == MPI_ANY_SOURCE ? HYB_ANY : source,
				 tag == MPI_ANY_TAG ? HYB_ANY : tag, HYB_BYTES_UNKNOWN, op->record[0]);
}

static uint64_t *put_operated(uint64_t *p, const struct hyb_op *op)
{
	for (unsigned int i = 0; i < op->words; i++)
		*p++ = op->record[i];
	p[0] = (uint64_t)HYB_REQUEST_DONE << HYB_TYPE_SHIFT | op->coll;
	p[1] = op->id;
	return p + 2;
}

/* The request's operation is complete: it leaves the table. sent: see put_sent_one. */
static uint64_t *complete(uint64_t *p, struct hyb_request *r, uint32_t newest, const MPI_Status *status,
			  uint64_t **sent)
{
	struct hyb_op op;

	if (!hyb_request_take(r, newest, &op))
		return p;
	/* most often */
	if (op.kind == HYB_OP_RECV)
		return put_received_by(p, &op, status);
	if (op.kind == HYB_OP_SEND)
		return put_sent(p, &op, status, sent);
	switch (op.kind) {
	case HYB_OP_SENDRECV:
		return put_sendrecv(p, &op, status);
	case HYB_OP_COLL:
		return put_operated(p, &op);
	case HYB_OP_RMA:
		return hyb_put_rma_done(p, op.comm, op.id);
	case HYB_OP_IO:
		return hyb_put_io_done(p, op.coll, op.comm, op.id, hyb_status_bytes(status));
	}
	return p;
}

/*
 * It ended with an error: what it did is not known. An operation on a file has its end in the archive, and is told so.
 * A collective one has its end as well, with what it was to do: the other members have theirs, and readers take the
 * n-th of each member for one. Of others the merge sees that they have none. Where there is no room left in the group
 * it goes unsaid.
 */
static uint64_t *give_up(uint64_t *p, struct hyb_request *r, uint32_t newest)
{
	const uint64_t *end = hyb_self.pos + HYB_GROUP_MAX;
	struct hyb_op op;

	if (!hyb_request_take(r, newest, &op))
		return p;
	if (op.kind == HYB_OP_COLL)
		return p + op.words + 2 <= end ? put_operated(p, &op) : p;
	if (op.kind == HYB_OP_IO)
		return p + HYB_PUT_IO_FAILED_WORDS <= end ? hyb_put_io_failed(p, op.comm, op.id) : p;
	return p;
}

/* No request any more: MPI_REQUEST_NULL, or in Fortran a number behind which there is none. */
static bool is_gone(MPI_Request request)
{
	return request == MPI_REQUEST_NULL || !HYB_HANDLE(request);
}

/* It was asked for and is not complete; written where such calls are not folded. */
static uint64_t *put_tested(uint64_t *p, struct hyb_request *r, uint32_t newest)
{
	uint64_t id = hyb_request_tested_id(r, newest);

	return id ? hyb_put_word(p, HYB_REQUEST_TESTED, id) : p;
}

/*
 * Nothing is under way under a handle that is not null; what is not known may be. told: nor need more be said of it.
 */
static bool is_settled(struct hyb_request *r, uint32_t newest, bool told)
{
	bool settled;

	hyb_request_lock(r);
	settled = !hyb_request_choose(r, newest) && (told || hyb_request_persistent(r, newest));
	hyb_request_unlock(r);
	return settled;
}

bool hyb_pending_settled(struct hyb_pending *pending)
{
	return pending->handle == MPI_REQUEST_NULL ||
	       (hyb_pending_known(pending) && is_settled(pending->request, pending->newest, false));
}

bool hyb_pending_told(struct hyb_pending *pending)
{
	return pending->handle == MPI_REQUEST_NULL ||
	       (hyb_pending_known(pending) && is_settled(pending->request, pending->newest, true));
}

uint64_t *hyb_ev_completed(uint64_t *p, int ret, struct hyb_pending *pending, const int *flag,
			   const MPI_Request *request, const MPI_Status *status)
{
	uint64_t *sent = NULL;

	/* Without a flag it was looked up before the call. */
	if (flag ? !hyb_pending_known(pending) : !pending->request)
		return p;
	if (ret == MPI_SUCCESS && flag && !*flag)
		return put_tested(p, pending->request, pending->newest);
	if (ret == MPI_SUCCESS)
		return complete(p, pending->request, pending->newest, status, &sent);
	/* A test leaves the request as it is if an argument was wrong, and none if it ended with an error. */
	if (!flag || is_gone(*request))
		p = give_up(p, pending->request, pending->newest);
	return p;
}

/* Whether its status is needed to say how it was completed. */
static bool needs_status(struct hyb_request *r, uint32_t newest)
{
	bool cancels = __atomic_load_n(&cancel_used, __ATOMIC_RELAXED);
	struct hyb_op **link;
	int kind = HYB_OP_NONE;

	hyb_request_lock(r);
	link = hyb_request_choose(r, newest);
	if (link)
		kind = (*link)->kind;
	hyb_request_unlock(r);
	return kind == HYB_OP_RECV || kind == HYB_OP_SENDRECV || kind == HYB_OP_IO || (kind == HYB_OP_SEND && cancels);
}

/*
 * MPI is asked once more where the program wants no status: only that of a request without functions of the program's.
 * A receive that failed, of which some MPIs say so in nothing but the status, is left to the call that ends it.
 */
uint64_t *hyb_ev_got_status(uint64_t *p, int ret, struct hyb_pending *pending, const int *flag, MPI_Request request,
			    const MPI_Status *status)
{
	MPI_Status own = { .MPI_ERROR = MPI_SUCCESS };
	uint64_t *sent = NULL;
	int again = 0;

	if (ret != MPI_SUCCESS || !hyb_pending_known(pending))
		return p;
	if (!*flag)
		return put_tested(p, pending->request, pending->newest);
	if (status == MPI_STATUS_IGNORE) {
		if (needs_status(pending->request, pending->newest))
			PMPI_Request_get_status(request, &again, &own);
		else
			again = 1;
		if (!again)
			return p;
		status = &own;
	}
	if (status->MPI_ERROR == MPI_ERR_TRUNCATE)
		return p;
	return complete(p, pending->request, pending->newest, status, &sent);
}

/* Memory for so many requests, each of that size, and for their statuses: the stack's, of many the thread's. */
static void *get_memory(struct hyb_pendings *pendings, size_t count, size_t one)
{
	char *far;

	pendings->statuses = pendings->near_statuses;
	if (hyb_likely(count <= HYB_PENDING_NEAR))
		return &pendings->near;
	far = hyb_thread_scratch(HYB_SCRATCH_PENDINGS, count * (one + sizeof(MPI_Status)));
	/* Behind what has at least their alignment. */
	pendings->statuses = far ? (MPI_Status *)(far + count * one) : NULL;
	return far;
}

static bool note_all(struct hyb_pendings *pendings, int count, const MPI_Request *requests)
{
	if (hyb_requests_serialized()) {
		MPI_Request *handles = get_memory(pendings, (size_t)count, sizeof(*handles));

		pendings->handles = handles;
		for (int i = 0; handles && i < count; i++)
			handles[i] = requests[i];
		return handles != NULL;
	}
	pendings->pending = get_memory(pendings, (size_t)count, sizeof(*pendings->pending));
	for (int i = 0; pendings->pending && i < count; i++)
		hyb_pending_note(&pendings->pending[i], requests[i]);
	return pendings->pending != NULL;
}

/* The entry of the i-th and its newest operation before the call, or NULL. */
static inline struct hyb_request *get_request(const struct hyb_pendings *pendings, int i, uint32_t *newest)
{
	struct hyb_request *r;

	if (!pendings->handles) {
		*newest = pendings->pending[i].newest;
		return pendings->pending[i].request;
	}
	r = hyb_request_entry(pendings->handles[i]);
	if (r)
		*newest = __atomic_load_n(&r->serial, __ATOMIC_RELAXED);
	return r;
}

bool hyb_pendings_settled(const struct hyb_pendings *pendings)
{
	for (int i = 0; i < pendings->count; i++) {
		MPI_Request handle = pendings->handles ? pendings->handles[i] : pendings->pending[i].handle;
		struct hyb_request *r;
		uint32_t newest;

		if (handle == MPI_REQUEST_NULL)
			continue;
		r = get_request(pendings, i, &newest);
		if (!r || !is_settled(r, newest, false))
			return false;
	}
	return true;
}

void hyb_pendings_note(struct hyb_pendings *pendings, int count, const MPI_Request *requests)
{
	pendings->handles = NULL;
	pendings->pending = NULL;
	pendings->statuses = NULL;
	/* Where there are none, Fortran's wrapper had no memory for them. */
	if (count > 0 && requests && note_all(pendings, count, requests))
		pendings->count = count;
}

struct hyb_pending *hyb_pendings_far(struct hyb_pendings *pendings, int count, const MPI_Request *requests)
{
	struct hyb_pending *far = NULL;

	/* Where there are none, Fortran's wrapper had no memory for them. */
	if (count > 0 && requests)
		far = get_memory(pendings, (size_t)count, sizeof(*far));
	pendings->count = far ? count : 0;
	return far;
}

void hyb_requests_stand(uint64_t *p, int count, const MPI_Request *requests)
{
	const uint64_t *end = hyb_requests_stand_end();
	uint64_t *put = p + 2;

	for (int i = 0; requests && i < count; i++)
		put = hyb_request_stand(put, end, hyb_request_entry(requests[i]));
	hyb_requests_stand_head(p, count, put);
}

MPI_Status *hyb_pendings_statuses(struct hyb_pendings *pendings)
{
	return pendings->statuses ? pendings->statuses : MPI_STATUSES_IGNORE;
}

/* The one that completed; with MPI_ERR_IN_STATUS its status says how it ended. */
static uint64_t *complete_one(uint64_t *p, int ret, struct hyb_request *r, uint32_t newest,
			      const MPI_Status *status, uint64_t **sent)
{
	if (ret == MPI_SUCCESS || status->MPI_ERROR == MPI_SUCCESS)
		return complete(p, r, newest, status, sent);
	return status->MPI_ERROR != MPI_ERR_PENDING ? give_up(p, r, newest) : p;
}

/* The class of an error code, which is what the standard's names are. */
static bool is_in_status(int ret)
{
	int class = MPI_SUCCESS;

	if (ret == MPI_SUCCESS)
		return true;
	PMPI_Error_class(ret, &class);
	return class == MPI_ERR_IN_STATUS;
}

uint64_t *hyb_requests_tested(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, const int *flag)
{
	bool ok = true;

	if (ret != MPI_SUCCESS || *flag)
		return p;
	for (int i = 0; i < pendings->count; i++) {
		uint32_t newest;
		struct hyb_request *r = get_request(pendings, i, &newest);

		if (!r)
			continue;
		p = hyb_put_leave_room(p, region, 1, &ok);
		if (!ok)
			break;
		p = put_tested(p, r, newest);
	}
	return p;
}

/* Requests indices[0..n-1], or 0..n-1, of the pendings. */
static uint64_t *complete_many(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, int n,
			       const int *indices, const MPI_Status *statuses)
{
	uint64_t *sent = NULL;
	bool ok = true;

	for (int i = 0; i < n; i++) {
		int at = indices ? indices[i] - pendings->base : i;
		struct hyb_request *r;
		uint64_t *room;
		uint32_t newest;

		if (at < 0 || at >= pendings->count)
			continue;
		r = get_request(pendings, at, &newest);
		if (!r)
			continue;
		room = hyb_put_leave_room(p, region, COMPLETION_WORDS, &ok);
		if (hyb_unlikely(room != p)) {
			p = room;
			sent = NULL;
			if (!ok)
				break;
		}
		p = pendings->no_outcome ? give_up(p, r, newest) : complete_one(p, ret, r, newest, &statuses[i], &sent);
	}
	return p;
}

void hyb_pendings_lose_outcome(struct hyb_pendings *pendings, const MPI_Request *requests)
{
	pendings->no_outcome = true;
	for (int i = 0; i < pendings->count; i++) {
		if (is_gone(requests[i]))
			continue;
		if (pendings->handles)
			pendings->handles[i] = MPI_REQUEST_NULL;
		else
			pendings->pending[i].request = NULL;
	}
}

uint64_t *hyb_requests_completed_all(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings,
				     const int *flag, const MPI_Status *statuses)
{
	if (!pendings->no_outcome && (!is_in_status(ret) || (ret == MPI_SUCCESS && flag && !*flag)))
		return p;
	return pendings->count ? complete_many(p, region, ret, pendings, pendings->count, NULL, statuses) : p;
}

uint64_t *hyb_requests_completed_some(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings,
				      const int *count, const int *indices, const MPI_Status *statuses)
{
	if (pendings->no_outcome)
		return complete_many(p, region, ret, pendings, pendings->count, NULL, NULL);
	if (is_in_status(ret) && *count != MPI_UNDEFINED && pendings->count)
		return complete_many(p, region, ret, pendings, *count, indices, statuses);
	return p;
}

uint64_t *hyb_ev_completed_any(uint64_t *p, int ret, struct hyb_pendings *pendings, const int *flag,
			       const int *index, const MPI_Request *requests, const MPI_Status *status)
{
	struct hyb_request *r;
	uint64_t *sent = NULL;
	uint32_t newest;

	/* Which one ended with an error is told by its handle only: an index may never have been set. */
	for (int i = 0; ret != MPI_SUCCESS && i < pendings->count; i++) {
		r = is_gone(requests[i]) ? get_request(pendings, i, &newest) : NULL;
		if (r)
			p = give_up(p, r, newest);
	}
	if (ret == MPI_SUCCESS && (!flag || *flag) && *index >= 0 && *index < pendings->count) {
		r = get_request(pendings, *index, &newest);
		if (r)
			p = complete(p, r, newest, status, &sent);
	}
	return p;
}
