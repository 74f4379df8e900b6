/* SPDX-License-Identifier: BSD-3-Clause */
/* The event graph, written as it is told, so that it never lies in memory; see graph.h. */
#include "export/json/graph.h"

#include <errno.h>
#include <inttypes.h>

#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

struct document {
	FILE *to;
	bool edges; /* nodes are all written */
	bool more;
};

static int begin(void *state)
{
	struct document *d = state;

	fprintf(d->to, "{\"hybmon_graph\": %d, \"nodes\": [", VERSION);
	return 0;
}

/* An element of a list, which is given back. */
static int put(struct document *d, json_t *value)
{
	const char *between = d->more ? ",\n" : "\n";

	if (!value)
		return -ENOMEM;
	d->more = true;
	fputs(between, d->to);
	json_dumpf(value, d->to, JSON_ENSURE_ASCII | JSON_COMPACT);
	json_decref(value);
	return 0;
}

static int node(void *state, const struct hyb_graph_node *n)
{
	const bool message = n->item && n->item->what <= HYB_RACE_RECEIVE;

	return put(state, json_pack("{so,ss,so,so,so*,so*,so*,so*,so*,so*,so*}", "id", number(n->id), "kind", n->kind, "function",
				    text(n->function), "time", json_integer((json_int_t)n->time), "rank", number_if(n->item, n->rank),
				    "thread", number_if(n->item, n->thread), "place", text_if(n->item && n->place, n->place), "peer",
				    number_if(message, message ? n->item->peer : 0), "tag", number_if(message, message ? n->item->tag : 0),
				    "comm", number_if(message, message ? n->item->comm : 0), "any_source",
				    message && n->item->what == HYB_RACE_RECEIVE ? json_boolean(n->item->any_source) : NULL));
}

static int edge(void *state, uint64_t from, uint64_t to, enum hyb_graph_edge_kind kind)
{
	struct document *d = state;

	if (!d->edges) {
		fputs("\n], \"edges\": [", d->to);
		d->edges = true;
		d->more = false;
	}
	return put(d, json_pack("{so,so,ss}", "from", number(from), "to", number(to), "order", hyb_graph_edge_names[kind]));
}

static int end(void *state)
{
	struct document *d = state;

	fprintf(d->to, "%s\n]}\n", d->edges ? "" : "\n], \"edges\": [");
	return 0;
}

int hyb_json_graph(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to)
{
	static const struct hyb_graph_writer writer = { begin, node, edge, end };
	struct document document = { .to = to };

	return hyb_graph_tell(r, wish, &writer, &document);
}
