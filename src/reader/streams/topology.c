/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a communicator; see topology.h. */
#include "reader/streams/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t length_of(const struct hyb_def_topology *def)
{
	uint64_t in = def->in, out = def->out;

	switch (def->kind) {
	case HYB_TOPOLOGY_CART:
		return 3 * in;
	case HYB_TOPOLOGY_GRAPH:
		return out;
	case HYB_TOPOLOGY_DIST_GRAPH:
		return (in + out) * (def->weighted ? 2 : 1);
	}
	return UINT64_MAX;
}

bool hyb_topology_whole(const struct hyb_topology *t)
{
	return t->def.kind && t->count == length_of(&t->def);
}

int hyb_topology_add(struct hyb_topology *t, const struct hyb_event *e)
{
	const uint32_t list_at = 1 + sizeof(t->def) / 8;
	struct hyb_def_topology def;
	uint32_t *grown;
	uint64_t upto;

	if (e->count < list_at)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	upto = (uint64_t)def.first + def.count;
	/* A list is written front to back: what would leave a hole follows a piece that was lost. */
	if (def.count > (e->count - list_at) * 2 || upto > length_of(&def) || upto > UINT32_MAX ||
	    def.first != t->count || (t->def.kind && def.kind != t->def.kind))
		return -EBADMSG;
	grown = realloc(t->list, (upto ? upto : 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->list = grown;
	if (def.count)
		memcpy(t->list + def.first, e->words + list_at, def.count * sizeof(*grown));
	t->count = (uint32_t)upto;
	if (!t->def.kind)
		t->def = def;
	return 0;
}

void hyb_topology_free(struct hyb_topology *t)
{
	free(t->list);
}
