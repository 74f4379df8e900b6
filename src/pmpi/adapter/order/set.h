/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open receives among the requests of a call that completes some, in the common case: the order is recorded, one
 * thread at a time calls MPI, and they are the calling thread's and not persistent. Nobody else can get their handles
 * before the call is back, so they stay in the table until it has completed them. batch.h does everything else. Part of
 * the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_SET_H
#define HYB_PMPI_ADAPTER_ORDER_SET_H

#include "pmpi/adapter/order/order.h"

/* One call's. */
struct hyb_set {
	struct hyb_order *order;
	struct hyb_order_awaits pending;
	MPI_Status *statuses;	/* what MPI is to fill */
	uint64_t open;		/* a bit for each request */
};

/* Before the call; in it MPI fills statuses in that way. false: it is a case for batch.h, and nothing has been done. */
bool hyb_set_begin(struct hyb_set *set, int count, const MPI_Request *requests, MPI_Status *statuses,
		   enum hyb_order_pending_way way);
/* After the call, which each of these ends: it has found nothing; all are complete, or each by the error in its status; */
void hyb_set_found_nothing(const struct hyb_set *set);
void hyb_set_completed_all(const struct hyb_set *set, int ret);
/* so many are, by their indices. */
void hyb_set_completed_some(const struct hyb_set *set, int ret, int count, const int *indices);

/* Where MPI is to put an index, or how many there are and their indices. */
static inline int *hyb_set_indices(const struct hyb_set *set, int *program)
{
	return set->open ? set->pending.area->indices : program;
}

static inline int *hyb_set_done(const struct hyb_set *set, int *program)
{
	return set->open ? &set->pending.area->done : program;
}

#endif
