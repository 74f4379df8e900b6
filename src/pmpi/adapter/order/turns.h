/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns of threads (core/outcomes/turns.h), between the functions for the order of a run and the MPI: they stand there only
 * where several threads may call MPI at once. Blocking calls are made of those that do not block, so that a turn is over
 * once the message is sent or asked for. Other tools' functions of the blocking call, if there are any, are not called
 * then. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_TURNS_H
#define HYB_PMPI_ADAPTER_ORDER_TURNS_H

#include <mpi.h>

#include "pmpi/adapter/order/replay.h"
#include "core/outcomes/order.h"
#include "core/outcomes/turns.h"

/* turns-functions.c: MPI began. multiple: with a level at which several threads may call it at once. */
void hyb_order_start(bool multiple);

/* The calling thread's order, with what is known of it in a replay. */
static inline struct hyb_order *hyb_turn_mine(void)
{
	struct hyb_order *order = hyb_order_mine();

	if (hyb_unlikely(order->replays && !order->replay))
		hyb_replay_mine();
	return order;
}

/* A message that is sent; `function` as an entry of C's: any MPI_*send, blocking or not; request: NULL if it blocks. */
int hyb_turn_send(unsigned int function, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
		  MPI_Comm comm, MPI_Request *request);
/* The same of a receive; its request, or, if that is NULL, its status. */
int hyb_turn_receive(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
		     MPI_Request *request, MPI_Status *status);

/* Both at once. */
struct hyb_turn_exchange {
	const void *out;
	MPI_Count out_count;
	MPI_Datatype out_type;
	int dest;
	int out_tag;
	void *in;
	MPI_Count in_count;
	MPI_Datatype in_type;
	int source;
	int in_tag;
	MPI_Comm comm;
};

int hyb_turn_sendrecv(const struct hyb_turn_exchange *e, MPI_Status *status);
/* The same in one buffer, which is `in`. */
int hyb_turn_sendrecv_replace(const struct hyb_turn_exchange *e, MPI_Status *status);

#endif
