/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event graph as a picture: a line for each thread, from left to right in the order of time. Events that stand close to
 * each other get the room that they need, so the picture is no scale of time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/races/graph.h"

#define LEFT 90
#define TOP 40
#define ROW 60
#define STEP 26

struct place {
	uint64_t id;
	int64_t time;
	uint32_t rank;
	uint32_t thread;
	uint32_t row;
	uint32_t column;
	const char *function;
	const char *where;
	char kind;
};

struct picture {
	FILE *to;
	struct place *places;
	size_t count;
	size_t room;
	uint32_t rows;
	uint32_t columns;
	uint32_t *by_id; /* + 1 */
	uint64_t ids;
};

static int begin(void *state)
{
	(void)state;
	return 0;
}

static int node(void *state, const struct hyb_graph_node *n)
{
	struct picture *p = state;

	if (p->count == p->room) {
		const size_t room = p->room * 2 + 64;
		struct place *places = realloc(p->places, room * sizeof(*places));

		if (!places)
			return -ENOMEM;
		p->places = places;
		p->room = room;
	}
	p->places[p->count++] = (struct place){
		.id = n->id, .time = n->time, .rank = n->rank, .thread = n->thread, .function = n->function, .where = n->place,
		.kind = n->item ? n->kind[0] : 'o',
	};
	if (n->id >= p->ids)
		p->ids = n->id + 1;
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	if (p->thread != q->thread)
		return p->thread < q->thread ? -1 : 1;
	return (p->id > q->id) - (p->id < q->id);
}

static int by_time(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return (p->id > q->id) - (p->id < q->id);
}

/* Rows by thread; columns by time, each event in one of its own. */
static int lay_out(struct picture *p)
{
	qsort(p->places, p->count, sizeof(*p->places), by_thread);
	for (size_t i = 0; i < p->count; i++) {
		p->rows += !i || p->places[i].rank != p->places[i - 1].rank || p->places[i].thread != p->places[i - 1].thread;
		p->places[i].row = p->rows - 1;
	}
	qsort(p->places, p->count, sizeof(*p->places), by_time);
	p->by_id = calloc(p->ids + 1, sizeof(*p->by_id));
	if (!p->by_id)
		return -ENOMEM;
	for (size_t i = 0; i < p->count; i++) {
		p->places[i].column = (uint32_t)i;
		p->by_id[p->places[i].id] = (uint32_t)i + 1;
	}
	p->columns = (uint32_t)p->count;
	return 0;
}

static int x_of(const struct place *place)
{
	return LEFT + (int)place->column * STEP;
}

static int y_of(const struct place *place)
{
	return TOP + (int)place->row * ROW;
}

static void put_text(FILE *to, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '&')
			fputs("&amp;", to);
		else
			putc((unsigned char)*text < ' ' ? '?' : *text, to);
	}
}

static void begin_picture(const struct picture *p)
{
	const int width = LEFT + (int)p->columns * STEP + 40;

	fprintf(p->to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<style>.l{stroke:#999}.m{stroke:#06c}.c{stroke:#aaa;stroke-dasharray:2 2}.r{stroke:#c00;stroke-dasharray:5 3}"
		".m,.c,.r{fill:none}.s{fill:#06c}.R{fill:#fff;stroke:#06c;stroke-width:2}.j{fill:#888}</style>\n"
		"<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
		"<path d=\"M0 0 8 4 0 8z\"/></marker></defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		width, TOP + (int)p->rows * ROW);
}

/* A line and a name for each thread. */
static void put_lines(const struct picture *p)
{
	bool *drawn = calloc(p->rows + 1, sizeof(*drawn));

	for (size_t i = 0; drawn && i < p->count; i++) {
		const struct place *place = &p->places[i];

		if (drawn[place->row])
			continue;
		drawn[place->row] = true;
		fprintf(p->to, "<text x=\"8\" y=\"%d\">rank %" PRIu32, y_of(place) + 4, place->rank);
		if (place->thread)
			fprintf(p->to, ".%" PRIu32, place->thread);
		fprintf(p->to, "</text><line class=\"l\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT - 10,
			LEFT + (int)p->columns * STEP, y_of(place), y_of(place));
	}
	free(drawn);
}

static int edge(void *state, uint64_t from, uint64_t to, enum hyb_graph_edge_kind kind)
{
	static const char classes[] = { [HYB_GRAPH_NEXT] = 'l', [HYB_GRAPH_MESSAGE] = 'm', [HYB_GRAPH_JOIN] = 'c', [HYB_GRAPH_RACE] = 'r' };
	struct picture *p = state;
	const struct place *a, *b;

	if (!p->by_id) {
		const int err = lay_out(p);

		if (err)
			return err;
		begin_picture(p);
		put_lines(p);
	}
	if (kind == HYB_GRAPH_NEXT || !p->by_id[from] || !p->by_id[to])
		return 0;
	a = &p->places[p->by_id[from] - 1];
	b = &p->places[p->by_id[to] - 1];
	fprintf(p->to, "<line class=\"%c\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"%s/>\n", classes[kind], x_of(a), y_of(a), x_of(b), y_of(b),
		kind == HYB_GRAPH_JOIN ? "" : " marker-end=\"url(#a)\"");
	return 0;
}

static int end(void *state)
{
	struct picture *p = state;

	for (size_t i = 0; p->by_id && i < p->count; i++) {
		const struct place *place = &p->places[i];

		fprintf(p->to, "<circle class=\"%c\" cx=\"%d\" cy=\"%d\" r=\"%d\"><title>rank %" PRIu32 ", ",
			place->kind == 's' ? 's' : place->kind == 'r' ? 'R' : 'j', x_of(place), y_of(place), place->kind == 'o' ? 3 : 6,
			place->rank);
		put_text(p->to, place->function);
		if (place->where) {
			fputs(", ", p->to);
			put_text(p->to, place->where);
		}
		fprintf(p->to, ", %.6f s</title></circle>\n", (double)place->time / 1e9);
	}
	fputs(p->by_id ? "</svg>\n" : "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n", p->to);
	return 0;
}

int hyb_graph_svg(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to)
{
	static const struct hyb_graph_writer writer = { begin, node, edge, end };
	struct picture p = { .to = to };
	const int err = hyb_graph_tell(r, wish, &writer, &p);

	free(p.places);
	free(p.by_id);
	return err;
}
