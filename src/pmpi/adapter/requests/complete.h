/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of how requests are complete; see events.h for their form. A call that may complete some notes them
 * before it: a pending each, pendings for an array. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_COMPLETE_H
#define HYB_PMPI_ADAPTER_REQUESTS_COMPLETE_H

#include <mpi.h>

#include "pmpi/adapter/requests/request.h"

#define HYB_PENDING_NEAR 64	/* so many requests need no memory but the stack's; more are in the thread's scratch */

/* The same of a call with many: handles or, where several threads may call MPI at once, a hyb_pending of each. */
struct hyb_pendings {
	MPI_Request *handles;		/* one of the two is NULL */
	struct hyb_pending *pending;
	MPI_Status *statuses;		/* where the program gives none */
	int count;
	int base;			/* what the indices of completed_some count from */
	bool no_outcome;		/* the call failed and gave no statuses: those left are over, somehow */
	union {
		MPI_Request handles[HYB_PENDING_NEAR];
		struct hyb_pending pending[HYB_PENDING_NEAR];
	} near;
	MPI_Status near_statuses[HYB_PENDING_NEAR];
};

/* After a test that succeeded: there was nothing under way that it could have asked for. */
bool hyb_pending_settled(struct hyb_pending *pending);
bool hyb_pendings_settled(const struct hyb_pendings *pendings);
/*
 * After MPI_Request_get_status, which leaves requests as they are: the same, or one before has said what there is to
 * say.
 */
bool hyb_pending_told(struct hyb_pending *pending);

/* Before a call that may complete requests. */
static inline uint64_t *hyb_ev_pending(uint64_t *p, bool *late, struct hyb_pending *pending,
				       const MPI_Request *request)
{
	(void)late;
	hyb_pending_note(pending, request ? *request : MPI_REQUEST_NULL);
	return p;
}

/* The same in all cases; `base` and `no_outcome` are set. */
void hyb_pendings_note(struct hyb_pendings *pendings, int count, const MPI_Request *requests);

static inline uint64_t *hyb_ev_pendings(uint64_t *p, bool *late, struct hyb_pendings *pendings, int count,
					const MPI_Request *requests)
{
	bool near = count > 0 && count <= HYB_PENDING_NEAR && requests;

	(void)late;
	pendings->base = 0;
	pendings->no_outcome = false;
	if (!hyb_likely(near && hyb_requests_serialized())) {
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
		/* Otherwise gcc copies the few there are with an instruction that takes 10 ns to begin. */
		__asm__ volatile("" : : "r"(i));
	}
	return p;
}

/* Where what a thread waits for has to end that stands in a call. */
static inline const uint64_t *hyb_requests_stand_end(void)
{
	return hyb_self.end + HYB_CHUNK_SLACK;
}

/* So many requests a call names, and those up to `end` are listed after p[1]. */
static inline void hyb_requests_stand_head(uint64_t *p, int count, const uint64_t *end)
{
	p[1] = (uint64_t)(uint32_t)count << 32 | (uint32_t)((end - p - 2) / HYB_STANDING_REQUEST_WORDS);
}

/* What a call waits for or asks for that names these requests goes after p[0]. */
void hyb_requests_stand(uint64_t *p, int count, const MPI_Request *requests);

/* Room for so many, where there are too many for what is near, or none; `count` is set, 0 without memory. */
struct hyb_pending *hyb_pendings_far(struct hyb_pendings *pendings, int count, const MPI_Request *requests) HYB_COLD;

/*
 * Before a call that waits for requests: they are looked up now, and what it waits for goes after p[0]. It will have
 * something to say of them in any case.
 */
static HYB_HOT uint64_t *hyb_ev_awaited(uint64_t *p, bool *late, struct hyb_pendings *pendings, int count,
					const MPI_Request *requests)
{
	const uint64_t *end = hyb_requests_stand_end();
	struct hyb_pending *pending = pendings->near.pending;
	uint64_t *put = p + 2;

	(void)late;
	pendings->base = 0;
	pendings->no_outcome = false;
	pendings->handles = NULL;
	pendings->statuses = pendings->near_statuses;
	pendings->count = count;
	if (hyb_unlikely((unsigned int)count > HYB_PENDING_NEAR || !requests))
		pending = hyb_pendings_far(pendings, count, requests);
	pendings->pending = pending;
	for (int i = 0; i < pendings->count; i++) {
		pending[i].handle = requests[i];
		hyb_pending_look_up(&pending[i]);
		put = hyb_request_stand(put, end, pending[i].request);
	}
	hyb_requests_stand_head(p, count, put);
	return p;
}

/* The same of one. */
static HYB_HOT uint64_t *hyb_ev_awaited_one(uint64_t *p, bool *late, struct hyb_pending *pending,
					    const MPI_Request *request)
{
	(void)late;
	pending->handle = request ? *request : MPI_REQUEST_NULL;
	hyb_pending_look_up(pending);
	hyb_requests_stand_head(p, 1, hyb_request_stand(p + 2, hyb_requests_stand_end(), pending->request));
	return p;
}

/* These never ask for a second try. */
#define hyb_ev_late_pending(p, ...) (p)
#define hyb_ev_late_pendings(p, ...) (p)
#define hyb_ev_late_awaited(p, ...) (p)
#define hyb_ev_late_awaited_one(p, ...) (p)

/* Room for their statuses where the program gives none. */
MPI_Status *hyb_pendings_statuses(struct hyb_pendings *pendings);

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
uint64_t *hyb_ev_got_status(uint64_t *p, int ret, struct hyb_pending *pending, const int *flag, MPI_Request request,
			    const MPI_Status *status);
/* Before the following ones: a test that found nothing where *flag is 0. */
uint64_t *hyb_requests_tested(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings, const int *flag);
/* Waitall, Testall: flag as above. */
uint64_t *hyb_requests_completed_all(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings,
				     const int *flag, const MPI_Status *statuses);
/* Waitany, Testany: the one at *index; requests as they stand now. */
uint64_t *hyb_ev_completed_any(uint64_t *p, int ret, struct hyb_pendings *pendings, const int *flag, const int *index,
			       const MPI_Request *requests, const MPI_Status *status);
/* Waitsome, Testsome. */
uint64_t *hyb_requests_completed_some(uint64_t *p, uint32_t region, int ret, struct hyb_pendings *pendings,
				      const int *count, const int *indices, const MPI_Status *statuses);
/* The indices that come to hyb_requests_completed_some count from 1. */
static inline void hyb_pendings_from_one(struct hyb_pendings *pendings)
{
	pendings->base = 1;
}
/*
 * Before the last three, after a call that failed and tells neither how its requests ended nor which are left: what is
 * left are those that are still handles. Of the others it is not known what they did.
 */
void hyb_pendings_lose_outcome(struct hyb_pendings *pendings, const MPI_Request *requests);
/* Before MPI_Cancel. */
void hyb_request_cancelling(void);

#endif
