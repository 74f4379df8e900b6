/* SPDX-License-Identifier: BSD-3-Clause */
/* The event graph as DOT and GraphML; see graph.h. */
#include <inttypes.h>
#include <string.h>

#include "analysis/graph/graph.h"
#include "reader/streams/printable.h"

struct text {
	FILE *to;
	uint64_t edges;
	uint32_t rank; /* whose nodes are written */
	bool open;
};

/* In quotes of DOT. */
static void put_dot(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		putc((unsigned char)*text < ' ' ? '?' : *text, to);
	}
}

static void put_xml(FILE *to, const char *text)
{
	for (; *text; text++) {
		const char *as = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;

		if (as)
			fputs(as, to);
		else
			putc((unsigned char)*text < ' ' ? '?' : *text, to);
	}
}

static int begin_dot(void *state)
{
	struct text *t = state;

	fputs("digraph run {\n\trankdir=LR; node [shape=box, fontsize=10]; edge [fontsize=9];\n", t->to);
	return 0;
}

static int node_dot(void *state, const struct hyb_graph_node *node)
{
	struct text *t = state;

	if (!node->item) {
		fprintf(t->to, "\tn%" PRIu64 " [shape=ellipse, label=\"%s\"];\n", node->id, node->function);
		return 0;
	}
	fprintf(t->to, "\tn%" PRIu64 " [group=r%" PRIu32 "_%" PRIu32 ", label=\"%" PRIu32 ": ", node->id, node->rank, node->thread,
		node->rank);
	put_dot(t->to, node->function);
	fprintf(t->to, "%s", node->item->what == HYB_RACE_JOIN_END ? " end" : "");
	if (node->item->what <= HYB_RACE_RECEIVE)
		fprintf(t->to, "\\n%s %" PRIu32 ", tag %" PRIu32, node->item->what == HYB_RACE_SEND ? "to" : "from", node->item->peer,
			node->item->tag);
	if (node->place) {
		fputs("\\n", t->to);
		put_dot(t->to, node->place);
	}
	fprintf(t->to, "\"%s];\n", node->item->any_source ? ", style=bold" : "");
	return 0;
}

static int edge_dot(void *state, uint64_t from, uint64_t to, enum hyb_graph_edge_kind kind)
{
	static const char *const styles[] = {
		[HYB_GRAPH_NEXT] = "weight=10", [HYB_GRAPH_MESSAGE] = "color=blue", [HYB_GRAPH_JOIN] = "color=gray",
		[HYB_GRAPH_RACE] = "color=red, style=dashed, constraint=false",
	};
	struct text *t = state;

	fprintf(t->to, "\tn%" PRIu64 " -> n%" PRIu64 " [%s];\n", from, to, styles[kind]);
	return 0;
}

static int end_dot(void *state)
{
	struct text *t = state;

	fputs("}\n", t->to);
	return 0;
}

int hyb_graph_dot(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to)
{
	static const struct hyb_graph_writer writer = { begin_dot, node_dot, edge_dot, end_dot };
	struct text text = { .to = to };

	return hyb_graph_tell(r, wish, &writer, &text);
}

static int begin_ml(void *state)
{
	static const char *const keys[][3] = {
		{ "rank", "node", "int" }, { "thread", "node", "int" }, { "kind", "node", "string" }, { "function", "node", "string" },
		{ "place", "node", "string" }, { "time", "node", "long" }, { "peer", "node", "int" }, { "tag", "node", "int" },
		{ "comm", "node", "int" }, { "any_source", "node", "boolean" }, { "order", "edge", "string" },
	};
	struct text *t = state;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n", t->to);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		fprintf(t->to, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i][0], keys[i][1], keys[i][0],
			keys[i][2]);
	fputs("<graph id=\"run\" edgedefault=\"directed\">\n", t->to);
	return 0;
}

static void data(FILE *to, const char *key, const char *value)
{
	fprintf(to, "<data key=\"%s\">", key);
	put_xml(to, value);
	fputs("</data>", to);
}

static void data_number(FILE *to, const char *key, int64_t value)
{
	fprintf(to, "<data key=\"%s\">%" PRId64 "</data>", key, value);
}

static int node_ml(void *state, const struct hyb_graph_node *node)
{
	struct text *t = state;

	fprintf(t->to, "<node id=\"n%" PRIu64 "\">", node->id);
	data(t->to, "kind", node->kind);
	data(t->to, "function", node->function);
	data_number(t->to, "time", node->time);
	if (node->item) {
		data_number(t->to, "rank", node->rank);
		data_number(t->to, "thread", node->thread);
		if (node->place)
			data(t->to, "place", node->place);
	}
	if (node->item && node->item->what <= HYB_RACE_RECEIVE) {
		data_number(t->to, "peer", node->item->peer);
		data_number(t->to, "tag", node->item->tag);
		data_number(t->to, "comm", node->item->comm);
	}
	if (node->item && node->item->what == HYB_RACE_RECEIVE)
		data(t->to, "any_source", node->item->any_source ? "true" : "false");
	fputs("</node>\n", t->to);
	return 0;
}

static int edge_ml(void *state, uint64_t from, uint64_t to, enum hyb_graph_edge_kind kind)
{
	struct text *t = state;

	fprintf(t->to, "<edge id=\"e%" PRIu64 "\" source=\"n%" PRIu64 "\" target=\"n%" PRIu64 "\">", t->edges++, from, to);
	data(t->to, "order", hyb_graph_edge_names[kind]);
	fputs("</edge>\n", t->to);
	return 0;
}

static int end_ml(void *state)
{
	struct text *t = state;

	fputs("</graph>\n</graphml>\n", t->to);
	return 0;
}

int hyb_graph_ml(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to)
{
	static const struct hyb_graph_writer writer = { begin_ml, node_ml, edge_ml, end_ml };
	struct text text = { .to = to };

	return hyb_graph_tell(r, wish, &writer, &text);
}
