/* SPDX-License-Identifier: BSD-3-Clause */
/* See pending.h. */
#include "pmpi/adapter/order/pending.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(((MPI_Status *)NULL)->MPI_SOURCE) == 4 && sizeof(((MPI_Status *)NULL)->MPI_TAG) == 4,
	       "as readers take them");

MPI_Status *hyb_pending_begin(struct hyb_order_awaits *pending, struct hyb_order *order, int requests, int statuses,
			      MPI_Status *program)
{
	struct hyb_order_pending *area = hyb_order_pending(order);
	MPI_Status *filled;

	pending->area = NULL;
	/* One that is in use belongs to a call around this one, or to one that was left by a longjmp. */
	if (!area || area->way || requests > HYB_ORDER_PENDING_REQUESTS ||
	    (size_t)statuses * sizeof(MPI_Status) > HYB_ORDER_PENDING_STATUSES)
		return NULL;
	filled = (MPI_Status *)(void *)area->statuses;
	area->requests = (uint32_t)requests;
	area->status_size = sizeof(MPI_Status);
	area->source_at = offsetof(MPI_Status, MPI_SOURCE);
	area->tag_at = offsetof(MPI_Status, MPI_TAG);
	area->done = 0;
	area->nos = order->nos;
	memset(area->posts, 0, (size_t)requests * sizeof(area->posts[0]));
	for (int i = 0; i < statuses; i++) {
		if (program)
			filled[i] = program[i];
		filled[i].MPI_SOURCE = HYB_ORDER_PENDING_NONE;
	}
	*pending = (struct hyb_order_awaits){ .area = area, .program = program, .statuses = statuses };
	return filled;
}

/* Word by word, as MPI has just written it: what is read at once from several stores has to wait for them. */
static void copy(MPI_Status *to, const MPI_Status *from)
{
	const volatile uint32_t *word = (const volatile uint32_t *)from;
	uint32_t *its = (uint32_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*its); i++)
		its[i] = word[i];
}

void hyb_pending_over(struct hyb_order_awaits *pending)
{
	struct hyb_order_pending *area = pending->area;
	const MPI_Status *filled;

	if (!area)
		return;
	__atomic_store_n(&area->way, HYB_ORDER_PENDING_NOT, __ATOMIC_RELEASE);
	filled = (const MPI_Status *)(const void *)area->statuses;
	for (int i = 0; pending->program && i < pending->statuses; i++) {
		const int source = pending->program[i].MPI_SOURCE;

		copy(&pending->program[i], &filled[i]);
		/* MPI has left it alone. */
		if (filled[i].MPI_SOURCE == HYB_ORDER_PENDING_NONE)
			pending->program[i].MPI_SOURCE = source;
	}
}
