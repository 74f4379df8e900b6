/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of windows and of one-sided communication; see events.h for their form. All are made after the call
 * succeeded. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_RMA_H
#define HYB_PMPI_ADAPTER_RMA_H

#include <mpi.h>

#include "pmpi/adapter/handles/win.h"
#include "core/record/record.h"

/* What a flush is about to complete of the window's. */
struct hyb_flush {
	bool idle;	/* nothing: no operation of this process can be open */
	struct hyb_win *win;
	uint64_t here;
	uint64_t there;
};

uint64_t *hyb_ev_win_created(uint64_t *p, MPI_Comm comm, MPI_Win win, bool allocated, bool *known);
/* before: what hyb_win_before_free said. */
uint64_t *hyb_ev_win_freed(uint64_t *p, uint64_t before);
/*
 * It was freed within another call, by an attribute's function: that call carries its end. Nothing where that one has
 * no record either, and where the wrapper around this one, Fortran's, knows the window.
 */
void hyb_rma_win_freed_inside(uint64_t before);

/* Operations. request: of those that have one, otherwise NULL. */
uint64_t *hyb_ev_rma_put(uint64_t *p, MPI_Win win, int target, MPI_Count count, MPI_Datatype type,
			 const MPI_Request *request);
uint64_t *hyb_ev_rma_get(uint64_t *p, MPI_Win win, int target, MPI_Count count, MPI_Datatype type,
			 const MPI_Request *request);
uint64_t *hyb_ev_rma_accumulate(uint64_t *p, MPI_Win win, int target, MPI_Count count,
				MPI_Datatype type, MPI_Op op, const MPI_Request *request);
uint64_t *hyb_ev_rma_get_accumulate(uint64_t *p, MPI_Win win, int target, MPI_Count count,
				    MPI_Datatype type, MPI_Count result_count,
				    MPI_Datatype result_type, MPI_Op op,
				    const MPI_Request *request);
uint64_t *hyb_ev_rma_fetch_and_op(uint64_t *p, MPI_Win win, int target, MPI_Datatype type,
				  MPI_Op op);
uint64_t *hyb_ev_rma_compare_and_swap(uint64_t *p, MPI_Win win, int target, MPI_Datatype type);

/* Synchronisation. */
uint64_t *hyb_ev_rma_fence(uint64_t *p, MPI_Win win, int assert);
uint64_t *hyb_ev_rma_post(uint64_t *p, MPI_Win win, MPI_Group group);
uint64_t *hyb_ev_rma_start(uint64_t *p, MPI_Win win, MPI_Group group);
uint64_t *hyb_ev_rma_complete(uint64_t *p, MPI_Win win);
uint64_t *hyb_ev_rma_wait(uint64_t *p, MPI_Win win, const int *flag);
uint64_t *hyb_ev_rma_lock(uint64_t *p, MPI_Win win, int target, int lock_type);
uint64_t *hyb_ev_rma_lock_all(uint64_t *p, MPI_Win win);
/* Before a flush to one target, or to all, of which `what` says which kind. */
uint64_t *hyb_ev_rma_flush(uint64_t *p, bool *late, struct hyb_flush *flush, MPI_Win win, enum hyb_rma_what what,
			   int target);
uint64_t *hyb_ev_rma_flush_all(uint64_t *p, bool *late, struct hyb_flush *flush, MPI_Win win, enum hyb_rma_what what);
#define hyb_ev_late_rma_flush(p, ...) (p)
#define hyb_ev_late_rma_flush_all(p, ...) (p)
/* After it: one that failed has completed nothing. */
uint64_t *hyb_ev_rma_flushed(uint64_t *p, int ret, const struct hyb_flush *flush);
/* Those that name a window and perhaps a target. */
uint64_t *hyb_ev_rma_sync(uint64_t *p, MPI_Win win, enum hyb_rma_what what, int target);
uint64_t *hyb_ev_rma_sync_all(uint64_t *p, MPI_Win win, enum hyb_rma_what what);

#endif
