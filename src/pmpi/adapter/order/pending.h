/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call gets that may not come back (format/order.h). While it is under way MPI fills statuses that lie in the order
 * stream's file instead of the program's, which get the same after it. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_PENDING_H
#define HYB_PMPI_ADAPTER_ORDER_PENDING_H

#include <mpi.h>
#include <stddef.h>

#include "core/outcomes/order.h"

struct hyb_order_awaits {
	struct hyb_order_pending *area;	/* NULL: it is as if there were none */
	MPI_Status *program;		/* the program's; NULL: it wants none */
	int statuses;
};

/*
 * Of so many requests and statuses: those to be given to MPI, as the program's are now; NULL where that cannot be. The
 * post of each request is to be set, then hyb_pending_may; after the call hyb_pending_over in any case. Inline, since
 * the numbers are known where it matters.
 */
static HYB_HOT MPI_Status *hyb_pending_begin(struct hyb_order_awaits *pending, struct hyb_order *order,
					     int requests, int statuses, MPI_Status *program)
{
	struct hyb_order_pending *area = order->pending;
	MPI_Status *filled;

	pending->area = NULL;
	/* One that is in use belongs to a call around this one, or to one that was left by a longjmp. */
	if (hyb_unlikely(!area || area->way || requests > HYB_ORDER_PENDING_REQUESTS ||
			 (size_t)statuses * sizeof(MPI_Status) > HYB_ORDER_PENDING_STATUSES))
		return NULL;
	filled = (MPI_Status *)(void *)area->statuses;
	order->pending_keeps = false;
	area->requests = (uint32_t)requests;
	area->status_size = sizeof(MPI_Status);
	area->source_at = offsetof(MPI_Status, MPI_SOURCE);
	area->tag_at = offsetof(MPI_Status, MPI_TAG);
	area->done = 0;
	for (int i = 0; i < statuses; i++) {
		/* MPIs fill some of it only: MPICH of a send no more than whether it was cancelled. */
		if (program)
			filled[i] = program[i];
		filled[i].MPI_SOURCE = HYB_ORDER_PENDING_NONE;
	}
	pending->area = area;
	pending->program = program;
	pending->statuses = statuses;
	return filled;
}

/* The request is an open receive of the thread's, of that number. */
static inline void hyb_pending_set(struct hyb_order_awaits *pending, int request, uint64_t post)
{
	if (pending->area)
		pending->area->posts[request] = post + 1;
}

static inline void hyb_pending_may(struct hyb_order_awaits *pending, enum hyb_order_pending_way way)
{
	if (pending->area)
		__atomic_store_n(&pending->area->way, way, __ATOMIC_RELEASE);
}

/* The program gets what MPI has filled. Not told where that is noted, so that it need not be in memory. */
void hyb_pending_give(const struct hyb_order_pending *area, MPI_Status *program, int statuses);

static inline void hyb_pending_over(const struct hyb_order_awaits *pending)
{
	if (!pending->area)
		return;
	__atomic_store_n(&pending->area->way, HYB_ORDER_PENDING_NOT, __ATOMIC_RELEASE);
	if (pending->program)
		hyb_pending_give(pending->area, pending->program, pending->statuses);
}

/* Whether MPI has filled the status with a message's source; the message may have had an error. */
static inline bool hyb_pending_is_filled(const MPI_Status *status)
{
	return status->MPI_SOURCE >= 0;
}

#endif
