/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a run (format/order.h), between the wrappers and the MPI: functions in the place of those of MPI's whose
 * outcome the program cannot know. They write it down, or see to it that it is what a recording says. They stand there
 * only where one or the other is asked for. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_ORDER_H
#define HYB_PMPI_ADAPTER_ORDER_ORDER_H

#include <mpi.h>

#include "core/config/config.h"
#include "pmpi/adapter/call-memory.h"
#include "pmpi/adapter/fortran/f2c.h"
#include "pmpi/adapter/order/pending.h"
#include "pmpi/adapter/order/posts.h"
#include "pmpi/entry/dispatch.h"
#include "pmpi/table/functions.h"
#include "core/outcomes/order.h"

/* By entry, as hyb_adapter.order has it; C's, and Fortran's from HYB_MPI_FUNCTIONS on. */
extern void *const hyb_order_functions[HYB_MPI_ENTRIES];
/* The same as hyb_adapter.turns has it. */
extern void *const hyb_turn_functions[HYB_MPI_ENTRIES];

/*
 * Calls what comes after a function of C's; MPI's own where the program called it from Fortran only. MPI's address is
 * not taken: so it is bound by the call, and an MPI that lacks the function can have this adapter.
 */
#define HYB_ORDER_CALL(name, ...) \
	(HYB_BENEATH(HYB_F_##name) ? ((__typeof__(&P##name))HYB_BENEATH(HYB_F_##name))(__VA_ARGS__) : P##name(__VA_ARGS__))

/* The program has called MPI_Cancel. */
extern bool hyb_order_cancels;

/* Whether a run is replayed; otherwise it is recorded. */
static inline bool hyb_order_replays(void)
{
	return hyb_order_mine()->replays;
}

/* From MPI_PROC_NULL comes the same whatever the tag. */
static inline bool hyb_order_is_wild(int source, int tag)
{
	return source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL);
}

/*
 * A receive that names any source or tag. In a replay it is posted as begin() leaves source and tag, on `comm`: what it
 * got when it was recorded.
 */
struct hyb_order_receive {
	struct hyb_order_post post;
	struct hyb_order_awaits pending;
	bool wild;
	bool held;	/* it is not what is posted (held.h); the program named these: */
	int source;
	int tag;
	MPI_Comm comm;
};

/*
 * The same where the order is recorded, without what only a replay needs: Recv and Irecv keep all of it in registers.
 * The calling thread's; NULL: it is a replay, or a function of Fortran's that is looked at already.
 */
static inline struct hyb_order *hyb_order_recording(void)
{
	struct hyb_order *order = hyb_order_mine();

	return hyb_unlikely(order->replays || order->inside) ? NULL : order;
}

/* The status that MPI is to fill, as hyb_order_receive_status has it. */
static HYB_HOT MPI_Status *hyb_order_receive_awaits(struct hyb_order_awaits *pending, struct hyb_order *order,
						    uint64_t number, MPI_Status *status, MPI_Status *own)
{
	MPI_Status *filled = hyb_pending_begin(pending, order, 1, 1, status);

	if (hyb_unlikely(!filled))
		return status ? status : own;
	hyb_pending_set(pending, 0, number);
	hyb_pending_may(pending, HYB_ORDER_PENDING_ALL);
	return filled;
}

/* It has come back. */
static HYB_HOT void hyb_order_receive_told(const struct hyb_order_awaits *pending, struct hyb_order *order,
					   uint64_t number, bool any_tag, int ret, const MPI_Status *status)
{
	hyb_pending_over(pending);
	/* One that was too long for its buffer has been received, too. */
	if (hyb_likely(ret == MPI_SUCCESS) || (pending->area && hyb_pending_is_filled(status)))
		hyb_order_matched(order, number, status->MPI_SOURCE, status->MPI_TAG, any_tag);
	else
		hyb_order_ended(order, number, HYB_ORDER_GIVEN_UP);
}

/* It was not posted, or there is no memory for it. */
void hyb_order_post_failed(struct hyb_order *order, uint64_t number, int ret) HYB_COLD;

/* MPI has posted it, or not. */
static HYB_HOT void hyb_order_posted(struct hyb_order *order, uint64_t number, bool any_tag, int ret,
				     MPI_Request request)
{
	if (hyb_unlikely(ret != MPI_SUCCESS || !hyb_posts_put_open(request, order, number, any_tag)))
		hyb_order_post_failed(order, number, ret);
}

/* How many ranks of the communicator may send; of an intercommunicator those of the other side. */
int hyb_order_peers(MPI_Comm comm);
/* function: MPI's name of it, for messages. */
void hyb_order_receive_begin(struct hyb_order_receive *receive, const char *function, int *source, int *tag,
			     MPI_Comm *comm);
/* The status that MPI is to fill instead of the program's; `own` if that is NULL, which is ignored, and there is no other. */
MPI_Status *hyb_order_receive_status(struct hyb_order_receive *receive, MPI_Status *status, MPI_Status *own);
/* It has come back, with what it got in that status. */
void hyb_order_received(struct hyb_order_receive *receive, int ret, const MPI_Status *status);
/* It was posted. */
void hyb_order_receive_posted(const struct hyb_order_receive *receive, int ret, MPI_Request request);
/* The same of one that is held, and what it is about. */
void hyb_order_receive_held(const struct hyb_order_receive *receive, int ret, MPI_Request request, void *buf, MPI_Count count,
			    MPI_Datatype type);
/* In a replay: MPI knows it now, or has come back from it; others that were held until then are posted. */
void hyb_order_receive_begun(const struct hyb_order_receive *receive);

/* A persistent one was made, of a request that is started later. */
void hyb_order_receive_made(MPI_Request request, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
			    MPI_Comm comm);

/*
 * Functions of C's that take no buffer, as they stand in hyb_order_functions: Fortran's are these with other arguments.
 */
int hyb_order_Cancel(MPI_Request *request);
int hyb_order_Finalize(void);
int hyb_order_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int hyb_order_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int hyb_order_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int hyb_order_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int hyb_order_Request_free(MPI_Request *request);
int hyb_order_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int hyb_order_Start(MPI_Request *request);
int hyb_order_Startall(int count, MPI_Request *requests);
int hyb_order_Test(MPI_Request *request, int *flag, MPI_Status *status);
int hyb_order_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int hyb_order_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int hyb_order_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses);
int hyb_order_Wait(MPI_Request *request, MPI_Status *status);
int hyb_order_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int hyb_order_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
double hyb_order_Wtime(void);
int hyb_order_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses);
int hyb_order_Win_test(MPI_Win win, int *flag);
#ifdef HYB_HAS_MPI_Parrived
int hyb_order_Parrived(MPI_Request request, int partition, int *flag);
#endif

#endif
