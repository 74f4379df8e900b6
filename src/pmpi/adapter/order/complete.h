/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What completes requests, and tests of them. In a replay a call waits for what was complete, and nothing else. set.h has
 * what becomes of open receives as a rule, batch.h otherwise. Where there are none, and nothing is replayed, a call is
 * made as it is, and only what it said is written down. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_COMPLETE_H
#define HYB_PMPI_ADAPTER_ORDER_COMPLETE_H

#include "pmpi/adapter/order/batch.h"
#include "pmpi/adapter/order/held.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/adapter/order/set.h"

/* What is done otherwise: a batch is large, and a plain call is not to pay for its place on the stack. */
#define HYB_OTHERWISE static __attribute__((noinline))

/* Nothing is to be done before the call. */
static inline bool hyb_complete_is_plain(const struct hyb_order *order)
{
	return hyb_likely(!order->replays && !hyb_posts_any());
}

/* Whether the call comes from one of MPI's own functions of Fortran: that is looked at already. */
static inline bool hyb_complete_is_inside(void)
{
	return hyb_order_mine()->inside;
}

/* Of the calling thread; NULL: this is no replay, or it runs freely. */
static inline struct hyb_replay *hyb_complete_replay(void)
{
	return hyb_order_replays() ? hyb_replay_mine() : NULL;
}

static inline void hyb_complete_failed(void)
{
	hyb_order_outcome(hyb_order_mine(), HYB_ORDER_OTHER, HYB_ORDER_FAILED);
}

#endif
