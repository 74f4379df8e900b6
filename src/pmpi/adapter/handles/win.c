/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows, see win.h. All members of a communicator make a window together, and so it has its key as a communicator
 * made from it would.
 */
#include "pmpi/adapter/handles/win.h"

#include "pmpi/adapter/handles/comm-create.h"
#include "core/record/definitions.h"

struct hyb_trie hyb_wins;

/* Whether each member has a bit of its own among those of open_here. */
static bool is_few(MPI_Comm comm)
{
	int size = 0;

	return PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size <= HYB_WIN_TARGETS;
}

void hyb_win_created(MPI_Comm comm, MPI_Win win, bool allocated, bool *known)
{
	struct hyb_def_win def = { .comm = 0 };
	const struct hyb_comm *c;
	struct hyb_win *w;
	uint32_t id;

	if (*known)
		return;
	*known = true;
	c = hyb_comm_child_key(comm, def.key, &def.number);
	w = (struct hyb_win *)hyb_trie_add(&hyb_wins, HYB_HANDLE(win), sizeof(*w));
	if (!w)
		return;
	w->allocated = allocated ? HYB_RMA_ALLOCATED : 0;
	w->access1 = 0;
	w->exposure1 = 0;
	w->few = 0;
	w->open_here = 0;
	w->open_there = 0;
	__atomic_store_n(&w->live1, 0, __ATOMIC_RELAXED);
	if (!c)
		return;
	id = hyb_def_win_id();
	def.comm = c->id;
	w->few = is_few(comm);
	hyb_def_win(id, &def);
	/* Release: pairs with hyb_win_find. */
	__atomic_store_n(&w->live1, id + 1, __ATOMIC_RELEASE);
}

void hyb_win_named(MPI_Win win, const char *name)
{
	const struct hyb_win *w = hyb_win_find(win);

	if (w)
		hyb_def_win_name(w->live1 - 1, name);
}

/* As the second word of the record. */
uint64_t hyb_win_before_free(const MPI_Win *win)
{
	const struct hyb_win *w = win ? hyb_win_find(*win) : NULL;

	return (uint64_t)(w ? w->allocated : 0) << 32 | hyb_win_id(w);
}

void hyb_win_freeing(const MPI_Win *win)
{
	struct hyb_win *w = win ? hyb_win_find(*win) : NULL;

	if (w)
		__atomic_store_n(&w->live1, 0, __ATOMIC_RELEASE);
}

void hyb_win_free_failed(uint64_t before, const MPI_Win *win)
{
	struct hyb_node *node = win ? hyb_trie_find(&hyb_wins, HYB_HANDLE(*win)) : NULL;
	struct hyb_win *w = (struct hyb_win *)node;
	uint32_t live1 = 0;

	if (w && (uint32_t)before != HYB_NO_WIN)
		__atomic_compare_exchange_n(&w->live1, &live1, (uint32_t)before + 1, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}
