/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call gets that may not come back (format/order.h). While it is under way MPI fills statuses that lie in the order
 * stream's file instead of the program's, which get the same after it. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_PENDING_H
#define HYB_PMPI_ADAPTER_ORDER_PENDING_H

#include <mpi.h>

#include "record/order.h"

struct hyb_order_awaits {
	struct hyb_order_pending *area;	/* NULL: it is as if there were none */
	MPI_Status *program;		/* the program's; NULL: it wants none */
	int statuses;
};

/*
 * Of so many requests and statuses: those to be given to MPI, as the program's are now; NULL where that cannot be. Its
 * posts are to be set, then hyb_pending_may; after the call hyb_pending_over in any case.
 */
MPI_Status *hyb_pending_begin(struct hyb_order_awaits *pending, struct hyb_order *order, int requests, int statuses,
			      MPI_Status *program);
void hyb_pending_over(struct hyb_order_awaits *pending);

/* The request is an open receive of the thread's. */
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

/* Whether MPI has filled the status with a message's source; the message may have had an error. */
static inline bool hyb_pending_is_filled(const MPI_Status *status)
{
	return status->MPI_SOURCE >= 0;
}

#endif
