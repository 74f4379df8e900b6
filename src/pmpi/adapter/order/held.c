/* SPDX-License-Identifier: BSD-3-Clause */
/* See held.h. */
#include "pmpi/adapter/order/held.h"

#include <limits.h>

#include "pmpi/adapter/order/order.h"

/* In the order in which the program posted them. */
static struct hyb_order_shadow *held;
static struct hyb_order_shadow **held_end = &held;

void hyb_held_add(struct hyb_order_shadow *shadow)
{
	shadow->next = NULL;
	*held_end = shadow;
	held_end = &shadow->next;
}

void hyb_held_release(void)
{
	while (held) {
		struct hyb_order_shadow *shadow = held;

		held = shadow->next;
		hyb_shadow_post(shadow, shadow->source, shadow->tag, shadow->comm);
	}
	held_end = &held;
}

int hyb_shadow_post(struct hyb_order_shadow *shadow, int source, int tag, MPI_Comm comm)
{
#if MPI_VERSION >= 4
	if (shadow->count > INT_MAX)
		return PMPI_Irecv_c(shadow->buf, shadow->count, shadow->type, source, tag, comm, &shadow->posted);
#endif
	return PMPI_Irecv(shadow->buf, (int)shadow->count, shadow->type, source, tag, comm, &shadow->posted);
}

struct hyb_order_shadow *hyb_shadow_make(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm)
{
	struct hyb_order_shadow *shadow = hyb_shadow_new();
	int integers, addresses, types, combiner;

	if (!shadow)
		return NULL;
	*shadow = (struct hyb_order_shadow){
		.buf = buf, .count = count, .type = type, .source = source, .tag = tag, .comm = comm,
		.posted = MPI_REQUEST_NULL,
	};
	if (hyb_order_replays() && PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
	    combiner != MPI_COMBINER_NAMED)
		shadow->owns_type = PMPI_Type_dup(type, &shadow->type) == MPI_SUCCESS;
	return shadow;
}

void hyb_held_end(MPI_Request stand_in, struct hyb_order_shadow *shadow)
{
	if (stand_in != MPI_REQUEST_NULL) {
		PMPI_Cancel(&stand_in);
		PMPI_Request_free(&stand_in);
	}
	hyb_shadow_free(shadow);
}
