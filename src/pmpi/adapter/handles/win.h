/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: what is known of each, found by its handle, and the records of one-sided communication. Like
 * communicators (comm.h), with the same rules. All records are made after the call succeeded. Part of
 * the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_WIN_H
#define HYB_PMPI_ADAPTER_HANDLES_WIN_H

#include <mpi.h>

#include "base/trie.h"
#include "record/record.h"

struct hyb_win {
	struct hyb_node node;	/* key: the handle */
	uint32_t live1;		/* id of its definition + 1; 0: its handle is nobody's. Stored with release */
	uint32_t allocated;	/* HYB_RMA_ALLOCATED, or 0 */
	uint32_t access1;	/* the group of MPI_Win_start + 1 */
	uint32_t exposure1;	/* of MPI_Win_post */
	/* the window has no more members than there are bits in these two: each has one of its own */
	uint32_t few;
	/* Targets (modulo 64) of operations that no flush has completed here, and there. */
	uint64_t open_here;
	uint64_t open_there;
};

/* What a flush is about to complete of the window's. */
struct hyb_flush {
	bool idle;	/* nothing: no operation of this process can be open */
	struct hyb_win *win;
	uint64_t here;
	uint64_t there;
};

extern struct hyb_trie hyb_wins;

/* What is known of a handle, or NULL. Pairs with the release in hyb_win_made. */
static inline struct hyb_win *hyb_win_find(MPI_Win win)
{
	struct hyb_win *w = (struct hyb_win *)hyb_trie_find(&hyb_wins, HYB_HANDLE(win));

	return hyb_likely(w && __atomic_load_n(&w->live1, __ATOMIC_ACQUIRE)) ? w : NULL;
}

/*
 * A window was made over comm. Called with the Leave where the call is recorded, so that the record
 * knows the window, and in any case after it: *known tells that the first was done.
 */
uint64_t *hyb_ev_win_made(uint64_t *p, MPI_Comm comm, MPI_Win win, bool allocated, bool *known);
void hyb_win_made(MPI_Comm comm, MPI_Win win, bool allocated, bool *known);
void hyb_win_named(MPI_Win win, const char *name);
/* The head of a window's record before MPI_Win_free, after which its handle may at once be another's. */
uint64_t hyb_win_before_free(const MPI_Win *win);
void hyb_win_freed(const MPI_Win *win);
uint64_t *hyb_ev_win_freed(uint64_t *p, uint64_t before);
/*
 * It was freed within another call, by an attribute's function: that call carries its end. Nothing where that one has
 * no record either, and where the wrapper around this one, Fortran's, knows the window.
 */
void hyb_win_freed_inside(uint64_t before);
/* The call failed: the window whose head that is may still be there. */
void hyb_win_kept(uint64_t before, const MPI_Win *win);

/* Operations. request: of those that have one, else NULL. */
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
