/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of nodes, set against each other by what was paired; see node-times.h. */
#include <errno.h>
#include <stdlib.h>

#include "merge/clock/saturate.h"
#include "merge/merge.h"

/* Of each node with members of an operation. */
struct room {
	struct hyb_member *members;
	size_t *place; /* of a node's member, SIZE_MAX: it has none */
};

/* One time through all that was paired. */
struct look {
	struct hyb_merge *m;
	struct room room;
	int64_t least; /* that a message takes between nodes */
	bool final;    /* times are made final before they are looked at */
	struct hyb_final *finals;
	struct hyb_violations seen;
	uint64_t too_soon; /* ends on one node that are less than that after their begins on others */
	int (*tell)(struct look *l, const struct hyb_member *m, size_t count);
};

bool hyb_nodes_several(const struct hyb_merge *m)
{
	for (size_t i = 1; i < m->model.process_count; i++)
		if (m->model.processes[i].clock != m->model.processes[0].clock)
			return true;
	return false;
}

void hyb_nodes_free(struct hyb_nodes *n)
{
	hyb_offsets_free(n->offsets);
	hyb_order_free(n->order);
	free(n->of_track);
}

static uint32_t node_of(const struct look *l, const struct hyb_pair_half *half)
{
	return l->m->nodes.of_track[half->track];
}

static int64_t time_of(struct look *l, const struct hyb_pair_half *half, int64_t time)
{
	return l->final ? hyb_final_time(&l->finals[node_of(l, half)], time) : time;
}

static void count(struct look *l, int64_t begin, int64_t end)
{
	l->seen.all++;
	if (end >= begin)
		return;
	l->seen.early++;
	if (hyb_sat_sub(begin, end) > l->seen.worst)
		l->seen.worst = hyb_sat_sub(begin, end);
}

/* Ends that come less than the least latency after a begin on another node. */
static void count_soon(struct look *l, const struct hyb_member *m, size_t count)
{
	const struct hyb_member *last = NULL;
	int64_t second = INT64_MIN, begin;

	for (size_t i = 0; i < count; i++) {
		if (!m[i].gives)
			continue;
		if (!last || m[i].begin > last->begin) {
			second = last ? last->begin : second;
			last = &m[i];
		} else if (m[i].begin > second) {
			second = m[i].begin;
		}
	}
	for (size_t i = 0; last && i < count; i++) {
		begin = last == &m[i] ? second : last->begin;
		l->too_soon += m[i].takes && begin != INT64_MIN && m[i].end < hyb_sat_add(begin, l->least);
	}
}

static int tell(struct look *l, const struct hyb_member *m, size_t count)
{
	if (count < 2)
		return 0;
	count_soon(l, m, count);
	return l->tell ? l->tell(l, m, count) : 0;
}

static int see_message(void *arg, const struct hyb_pair_half *send, const struct hyb_pair_half *receive)
{
	struct look *l = arg;
	const struct hyb_member m[2] = {
		{ .node = node_of(l, send), .gives = true, .begin = time_of(l, send, send->begin) },
		{ .node = node_of(l, receive), .takes = true, .end = time_of(l, receive, receive->end) },
	};

	count(l, m[0].begin, m[1].end);
	return m[0].node == m[1].node ? 0 : tell(l, m, 2);
}

/* One more call of an operation. */
static void add_call(struct look *l, const struct hyb_pair_half *call, size_t *nodes)
{
	uint32_t node = node_of(l, call);
	int64_t begin = time_of(l, call, call->begin), end = time_of(l, call, call->end);
	struct hyb_member *m;

	if (l->room.place[node] == SIZE_MAX) {
		l->room.place[node] = *nodes;
		l->room.members[(*nodes)++] = (struct hyb_member){ .node = node };
	}
	m = &l->room.members[l->room.place[node]];
	if (call->flow & HYB_PAIR_GIVES && (!m->gives || begin > m->begin)) {
		m->gives = true;
		m->begin = begin;
	}
	if (call->flow & HYB_PAIR_TAKES && (!m->takes || end < m->end)) {
		m->takes = true;
		m->end = end;
	}
}

/* Members that end before another one that gives has begun. */
static void count_calls(struct look *l, const struct hyb_pair_half *calls, size_t n)
{
	const struct hyb_pair_half *last = NULL, *second = NULL, *giver;
	int64_t begin, last_begin = INT64_MIN, second_begin = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (!(calls[i].flow & HYB_PAIR_GIVES))
			continue;
		begin = time_of(l, &calls[i], calls[i].begin);
		if (!last || begin > last_begin) {
			second = last;
			second_begin = last_begin;
			last = &calls[i];
			last_begin = begin;
		} else if (!second || begin > second_begin) {
			second = &calls[i];
			second_begin = begin;
		}
	}
	for (size_t i = 0; i < n; i++) {
		giver = last == &calls[i] ? second : last;
		if (giver && calls[i].flow & HYB_PAIR_TAKES)
			count(l, giver == last ? last_begin : second_begin, time_of(l, &calls[i], calls[i].end));
	}
}

static int see_operation(void *arg, const struct hyb_pair_half *calls, size_t n)
{
	struct look *l = arg;
	size_t nodes = 0;

	count_calls(l, calls, n);
	for (size_t i = 0; i < n; i++)
		add_call(l, &calls[i], &nodes);
	for (size_t i = 0; i < nodes; i++)
		l->room.place[l->room.members[i].node] = SIZE_MAX;
	return tell(l, l->room.members, nodes);
}

typedef int (*hyb_teller)(struct look *l, const struct hyb_member *m, size_t count);

/* Goes through all that was paired, tells of what is between nodes, and counts. */
static int look(struct look *l, hyb_teller teller)
{
	const struct hyb_pair_visitor v = { see_message, see_operation, l };

	for (uint32_t i = 0; l->final && i < l->m->nodes.count; i++)
		l->finals[i] = hyb_nodes_final(&l->m->nodes, i);
	l->seen = (struct hyb_violations){ 0 };
	l->too_soon = 0;
	l->tell = teller;
	return hyb_pairs_each(&l->m->pairs, &v);
}

static int tell_offsets(struct look *l, const struct hyb_member *m, size_t count)
{
	return hyb_offsets_operation(l->m->nodes.offsets, m, count);
}

static int tell_order(struct look *l, const struct hyb_member *m, size_t count)
{
	return hyb_order_add(l->m->nodes.order, m, count);
}

/* Round trips that were measured are messages as any other. */
static int tell_syncs(struct hyb_merge *m)
{
	const struct hyb_model *model = &m->model;
	int ret = 0;

	for (size_t i = 0; !ret && i < model->sync_count; i++) {
		const struct hyb_model_sync *s = &model->syncs[i];
		uint32_t from = model->rank_process[s->from], to = model->rank_process[s->to];
		uint32_t a, b;
		int64_t there;

		if (to == UINT32_MAX || from == UINT32_MAX)
			continue;
		a = (uint32_t)model->processes[from].clock;
		b = (uint32_t)model->processes[to].clock;
		there = hyb_clock_ns(hyb_clocks_get(model->clocks, b), s->def.there);
		ret = hyb_offsets_message(m->nodes.offsets, a,
					  hyb_clock_ns(hyb_clocks_get(model->clocks, a), s->def.out), b, there);
		if (!ret)
			ret = hyb_offsets_message(m->nodes.offsets, b, there, a,
						  hyb_clock_ns(hyb_clocks_get(model->clocks, a), s->def.back));
	}
	return ret;
}

/* Which node each thread is on, and what the nodes' system clocks said. */
static int begin(struct hyb_merge *m, struct look *l)
{
	struct hyb_nodes *n = &m->nodes;
	size_t nodes = hyb_clocks_count(m->model.clocks);
	int ret;

	n->of_track = calloc(m->model.track_count + 1, sizeof(*n->of_track));
	l->finals = calloc(nodes, sizeof(*l->finals));
	l->room.members = calloc(nodes, sizeof(*l->room.members));
	l->room.place = calloc(nodes, sizeof(*l->room.place));
	if (!n->of_track || !l->finals || !l->room.members || !l->room.place)
		return -ENOMEM;
	ret = hyb_offsets_new((uint32_t)nodes, &n->offsets);
	if (ret)
		return ret;
	for (size_t i = 0; i < nodes; i++)
		l->room.place[i] = SIZE_MAX;
	for (size_t i = 0; i < m->model.process_count; i++)
		for (size_t t = 0; t < m->model.processes[i].thread_count; t++)
			n->of_track[m->model.processes[i].first_track + t] = (uint32_t)m->model.processes[i].clock;
	for (size_t i = 0; i < nodes; i++) {
		const struct hyb_clock *clock = hyb_clocks_get(m->model.clocks, i);
		const struct hyb_def_clock *tuples;
		size_t count;

		tuples = hyb_clocks_tuples(m->model.clocks, i, &count);
		for (size_t t = 0; t < count; t++) {
			int64_t at = hyb_clock_ns(clock, tuples[t].counter);

			hyb_offsets_realtime(n->offsets, (uint32_t)i, at,
					     hyb_sat_sub((int64_t)tuples[t].realtime, at), HYB_REALTIME_ERROR);
		}
	}
	return 0;
}

/* The order of what offsets have not put in order. */
static int move(struct look *l)
{
	struct hyb_nodes *n = &l->m->nodes;
	struct hyb_order *order;
	int ret = hyb_order_new(n->count, l->least, l->m->output.tmp, &order);

	if (ret)
		return ret;
	n->order = order;
	/* Until it is solved, it moves nothing. */
	ret = look(l, tell_order);
	return ret ? ret : hyb_order_solve(order);
}

void hyb_nodes_make_final(struct hyb_merge *m)
{
	for (size_t i = 0; i < m->model.process_count; i++) {
		struct hyb_model_process *p = &m->model.processes[i];
		struct hyb_final f = hyb_nodes_final(&m->nodes, (size_t)p->clock);
		struct hyb_merge_process *s = hyb_merge_of(m, p);

		p->first = hyb_final_time(&f, p->first);
		p->last = hyb_final_time(&f, p->last);
		p->seen = hyb_final_time(&f, p->seen);
		for (size_t t = 0; t < p->thread_count; t++) {
			p->threads[t].begun = hyb_final_time(&f, p->threads[t].begun);
			p->threads[t].first = hyb_final_time(&f, p->threads[t].first);
			p->threads[t].last = hyb_final_time(&f, p->threads[t].last);
			p->threads[t].since = hyb_final_time(&f, p->threads[t].since);
		}
		for (size_t k = 0; k < s->handed_count; k++)
			s->handed_list[k].time = hyb_final_time(&f, s->handed_list[k].time);
	}
	for (size_t i = 0; i < m->model.node_count; i++) {
		struct hyb_final f = hyb_nodes_final(&m->nodes, (size_t)m->model.nodes[i].clock);

		m->model.nodes[i].from = hyb_final_time(&f, m->model.nodes[i].from);
		m->model.nodes[i].until = hyb_final_time(&f, m->model.nodes[i].until);
	}
}

static int find(struct hyb_merge *m, struct look *l)
{
	struct hyb_nodes *n = &m->nodes;
	const struct hyb_offsets_totals *totals;
	int ret = begin(m, l);

	if (!ret)
		ret = tell_syncs(m);
	if (!ret)
		ret = look(l, tell_offsets);
	if (!ret)
		ret = hyb_offsets_solve(n->offsets);
	if (ret)
		return ret;
	n->before = l->seen;
	n->count = (uint32_t)hyb_clocks_count(m->model.clocks);
	totals = hyb_offsets_totals(n->offsets);
	/* Nobody knows how a round trip divides. Half of the half is less than any direction takes, but for the oddest. */
	l->least = totals->round_trip == INT64_MAX ? 0 : totals->round_trip / 4;
	l->final = true;
	ret = look(l, NULL);
	if (!ret && l->too_soon) {
		ret = move(l);
		if (!ret)
			ret = look(l, NULL);
	}
	n->after = l->seen;
	return ret;
}

int hyb_nodes_find(struct hyb_merge *m)
{
	struct look l = { .m = m };
	int ret = find(m, &l);

	free(l.finals);
	free(l.room.members);
	free(l.room.place);
	if (!ret)
		hyb_nodes_make_final(m);
	return ret;
}

int64_t hyb_nodes_track_time(const void *merge, uint32_t track, int64_t time)
{
	const struct hyb_nodes *n = &((const struct hyb_merge *)merge)->nodes;
	struct hyb_final f;

	if (!n->count)
		return time;
	f = hyb_nodes_final(n, n->of_track[track]);
	return hyb_final_time(&f, time);
}

void hyb_nodes_find_span(struct hyb_merge *m)
{
	const struct hyb_model_process *p;
	bool any = false;
	size_t i;

	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (!p->timed)
			continue;
		m->model.first = any && m->model.first < p->first ? m->model.first : p->first;
		m->model.last = any && m->model.last > p->last ? m->model.last : p->last;
		any = true;
	}
	m->model.timed = any;
}
