/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a replay: sends that were complete before their messages were received. A test said so, since MPI had taken the
 * message at once. Another MPI, or the same with another limit, may keep it until it is received, and the receiver
 * may wait for something that the program does only after the test. So MPI gets a copy of what is sent by MPI_Isend. Where a
 * test is to be true and MPI has not done with the send, the program is told so, and the copy stays until it is sent.
 * Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_SENDS_H
#define HYB_PMPI_ADAPTER_ORDER_SENDS_H

#include <mpi.h>
#include <stdbool.h>

#include "pmpi/adapter/order/posts.h"

/* A copy of what is to be sent, in its `buf`; NULL: there is none, and the program's is sent. */
struct hyb_order_shadow *hyb_send_copy(const void *buf, MPI_Count count, MPI_Datatype type, int dest);
/* It is under way, unless ret says that it failed. */
void hyb_send_posted(struct hyb_order_shadow *copy, int ret, MPI_Request request);
/* It is complete. */
void hyb_send_over(struct hyb_order_shadow *copy);
/* The program has done with its request, and MPI may not have. */
void hyb_send_leave(struct hyb_order_shadow *copy);
/* Before MPI ends: those that were left are waited for. */
void hyb_sends_end(void);

/* Whether it is such a send. */
static inline bool hyb_post_is_send(const struct hyb_order_post *post)
{
	return post->shadow && post->shadow->sends;
}

#endif
