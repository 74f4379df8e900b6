/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a replay: receives that were open still when the recording ended, while later ones had got their messages. MPI
 * matches receives in the order in which they are posted, so these may have had messages, too, which the program had not
 * asked for yet. Posted as the program does it they could take what another one is to get, and that would wait for ever.
 * So they are posted after the last receive whose message is known; the program has a request meanwhile on which nothing
 * ever comes.
 *
 * But who sent a message to such a receive may wait until it is received (MPI_Ssend), before sending what another one is
 * to get. So where a receive is waited for, and does not come, those that are held get messages that no known receive is to
 * get. Only where one thread at a time calls MPI. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ORDER_HELD_H
#define HYB_PMPI_ADAPTER_ORDER_HELD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "pmpi/adapter/order/posts.h"

/* It is posted later; it belongs to nobody else until then. */
void hyb_held_add(struct hyb_order_shadow *shadow);
/* All of them are posted now, if they were not yet. */
void hyb_held_release(void);
/* Before MPI waits for all of these requests: until they are complete, or nothing is held any more. */
void hyb_held_await(int count, const MPI_Request *requests);
/* The same before a receive or probe that names both. */
void hyb_held_await_message(int source, int tag, MPI_Comm comm);
/* Posts what a shadow is about, from the source and with the tag that are given; MPI's result. */
int hyb_shadow_post(struct hyb_order_shadow *shadow, int source, int tag, MPI_Comm comm);
/* The shadow of a receive, with a copy of a type that the program may free. NULL: there is no memory. */
struct hyb_order_shadow *hyb_shadow_make(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
					 MPI_Comm comm);
/* A request that stands in for one is no longer needed. */
void hyb_held_end(MPI_Request stand_in, struct hyb_order_shadow *shadow);

extern struct hyb_order_shadow *hyb_held;

static inline bool hyb_held_any(void)
{
	return __builtin_expect(hyb_held != NULL, 0);
}

/* Whether it is under way for the program, and not posted. */
static inline bool hyb_post_is_held(const struct hyb_order_post *post)
{
	return post->shadow && post->active && post->shadow->posted == MPI_REQUEST_NULL;
}

#endif
