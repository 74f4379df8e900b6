/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of communicators. */
#include <stdio.h>

#include "export/text/names.h"

static void put_list(const char *key, const uint32_t *list, uint32_t count)
{
	printf(" %s=", key);
	if (!count)
		putchar('-');
	for (uint32_t i = 0; i < count; i++)
		printf("%s%d", i ? "," : "", (int)list[i]);
}

static void print_cart(const struct hyb_topology *t)
{
	const uint32_t dims = t->def.in;

	put_list("dims", t->list, dims);
	put_list("periodic", t->list + dims, dims);
	put_list("coords", t->list + 2 * dims, dims);
}

static void print_dist_graph(const struct hyb_topology *t)
{
	const uint32_t in = t->def.in, out = t->def.out;

	put_list("from", t->list, in);
	put_list("to", t->list + in, out);
	if (!t->def.weighted)
		return;
	put_list("weights-from", t->list + in + out, in);
	put_list("weights-to", t->list + 2 * in + out, out);
}

void print_put_shape(const struct print_process *p, uint64_t comm, const struct hyb_def_topology *def)
{
	const struct hyb_comm *c = p->defs ? hyb_defs_comm(p->defs, comm) : NULL;
	const struct hyb_topology *t = c ? &c->topology : NULL;

	if (def->first || !t || !hyb_topology_whole(t)) {
		/* a later piece of what was shown whole, or a piece without the others */
		printf(" first=%u count=%u", def->first, def->count);
		return;
	}
	if (def->kind == HYB_TOPOLOGY_CART) {
		print_cart(t);
	} else if (def->kind == HYB_TOPOLOGY_GRAPH) {
		printf(" nodes=%u edges=%u", def->nodes, def->edges);
		put_list("neighbours", t->list, def->out);
	} else {
		print_dist_graph(t);
	}
}
