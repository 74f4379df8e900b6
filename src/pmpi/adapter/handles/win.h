/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: what is known of each, found by its handle, by the rules that hold for communicators (comm.h). Part of the
 * adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_WIN_H
#define HYB_PMPI_ADAPTER_HANDLES_WIN_H

#include <mpi.h>

#include "core/sys/trie.h"
#include "core/record/record.h"

#define HYB_WIN_TARGETS 64	/* bits of open_here and open_there */

struct hyb_win {
	struct hyb_node node;	/* key: the handle */
	uint32_t live1;		/* id of its definition + 1; 0: its handle is nobody's. Stored with release */
	uint32_t allocated;	/* HYB_RMA_ALLOCATED, or 0 */
	uint32_t access1;	/* the group of MPI_Win_start + 1 */
	uint32_t exposure1;	/* of MPI_Win_post */
	uint32_t few;		/* each member has a bit of its own in these two */
	/* Targets (modulo HYB_WIN_TARGETS) of operations that no flush has completed here, and there. */
	uint64_t open_here;
	uint64_t open_there;
};

extern struct hyb_trie hyb_wins;

/* What is known of a handle, or NULL. Pairs with the release in hyb_win_created. */
static inline struct hyb_win *hyb_win_find(MPI_Win win)
{
	struct hyb_win *w = (struct hyb_win *)hyb_trie_find(&hyb_wins, HYB_HANDLE(win));

	return hyb_likely(w && __atomic_load_n(&w->live1, __ATOMIC_ACQUIRE)) ? w : NULL;
}

/* The id of its definition, or HYB_NO_WIN for NULL. */
static inline uint32_t hyb_win_id(const struct hyb_win *w)
{
	return w ? __atomic_load_n(&w->live1, __ATOMIC_RELAXED) - 1 : HYB_NO_WIN;
}

/*
 * A window was made over comm. Called with the Leave where the call is recorded, so that the record
 * knows the window, and in any case after it: *known tells that the first was done.
 */
void hyb_win_created(MPI_Comm comm, MPI_Win win, bool allocated, bool *known);
void hyb_win_named(MPI_Win win, const char *name);
/* The second word of the record of a window's end, before MPI_Win_free, after which its handle may be another's. */
uint64_t hyb_win_before_free(const MPI_Win *win);
void hyb_win_freeing(const MPI_Win *win);
/* The call failed: the window whose word that is may still be there. */
void hyb_win_free_failed(uint64_t before, const MPI_Win *win);

#endif
