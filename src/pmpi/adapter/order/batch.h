/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests of a call that completes some. When it is recorded, open receives among them are taken out before the
 * call, since MPI may give their handles out again before it comes back, and those that it did not complete are put
 * back. In a replay persistent receives have another request in their place, which was posted for the message that they
 * got. What MPI fills of an outcome that is recorded lies in the order's file meanwhile, since a message's error ends
 * most programs in the call. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_BATCH_H
#define HYB_PMPI_ADAPTER_ORDER_BATCH_H

#include "pmpi/adapter/order/order.h"

#define HYB_BATCH_FEW 32

/* MPI_Cancel has taken effect. */
static inline bool hyb_batch_was_cancelled(const MPI_Status *status)
{
	int flag = 0;

	if (hyb_unlikely(__atomic_load_n(&hyb_order_cancels, __ATOMIC_RELAXED)))
		PMPI_Test_cancelled(status, &flag);
	return flag;
}

/* An open receive of the thread's is over. got: with a message, also one that was too long for its buffer. */
static HYB_HOT void hyb_batch_tell(struct hyb_order *order, uint64_t number, bool any_tag, bool got,
				   const MPI_Status *status)
{
	if (hyb_unlikely(!got))
		hyb_order_ended(order, number, HYB_ORDER_GIVEN_UP);
	else if (hyb_batch_was_cancelled(status))
		hyb_order_ended(order, number, HYB_ORDER_CANCELLED);
	else
		hyb_order_matched(order, number, status->MPI_SOURCE, status->MPI_TAG, any_tag);
}

/* An open receive among them. */
struct hyb_batch_item {
	int index;
	bool complete;
	MPI_Request was;
	struct hyb_order_post post;
};

struct hyb_batch {
	MPI_Request *given;	/* the program's */
	MPI_Request *requests;	/* what MPI gets: the same, or their replacements */
	MPI_Status *statuses;	/* the program's, or our own where those are needed; or it ignores them */
	bool ignores;
	bool replays;
	int count;
	int open;			/* items, by rising index; 0: all is as if there were none anywhere */
	int left;			/* how many of them are not complete */
	struct hyb_batch_item *items;
	struct hyb_order_awaits pending;
	struct hyb_batch_item few_items[HYB_BATCH_FEW];
	MPI_Request few_requests[HYB_BATCH_FEW];
	MPI_Status few_statuses[HYB_BATCH_FEW];
	struct hyb_call_memory room;
};

/* Before the call; in it MPI fills statuses in that way. If that is not ALL, the next one follows the call. */
void hyb_batch_begin(struct hyb_batch *batch, int count, MPI_Request *requests, MPI_Status *statuses,
		     enum hyb_order_pending_way way);
/* In a replay, before MPI waits for any of these requests: none may be held (held.h). */
void hyb_batch_release(struct hyb_batch *batch, int first, int end);
/* All of them, as MPI is to see them; awaits: and to wait for them. */
void hyb_batch_release_all(struct hyb_batch *batch, bool awaits);
/*
 * In a replay: sends among these with which MPI has not done count as complete from here on: all of them, or only those
 * that the program was told are complete. MPI gets MPI_REQUEST_NULL in their place.
 */
void hyb_batch_leave_sends(struct hyb_batch *batch, int first, int end, bool all);
/* All are complete, if the call succeeded; otherwise each by the error in its status. */
void hyb_batch_completed_all(struct hyb_batch *batch, int ret);
/* So many are, by their indices. */
void hyb_batch_completed_some(struct hyb_batch *batch, int ret, int count, const int *indices);
/* Those that are not complete are as they were; a replay's requests become the program's. */
void hyb_batch_put_back(struct hyb_batch *batch);

static inline void hyb_batch_end(struct hyb_batch *batch)
{
	hyb_pending_over(&batch->pending);
	if (hyb_unlikely(batch->left || batch->requests != batch->given))
		hyb_batch_put_back(batch);
	if (hyb_unlikely(batch->room.mapped != NULL))
		hyb_call_memory_free(&batch->room);
}

#endif
