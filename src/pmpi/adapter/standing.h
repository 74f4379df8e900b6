/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the lines `stands` of records.tbl stand for: what a call waits for, as long as it does not come back. A line
 * `stands x` is hyb_st_x: it puts what belongs to the form that it returns after p[0] (format/standing.h). Handles may be
 * invalid: MPI is not asked. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_STANDING_H
#define HYB_PMPI_ADAPTER_STANDING_H

#include <mpi.h>

#include "pmpi/adapter/handles/comm.h"
#include "pmpi/adapter/handles/file.h"
#include "pmpi/adapter/handles/win.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/complete.h"
#include "core/record/standing.h"

/* Only that the thread is in the call, and where it was called: of calls without a line, too. */
static HYB_HOT enum hyb_standing_form hyb_st_call(uint64_t *p)
{
	(void)p;
	return HYB_STAND_CALL;
}

/* A message that is received or looked for. */
static HYB_HOT enum hyb_standing_form hyb_st_recv(uint64_t *p, MPI_Comm comm, int source, int tag)
{
	p[1] = HYB_HANDLE(comm);
	p[2] = (uint64_t)(uint32_t)tag << 32 | (uint32_t)source;
	return HYB_STAND_RECV;
}

/* late: what is sent could not be said with the Enter. */
static HYB_HOT enum hyb_standing_form hyb_st_send(uint64_t *p, bool late, MPI_Comm comm, int dest, int tag)
{
	if (hyb_likely(!late))
		return HYB_STAND_CALL;
	hyb_st_recv(p, comm, dest, tag);
	return HYB_STAND_SEND;
}

/* All of a communicator; root: HYB_NO_ROOT where there is none. */
static HYB_HOT_PART enum hyb_standing_form hyb_st_coll_known(uint64_t *p, const struct hyb_comm *c, int root)
{
	uint64_t comm = c && c->id < HYB_NO_COMM ? c->id : HYB_NO_COMM;

	p[1] = (uint64_t)HYB_COLL_WIDE << HYB_TYPE_SHIFT | comm << 32 | (uint32_t)root;
	p[2] = HYB_BYTES_UNKNOWN;
	p[3] = HYB_BYTES_UNKNOWN;
	return HYB_STAND_RECORD;
}

static HYB_HOT_PART enum hyb_standing_form hyb_st_coll(uint64_t *p, MPI_Comm comm, int root)
{
	return hyb_st_coll_known(p, hyb_comm_find(comm), root);
}

/* Requests that a call asks for without waiting; few calls of a row come here. */
static inline enum hyb_standing_form hyb_st_requests(uint64_t *p, int count, const MPI_Request *requests)
{
	hyb_requests_stand(p, count, requests);
	return HYB_STAND_REQUESTS;
}

/* What hyb_ev_awaited put there. */
static HYB_HOT enum hyb_standing_form hyb_st_awaited(uint64_t *p)
{
	(void)p;
	return HYB_STAND_REQUESTS;
}

/* The same of one. */
static inline enum hyb_standing_form hyb_st_request(uint64_t *p, const struct hyb_pending *pending)
{
	return hyb_st_requests(p, 1, &pending->handle);
}

/* What is done with a window. */
static HYB_HOT_PART enum hyb_standing_form hyb_st_rma(uint64_t *p, MPI_Win win, enum hyb_rma_what what, int target)
{
	hyb_put_rma(p + 1, what, 2, target, 0, hyb_win_id(hyb_win_find(win)));
	return HYB_STAND_RECORD;
}

static HYB_HOT_PART enum hyb_standing_form hyb_st_rma_lock(uint64_t *p, MPI_Win win, int target, int lock_type)
{
	hyb_put_rma(p + 1, HYB_RMA_LOCK, 2, target, lock_type == MPI_LOCK_SHARED ? HYB_RMA_SHARED : 0,
		    hyb_win_id(hyb_win_find(win)));
	return HYB_STAND_RECORD;
}

/* With the group that the window was opened for. */
static HYB_HOT_PART enum hyb_standing_form hyb_st_rma_group(uint64_t *p, MPI_Win win, enum hyb_rma_what what)
{
	const struct hyb_win *w = hyb_win_find(win);
	uint64_t group1 = 0;

	if (hyb_likely(w != NULL))
		group1 = __atomic_load_n(what == HYB_RMA_COMPLETE ? &w->access1 : &w->exposure1, __ATOMIC_RELAXED);
	*hyb_put_rma(p + 1, what, 3, HYB_PUT_RMA_ALL, 0, hyb_win_id(w)) = group1 - 1;
	return HYB_STAND_RECORD;
}

/* before: as hyb_win_before_free. */
static HYB_HOT_PART enum hyb_standing_form hyb_st_win_free(uint64_t *p, uint64_t before)
{
	hyb_put_rma(p + 1, HYB_RMA_DESTROY, 2, HYB_PUT_RMA_ALL, (uint32_t)(before >> 32), (uint32_t)before);
	return HYB_STAND_RECORD;
}

/* What is done with a file. */
static HYB_HOT_PART enum hyb_standing_form hyb_st_file_known(uint64_t *p, enum hyb_io_what what, uint32_t flags, uint32_t file)
{
	hyb_put_io(p + 1, what, flags, file, 2);
	return HYB_STAND_RECORD;
}

static HYB_HOT_PART enum hyb_standing_form hyb_st_file(uint64_t *p, enum hyb_io_what what, uint32_t flags, MPI_File fh)
{
	return hyb_st_file_known(p, what, flags, hyb_file_id(&fh));
}

#endif
