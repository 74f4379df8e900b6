/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapes of communicators. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/model/comm.h"

int hyb_comms_add_shape(struct hyb_gcomm *g, const struct hyb_topology *t)
{
	uint64_t nodes = 1;
	uint32_t i;

	if (g->dims || t->def.kind != HYB_TOPOLOGY_CART || !hyb_topology_whole(t) || !t->def.in ||
	    t->def.in > HYB_SHAPE_DIMS)
		return 0;
	for (i = 0; i < t->def.in && nodes <= g->size; i++)
		nodes *= t->list[i];
	if (nodes != g->size)
		return 0;
	g->extents = malloc(2 * (size_t)t->def.in * sizeof(*g->extents));
	if (!g->extents)
		return -ENOMEM;
	memcpy(g->extents, t->list, 2 * (size_t)t->def.in * sizeof(*g->extents));
	g->dims = t->def.in;
	return 0;
}
