/* SPDX-License-Identifier: BSD-3-Clause */
/* The event graph; see graph.h. Nodes are numbered by thread, and collective operations after them. */
#include "analysis/graph/graph.h"

#include <errno.h>
#include <stdlib.h>

const char *const hyb_graph_edge_names[] = {
	[HYB_GRAPH_NEXT] = "next", [HYB_GRAPH_MESSAGE] = "message", [HYB_GRAPH_JOIN] = "collective", [HYB_GRAPH_RACE] = "race",
};

#define NOWHERE UINT64_MAX

struct operation {
	uint64_t number;
	uint64_t id;
	int64_t time; /* of its last begin */
	size_t track; /* whose */
	const struct hyb_race_item *item;
};

struct teller {
	const struct hyb_races *r;
	const struct hyb_selection *selection;
	uint64_t *first; /* by track: its first node's number, chosen or not */
	struct hyb_table operations;
	uint64_t *sends; /* by message: its node, or NOWHERE */
	uint64_t highest;
};

static int64_t time_of(const struct hyb_races *r, const struct hyb_race_item *item)
{
	return item->time - r->merge.start;
}

static bool is_chosen(const struct teller *t, size_t track, const struct hyb_race_item *item)
{
	const int64_t time = time_of(t->r, item);

	return time >= t->selection->from && time <= t->selection->to &&
	       (!t->selection->rank_count || hyb_selection_has_rank(t->selection, hyb_races_rank(t->r, track)));
}

static bool is_join(const struct hyb_race_item *item)
{
	return item->what == HYB_RACE_JOIN_BEGIN || item->what == HYB_RACE_JOIN_END;
}

static struct operation *operation_of(struct teller *t, uint64_t number, bool make)
{
	const uint32_t before = t->operations.count;
	struct operation *o;

	if (!make)
		return hyb_table_look(&t->operations, &number);
	o = hyb_table_get(&t->operations, &number);
	if (t->operations.count > before)
		o->time = INT64_MIN;
	return o;
}

/* Numbers all nodes. 0 or -ENOMEM. */
static int number_nodes(struct teller *t)
{
	const struct hyb_races *r = t->r;
	uint64_t id = 0;

	for (size_t track = 0; track < r->track_count; track++) {
		t->first[track] = id;
		id += r->tracks[track].count;
		for (size_t i = 0; i < r->tracks[track].count; i++) {
			const struct hyb_race_item *item = &r->tracks[track].items[i];
			struct operation *o;

			if (item->what == HYB_RACE_SEND && item->number > t->highest)
				t->highest = item->number;
			if (!is_join(item) || !item->number || !is_chosen(t, track, item))
				continue;
			o = operation_of(t, item->number, true);
			if (!o)
				return -ENOMEM;
			if (item->what == HYB_RACE_JOIN_BEGIN && item->time > o->time) {
				o->time = item->time;
				o->track = track;
				o->item = item;
			}
		}
	}
	for (uint32_t i = 0; i < t->operations.count; i++)
		((struct operation *)hyb_table_at(&t->operations, i))->id = id + i;
	t->sends = malloc((t->highest + 1) * sizeof(*t->sends));
	if (!t->sends)
		return -ENOMEM;
	for (uint64_t i = 0; i <= t->highest; i++)
		t->sends[i] = NOWHERE;
	return 0;
}

static void name_node(const struct hyb_races *r, size_t track, const struct hyb_race_item *item, struct hyb_graph_node *node)
{
	const struct hyb_race_site *site = hyb_table_at(&r->sites, item->region);

	node->function = site->function;
	node->place = site->text == UINT32_MAX ? NULL : hyb_names_text(&r->merge.model.names, site->text);
	node->rank = hyb_races_process(r, track)->group;
	node->thread = hyb_races_process(r, track)->threads[track - hyb_races_process(r, track)->first_track].number;
}

static int tell_nodes(struct teller *t, const struct hyb_graph_writer *writer, void *state)
{
	static const char *const kinds[] = {
		[HYB_RACE_SEND] = "send", [HYB_RACE_RECEIVE] = "receive", [HYB_RACE_JOIN_BEGIN] = "begin", [HYB_RACE_JOIN_END] = "end",
	};
	int err = 0;

	for (size_t track = 0; track < t->r->track_count; track++) {
		for (size_t i = 0; i < t->r->tracks[track].count && !err; i++) {
			const struct hyb_race_item *item = &t->r->tracks[track].items[i];
			struct hyb_graph_node node = { .id = t->first[track] + i, .item = item, .kind = kinds[item->what] };

			if (!is_chosen(t, track, item))
				continue;
			if (item->what == HYB_RACE_SEND)
				t->sends[item->number] = node.id;
			node.time = time_of(t->r, item);
			name_node(t->r, track, item, &node);
			err = writer->node(state, &node);
		}
	}
	for (uint32_t i = 0; i < t->operations.count && !err; i++) {
		const struct operation *o = hyb_table_at(&t->operations, i);
		struct hyb_graph_node node = { .id = o->id, .kind = "operation", .time = o->time - t->r->merge.start };

		/* Of one of which no begin was chosen nothing more is known. */
		if (!o->item)
			continue;
		name_node(t->r, o->track, o->item, &node);
		err = writer->node(state, &node);
	}
	return err;
}

/* What leads to one node, or from it to an operation. */
static int tell_edges_of(struct teller *t, size_t track, size_t i, const struct hyb_graph_writer *writer, void *state)
{
	const struct hyb_race_item *item = &t->r->tracks[track].items[i];
	const uint64_t id = t->first[track] + i;
	const struct operation *o;

	if (item->what == HYB_RACE_RECEIVE && item->number && item->number <= t->highest && t->sends[item->number] != NOWHERE)
		return writer->edge(state, t->sends[item->number], id, HYB_GRAPH_MESSAGE);
	if (!is_join(item) || !item->number)
		return 0;
	o = operation_of(t, item->number, false);
	if (!o || !o->item)
		return 0;
	if (item->what == HYB_RACE_JOIN_BEGIN && item->gives)
		return writer->edge(state, id, o->id, HYB_GRAPH_JOIN);
	if (item->what == HYB_RACE_JOIN_END && item->takes)
		return writer->edge(state, o->id, id, HYB_GRAPH_JOIN);
	return 0;
}

static int tell_edges(struct teller *t, const struct hyb_graph_writer *writer, void *state)
{
	int err = 0;

	for (size_t track = 0; track < t->r->track_count; track++) {
		uint64_t last = NOWHERE;

		for (size_t i = 0; i < t->r->tracks[track].count && !err; i++) {
			if (!is_chosen(t, track, &t->r->tracks[track].items[i]))
				continue;
			if (last != NOWHERE)
				err = writer->edge(state, last, t->first[track] + i, HYB_GRAPH_NEXT);
			last = t->first[track] + i;
			if (!err)
				err = tell_edges_of(t, track, i, writer, state);
		}
	}
	for (size_t i = 0; i < t->r->count && !err; i++) {
		const struct hyb_race *race = &t->r->list[i];

		if (is_chosen(t, race->track, &t->r->tracks[race->track].items[race->receive]) &&
		    is_chosen(t, race->sender, &t->r->tracks[race->sender].items[race->send]))
			err = writer->edge(state, t->first[race->sender] + race->send, t->first[race->track] + race->receive,
					   HYB_GRAPH_RACE);
	}
	return err;
}

int hyb_graph_tell(const struct hyb_races *r, const struct hyb_graph_wish *wish, const struct hyb_graph_writer *writer, void *state)
{
	struct teller t = { .r = r, .selection = wish->selection };
	int err = -ENOMEM;

	HYB_TABLE_KEYED(&t.operations, struct operation, number);
	t.first = calloc(r->track_count + 1, sizeof(*t.first));
	if (t.first)
		err = number_nodes(&t);
	if (!err)
		err = writer->begin(state);
	if (!err)
		err = tell_nodes(&t, writer, state);
	if (!err)
		err = tell_edges(&t, writer, state);
	if (!err)
		err = writer->end(state);
	hyb_table_free(&t.operations);
	free(t.first);
	free(t.sends);
	return err;
}
