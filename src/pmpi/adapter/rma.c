/* SPDX-License-Identifier: BSD-3-Clause */
/* The records of windows and of one-sided communication; see rma.h. */
#include "pmpi/adapter/rma.h"

#include "pmpi/adapter/handles/group.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/begin.h"
#include "pmpi/table/functions.h"

uint64_t *hyb_ev_win_created(uint64_t *p, MPI_Comm comm, MPI_Win win, bool allocated, bool *known)
{
	hyb_win_created(comm, win, allocated, known);
	return hyb_put_rma(p, HYB_RMA_CREATE, 2, HYB_PUT_RMA_ALL, allocated ? HYB_RMA_ALLOCATED : 0,
			   hyb_win_id(hyb_win_find(win)));
}

uint64_t *hyb_ev_win_freed(uint64_t *p, uint64_t before)
{
	return hyb_put_rma(p, HYB_RMA_DESTROY, 2, HYB_PUT_RMA_ALL, (uint32_t)(before >> 32), (uint32_t)before);
}

void hyb_rma_win_freed_inside(uint64_t before)
{
	uint64_t *p;

	if (!hyb_self.frame || (uint32_t)before == HYB_NO_WIN || hyb_is_off(1u << HYB_GROUP_RMA))
		return;
	/* Its call is recorded, but may have no Enter that can be seen yet. */
	hyb_frame_publish();
	p = hyb_more(hyb_self.region);
	if (p)
		hyb_publish(hyb_ev_win_freed(p, before));
}

/* Sets or clears bits. Several threads may be at it, unless one at a time calls MPI. */
static void set_bits(uint64_t *word, uint64_t bits)
{
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	if ((old & bits) == bits)
		return;
	if (hyb_requests_serialized())
		__atomic_store_n(word, old | bits, __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static void clear_bits(uint64_t *word, uint64_t bits)
{
	if (hyb_requests_serialized())
		__atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) & ~bits, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(word, ~bits, __ATOMIC_RELAXED);
}

static uint64_t bit_of(int target)
{
	return UINT64_C(1) << (unsigned int)target % HYB_WIN_TARGETS;
}

/*
 * Operations that begin meanwhile, in other threads, are open after it; so what it completes is taken off before. A
 * thread whose flush has to complete another's operation has been told of that by the program, after it had begun.
 */
static uint64_t *flush_some(uint64_t *p, struct hyb_flush *flush, MPI_Win win, enum hyb_rma_what what, uint64_t targets,
			    bool clears)
{
	struct hyb_win *w = hyb_win_find(win);

	*flush = (struct hyb_flush){ .idle = false };
	if (!w)
		return p;
	flush->here = __atomic_load_n(&w->open_here, __ATOMIC_RELAXED) & targets;
	if (what == HYB_RMA_FLUSH)
		flush->there = __atomic_load_n(&w->open_there, __ATOMIC_RELAXED) & targets;
	flush->idle = !flush->here && !flush->there;
	if (flush->idle || !(clears || w->few))
		return p;
	flush->win = w;
	clear_bits(&w->open_here, flush->here);
	if (flush->there)
		clear_bits(&w->open_there, flush->there);
	return p;
}

uint64_t *hyb_ev_rma_flush(uint64_t *p, bool *late, struct hyb_flush *flush, MPI_Win win, enum hyb_rma_what what,
			   int target)
{
	(void)late;
	if (target != MPI_PROC_NULL)
		return flush_some(p, flush, win, what, bit_of(target), false);
	*flush = (struct hyb_flush){ .idle = true };
	return p;
}

uint64_t *hyb_ev_rma_flush_all(uint64_t *p, bool *late, struct hyb_flush *flush, MPI_Win win, enum hyb_rma_what what)
{
	(void)late;
	return flush_some(p, flush, win, what, UINT64_MAX, true);
}

uint64_t *hyb_ev_rma_flushed(uint64_t *p, int ret, const struct hyb_flush *flush)
{
	if (hyb_unlikely(ret != MPI_SUCCESS) && flush->win) {
		set_bits(&flush->win->open_here, flush->here);
		set_bits(&flush->win->open_there, flush->there);
	}
	return p;
}

static uint64_t *put_op(uint64_t *p, enum hyb_rma_what what, MPI_Win win, int target,
			uint32_t flags, uint64_t sent, uint64_t received, const MPI_Request *request)
{
	struct hyb_win *w = hyb_win_find(win);
	uint32_t id = hyb_win_id(w);

	if (w) {
		set_bits(&w->open_here, bit_of(target));
		set_bits(&w->open_there, bit_of(target));
	}
	p = hyb_put_rma(p, what, 5, target, flags | (request ? HYB_RMA_REQUEST : 0), id);
	p[0] = sent;
	p[1] = received;
	p[2] = hyb_request_number();
	if (request)
		hyb_request_add_transfer(*request, HYB_OP_RMA, what, id, p[2]);
	return p + 3;
}

/* To nobody: nothing is done, but the request may have a handle that others have too. */
static uint64_t *put_nothing(uint64_t *p, const MPI_Request *request)
{
	return request ? hyb_ev_iuntracked(p, request) : p;
}

uint64_t *hyb_ev_rma_put(uint64_t *p, MPI_Win win, int target, MPI_Count count, MPI_Datatype type,
			 const MPI_Request *request)
{
	if (target == MPI_PROC_NULL)
		return put_nothing(p, request);
	return put_op(p, HYB_RMA_PUT, win, target, 0, hyb_type_bytes(count, type), 0, request);
}

uint64_t *hyb_ev_rma_get(uint64_t *p, MPI_Win win, int target, MPI_Count count, MPI_Datatype type,
			 const MPI_Request *request)
{
	if (target == MPI_PROC_NULL)
		return put_nothing(p, request);
	return put_op(p, HYB_RMA_GET, win, target, 0, 0, hyb_type_bytes(count, type), request);
}

uint64_t *hyb_ev_rma_accumulate(uint64_t *p, MPI_Win win, int target, MPI_Count count,
				MPI_Datatype type, MPI_Op op, const MPI_Request *request)
{
	(void)op;
	if (target == MPI_PROC_NULL)
		return put_nothing(p, request);
	return put_op(p, HYB_RMA_ACCUMULATE, win, target, 0, hyb_type_bytes(count, type), 0, request);
}

/* With MPI_NO_OP nothing is sent, and what says how much may be anything. */
uint64_t *hyb_ev_rma_get_accumulate(uint64_t *p, MPI_Win win, int target, MPI_Count count,
				    MPI_Datatype type, MPI_Count result_count,
				    MPI_Datatype result_type, MPI_Op op,
				    const MPI_Request *request)
{
	if (target == MPI_PROC_NULL)
		return put_nothing(p, request);
	return put_op(p, HYB_RMA_GET_ACCUMULATE, win, target, 0,
		      op == MPI_NO_OP ? 0 : hyb_type_bytes(count, type),
		      hyb_type_bytes(result_count, result_type),
		      request);
}

uint64_t *hyb_ev_rma_fetch_and_op(uint64_t *p, MPI_Win win, int target, MPI_Datatype type, MPI_Op op)
{
	uint32_t flags = op == MPI_SUM ? HYB_RMA_SUM : op == MPI_REPLACE ? HYB_RMA_REPLACE : 0;

	if (target == MPI_PROC_NULL)
		return p;
	return put_op(p, HYB_RMA_FETCH_AND_OP, win, target, flags,
		      op == MPI_NO_OP ? 0 : hyb_type_bytes(1, type), hyb_type_bytes(1, type), NULL);
}

/* The new value and the one to compare with go there, the old one comes back. */
uint64_t *hyb_ev_rma_compare_and_swap(uint64_t *p, MPI_Win win, int target, MPI_Datatype type)
{
	if (target == MPI_PROC_NULL)
		return p;
	return put_op(p, HYB_RMA_COMPARE_AND_SWAP, win, target, 0,
		      hyb_type_bytes(2, type), hyb_type_bytes(1, type),
		      NULL);
}

uint64_t *hyb_ev_rma_sync(uint64_t *p, MPI_Win win, enum hyb_rma_what what, int target)
{
	if (target == MPI_PROC_NULL)
		return p;
	return hyb_put_rma(p, what, 2, target, 0, hyb_win_id(hyb_win_find(win)));
}

/* Apart from the other, since MPI_PROC_NULL may have any value. */
uint64_t *hyb_ev_rma_sync_all(uint64_t *p, MPI_Win win, enum hyb_rma_what what)
{
	return hyb_put_rma(p, what, 2, HYB_PUT_RMA_ALL, 0, hyb_win_id(hyb_win_find(win)));
}

uint64_t *hyb_ev_rma_fence(uint64_t *p, MPI_Win win, int assert)
{
	return hyb_put_rma(p, HYB_RMA_FENCE, 2, HYB_PUT_RMA_ALL, assert & MPI_MODE_NOPRECEDE ? HYB_RMA_FIRST : 0,
			   hyb_win_id(hyb_win_find(win)));
}

uint64_t *hyb_ev_rma_lock(uint64_t *p, MPI_Win win, int target, int lock_type)
{
	if (target == MPI_PROC_NULL)
		return p;
	return hyb_put_rma(p, HYB_RMA_LOCK, 2, target, lock_type == MPI_LOCK_SHARED ? HYB_RMA_SHARED : 0,
			   hyb_win_id(hyb_win_find(win)));
}

uint64_t *hyb_ev_rma_lock_all(uint64_t *p, MPI_Win win)
{
	return hyb_put_rma(p, HYB_RMA_LOCK, 2, HYB_PUT_RMA_ALL, HYB_RMA_SHARED, hyb_win_id(hyb_win_find(win)));
}

/* group1: id + 1; without one the reader leaves the record out. */
static uint64_t *put_group(uint64_t *p, enum hyb_rma_what what, const struct hyb_win *w,
			   uint32_t group1)
{
	p = hyb_put_rma(p, what, 3, HYB_PUT_RMA_ALL, 0, hyb_win_id(w));
	*p = (uint64_t)group1 - 1;
	return p + 1;
}

static uint64_t *put_begin(uint64_t *p, enum hyb_rma_what what, MPI_Win win, MPI_Group group)
{
	struct hyb_win *w = hyb_win_find(win);
	uint32_t group1 = hyb_group_find(group);

	if (w)
		__atomic_store_n(what == HYB_RMA_START ? &w->access1 : &w->exposure1, group1,
				 __ATOMIC_RELAXED);
	return put_group(p, what, w, group1);
}

uint64_t *hyb_ev_rma_post(uint64_t *p, MPI_Win win, MPI_Group group)
{
	return put_begin(p, HYB_RMA_POST, win, group);
}

uint64_t *hyb_ev_rma_start(uint64_t *p, MPI_Win win, MPI_Group group)
{
	return put_begin(p, HYB_RMA_START, win, group);
}

uint64_t *hyb_ev_rma_complete(uint64_t *p, MPI_Win win)
{
	const struct hyb_win *w = hyb_win_find(win);

	return put_group(p, HYB_RMA_COMPLETE, w,
			 w ? __atomic_load_n(&w->access1, __ATOMIC_RELAXED) : 0);
}

uint64_t *hyb_ev_rma_wait(uint64_t *p, MPI_Win win, const int *flag)
{
	const struct hyb_win *w = hyb_win_find(win);

	if (flag && !*flag)
		return p;
	return put_group(p, HYB_RMA_WAIT, w,
			 w ? __atomic_load_n(&w->exposure1, __ATOMIC_RELAXED) : 0);
}
