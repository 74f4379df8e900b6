/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink of traffic.h: each track has rows of its own, which join those of all when it is closed. */
#include "analysis/profile/traffic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/sort.h"
#include "merge/merge.h"
#include "merge/sink/sink.h"

struct track {
	struct hyb_traffic *traffic;
	uint32_t process;
	struct hyb_table rows;
	int64_t operation; /* when the collective operation under way began */
	bool in_operation;
	int64_t file;	  /* and the operation on a file, */
	uint64_t file_id; /* and which one it is */
	uint32_t file_what;
	bool on_file;
	uint64_t events;
};

/* The sink is the traffic itself. */
static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_traffic *traffic = ops->arg;

	traffic->model = &m->model;
	*sink = ops->arg;
	return 0;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct track *t;

	if (track->kind != HYB_TRACK_THREAD)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->traffic = (void *)s;
	t->process = (uint32_t)track->process;
	HYB_TABLE_KEYED(&t->rows, struct hyb_traffic_row, b);
	*state = t;
	return 0;
}

/* One more; ns < 0: nobody knows how long it took. */
static int count(struct track *t, enum hyb_traffic_kind kind, uint32_t a, uint32_t b, uint64_t bytes, int64_t ns)
{
	const struct hyb_traffic_row like = { .kind = kind, .a = a, .b = b };
	struct hyb_traffic_row *row = hyb_table_get(&t->rows, &like);

	if (!row)
		return -ENOMEM;
	row->count++;
	row->bytes += bytes;
	row->small += bytes < HYB_TRAFFIC_SMALL;
	if (ns < 0)
		return 0;
	row->timed++;
	row->timed_bytes += bytes;
	row->ns += ns;
	row->most = ns > row->most ? ns : row->most;
	return 0;
}

/* At its send; clocks of two nodes may disagree, by less than nothing it takes nothing. */
static int on_message(struct track *t, const struct hyb_merge_event *e)
{
	int64_t both = e->message.other_begin > e->time ? e->message.other_begin : e->time;
	int64_t transit = e->message.other_end > both ? e->message.other_end - both : 0;
	int err;

	if (!e->message.number)
		return count(t, HYB_TRAFFIC_UNPAIRED, 0, 0, e->message.bytes, -1);
	err = count(t, HYB_TRAFFIC_PAIR, t->process, t->traffic->model->process_of[e->message.other_track],
		    e->message.bytes, transit);
	return err ? err : count(t, HYB_TRAFFIC_SIZE, 0, hyb_traffic_class(e->message.bytes), e->message.bytes, transit);
}

static int on_collective(struct track *t, const struct hyb_merge_event *e)
{
	uint64_t sent = e->collective.sent, received = e->collective.received;
	bool timed = e->kind == HYB_KIND_COLLECTIVE_END && t->in_operation;

	t->in_operation = t->in_operation && e->kind != HYB_KIND_COLLECTIVE_END;
	if (!hyb_coll_has_data(e->collective.op))
		return 0;
	return count(t, HYB_TRAFFIC_COLLECTIVE, e->collective.op, hyb_traffic_class(sent > received ? sent : received),
		     sent + received, timed ? e->time - t->operation : -1);
}

/* What a later call ends is known by its flags. */
static int on_file(struct track *t, const struct hyb_merge_event *e)
{
	bool mine = t->on_file && t->file_id == e->io.id;
	uint32_t what = mine ? t->file_what : e->io.what == HYB_IO_DONE ? e->io.flags : e->io.what;

	if (mine)
		t->on_file = false;
	if (what != HYB_IO_READ && what != HYB_IO_WRITE)
		return 0;
	return count(t, what == HYB_IO_READ ? HYB_TRAFFIC_READ : HYB_TRAFFIC_WRITE,
		     hyb_files_handle(&t->traffic->model->files, e->io.handle)->file, 0, e->io.bytes,
		     mine ? e->time - t->file : -1);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;

	t->events++;
	switch (e->kind) {
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
		return on_message(t, e);
	case HYB_KIND_COLLECTIVE_BEGIN:
		t->in_operation = true;
		t->operation = e->time;
		return 0;
	case HYB_KIND_COLLECTIVE_END:
	case HYB_KIND_COLLECTIVE_COMPLETE:
		return on_collective(t, e);
	case HYB_KIND_IO_BEGIN:
		t->on_file = !e->io.begun;
		t->file = e->time;
		t->file_id = e->io.id;
		t->file_what = e->io.what;
		return 0;
	case HYB_KIND_IO_COMPLETE:
		return on_file(t, e);
	default:
		return 0;
	}
}

int hyb_traffic_add(struct hyb_traffic *traffic, const struct hyb_traffic_row *row)
{
	struct hyb_traffic_row *to = hyb_table_get(&traffic->rows, row);

	if (!to)
		return -ENOMEM;
	to->count += row->count;
	to->bytes += row->bytes;
	to->small += row->small;
	to->timed += row->timed;
	to->timed_bytes += row->timed_bytes;
	to->ns += row->ns;
	to->most = row->most > to->most ? row->most : to->most;
	return 0;
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	int err = 0;

	*events = t->events;
	pthread_mutex_lock(&t->traffic->lock);
	for (uint32_t i = 0; i < t->rows.count && !err; i++)
		err = hyb_traffic_add(t->traffic, hyb_table_at(&t->rows, i));
	pthread_mutex_unlock(&t->traffic->lock);
	hyb_table_free(&t->rows);
	free(t);
	return err;
}

void hyb_traffic_init(struct hyb_traffic *traffic)
{
	memset(traffic, 0, sizeof(*traffic));
	HYB_TABLE_KEYED(&traffic->rows, struct hyb_traffic_row, b);
	pthread_mutex_init(&traffic->lock, NULL);
	traffic->begun = true;
}

const struct hyb_sink_ops *hyb_traffic_sink(struct hyb_traffic *traffic)
{
	hyb_traffic_init(traffic);
	traffic->ops = (struct hyb_sink_ops){
		.name = "report", .needs = HYB_NEED_PAIRS, .arg = traffic, .begin = begin, .open = open_track,
		.event = on_event, .close = close_track,
	};
	return &traffic->ops;
}

void hyb_traffic_free(struct hyb_traffic *traffic)
{
	if (!traffic->begun)
		return;
	hyb_table_free(&traffic->rows);
	pthread_mutex_destroy(&traffic->lock);
	traffic->begun = false;
}

static int by_weight(const void *a, const void *b)
{
	const struct hyb_traffic_row *x = a, *y = b;

	HYB_SORT_BY(x->kind, y->kind);
	if (x->kind == HYB_TRAFFIC_SIZE)
		return x->b < y->b ? -1 : x->b > y->b;
	HYB_SORT_BY(y->bytes, x->bytes);
	HYB_SORT_BY(y->count, x->count);
	HYB_SORT_BY(x->a, y->a);
	HYB_SORT_BY(x->b, y->b);
	return 0;
}

void hyb_traffic_order(struct hyb_traffic *traffic)
{
	if (traffic->rows.count)
		qsort(traffic->rows.entries, traffic->rows.count, sizeof(struct hyb_traffic_row), by_weight);
}
