/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the shape of communicators. As stable as the other lines. */
#include <stdio.h>
#include <string.h>

#include "export/text/print.h"

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

bool print_topology_def(const struct print_process *p, const struct hyb_event *e)
{
	static const char *const kinds[] = { "?", "cart", "graph", "dist-graph" };
	const struct hyb_comm *comm = p->defs ? hyb_defs_comm(p->defs, e->id) : NULL;
	const struct hyb_topology *t = comm ? &comm->topology : NULL;
	struct hyb_def_topology def;

	if (e->type != HYB_DEF_TOPOLOGY || e->count <= sizeof(def) / 8)
		return false;
	memcpy(&def, e->words + 1, sizeof(def));
	fputs(" topology ", stdout);
	print_put_comm(p, e->id);
	if (def.kind >= sizeof(kinds) / sizeof(kinds[0]))
		printf(" kind=%u", def.kind);
	else
		printf(" kind=%s", kinds[def.kind]);
	if (def.first || !t || !hyb_topology_whole(t)) {
		/* a later piece of what was shown whole, or a piece without the others */
		printf(" first=%u count=%u", def.first, def.count);
		return true;
	}
	if (def.kind == HYB_TOPOLOGY_CART) {
		print_cart(t);
	} else if (def.kind == HYB_TOPOLOGY_GRAPH) {
		printf(" nodes=%u edges=%u", def.nodes, def.edges);
		put_list("neighbours", t->list, def.out);
	} else {
		print_dist_graph(t);
	}
	return true;
}
