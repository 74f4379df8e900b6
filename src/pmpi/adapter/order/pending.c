/* SPDX-License-Identifier: BSD-3-Clause */
/* See pending.h. */
#include "pmpi/adapter/order/pending.h"

_Static_assert(sizeof(((MPI_Status *)NULL)->MPI_SOURCE) == 4 && sizeof(((MPI_Status *)NULL)->MPI_TAG) == 4,
	       "as readers take them");

/* Word by word, as MPI has just written it: what is read at once from several stores has to wait for them. */
static void copy(MPI_Status *to, const MPI_Status *from)
{
	const volatile uint32_t *word = (const volatile uint32_t *)from;
	uint32_t *its = (uint32_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*its); i++)
		its[i] = word[i];
}

void hyb_pending_give(const struct hyb_order_pending *area, MPI_Status *program, int statuses)
{
	const MPI_Status *filled = (const MPI_Status *)(const void *)area->statuses;

	for (int i = 0; i < statuses; i++) {
		const int source = program[i].MPI_SOURCE;

		copy(&program[i], &filled[i]);
		/* MPI has left it alone. */
		if (filled[i].MPI_SOURCE == HYB_ORDER_PENDING_NONE)
			program[i].MPI_SOURCE = source;
	}
}
