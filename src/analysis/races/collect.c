/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink of races.h: what threads did that others take part in, and what each receive had named. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "merge/sink/sink.h"
#include "analysis/races/races.h"
#include "analysis/replay/replay.h"

#define NO_SITE UINT32_MAX

struct request {
	uint64_t number;
	bool collective;
	uint64_t posted;
	uint64_t open;
	uint32_t region;
	bool any_source;
	bool any_tag;
	int64_t source; /* that it names, if it does; otherwise negative */
	size_t begin; /* of a collective operation: its item */
};

struct hyb_sink {
	struct hyb_races *races;
	pthread_mutex_t lock; /* of the sites */
};

struct track {
	struct hyb_sink *sink;
	struct hyb_race_track *to;
	const struct hyb_model_process *process;
	struct hyb_replay_order order; /* of the main thread */
	struct hyb_replay_calls *calls; /* NULL: it is not known what receives named */
	struct hyb_table requests;
	const char *function;
	bool receives; /* the function does */
	uint32_t site;
	uint64_t posted;
	uint64_t opened; /* HYB_RACES_UNKNOWN: persistent ones are among them */
	/* The receive that the thread posts now. */
	struct request now;
	uint64_t depth; /* of regions of MPI */
	bool paused;
};

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_races *r = ((struct hyb_sink *)ops->arg)->races;
	size_t tracks = 0;

	*sink = ops->arg;
	for (size_t i = 0; i < m->model.process_count; i++)
		tracks += m->model.processes[i].thread_count;
	r->tracks = calloc(tracks + 1, sizeof(*r->tracks));
	r->track_count = tracks;
	return r->tracks ? 0 : -ENOMEM;
}

/* What receives of the main thread named is in its order. */
static int begin_calls(struct track *t, const struct hyb_races *r)
{
	int err = hyb_replay_read_main(t->process->source, r->merge.options.diag, &t->order);

	if (err == -ENODATA)
		return 0;
	if (err)
		return err;
	t->calls = hyb_replay_calls_open(&t->order);
	return t->calls ? 0 : -ENOMEM;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct hyb_races *r = s->races;
	struct track *t;

	if (track->kind != HYB_TRACK_THREAD)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	*state = t;
	t->sink = s;
	t->to = &r->tracks[track->index];
	t->to->process = track->process;
	t->process = &r->merge.model.processes[track->process];
	t->site = NO_SITE;
	HYB_TABLE_KEYED(&t->requests, struct request, number);
	return track->thread ? 0 : begin_calls(t, r);
}

/* What is recorded is not what the order has: recording paused, or left functions out. From there on nothing is known. */
static void lose_calls(struct track *t)
{
	hyb_replay_calls_close(t->calls);
	t->calls = NULL;
	t->opened = HYB_RACES_UNKNOWN;
}

/* The next receive that the order's calls have, which is the one that is posted now. */
static int post(struct track *t)
{
	const char *function = "";
	struct hyb_replay_call call;
	enum hyb_replay_posts posts;
	int64_t source, tag;
	int ret;

	t->now = (struct request){ .posted = t->posted++, .open = HYB_RACES_UNKNOWN, .region = t->now.region,
				  .source = -1 };
	if (!t->calls)
		return 0;
	while ((ret = hyb_replay_calls_next(t->calls, &call)) > 0 &&
	       (posts = hyb_replay_call_posts(&call, &source, &tag, &function)) != HYB_REPLAY_POSTS_NOW) {
		/* How many open ones there are is not known once persistent ones are among them. */
		if (posts == HYB_REPLAY_POSTS_LATER && (source == HYB_REPLAY_ANY || tag == HYB_REPLAY_ANY))
			t->opened = HYB_RACES_UNKNOWN;
	}
	if (ret == -ENOMEM)
		return ret;
	if (ret <= 0 || strcmp(function, t->function) != 0) {
		lose_calls(t);
		return 0;
	}
	t->now.source = source;
	t->now.any_source = source == HYB_REPLAY_ANY;
	t->now.any_tag = tag == HYB_REPLAY_ANY;
	if ((t->now.any_source || (t->now.any_tag && source != HYB_REPLAY_NOBODY)) && t->opened != HYB_RACES_UNKNOWN)
		t->now.open = t->opened++;
	return 0;
}

/* The site of the call that the thread is in; NO_SITE: no memory. */
static uint32_t region_of(struct track *t)
{
	struct hyb_table *sites = &t->sink->races->sites;
	const struct hyb_race_site key = { .function = t->function, .text = t->site };
	const struct hyb_race_site *site;
	uint32_t index;

	pthread_mutex_lock(&t->sink->lock);
	site = hyb_table_get(sites, &key);
	index = site ? hyb_table_index(sites, site) : NO_SITE;
	pthread_mutex_unlock(&t->sink->lock);
	return index;
}

static struct hyb_race_item *add(struct track *t, enum hyb_race_what what, int64_t time)
{
	struct hyb_race_item *items = hyb_array_room(t->to->items, &t->to->room, t->to->count, sizeof(*items));

	if (!items)
		return NULL;
	t->to->items = items;
	items[t->to->count] = (struct hyb_race_item){ .what = (uint8_t)what, .time = time, .region = region_of(t) };
	return items[t->to->count].region == NO_SITE ? NULL : &items[t->to->count++];
}

static int enter(struct track *t, const struct hyb_merge_event *e)
{
	if (e->region->paradigm != HYB_PARADIGM_MPI)
		return 0;
	t->function = e->region->plain;
	t->receives = e->region->kind == HYB_REGION_RECEIVE;
	t->site = NO_SITE;
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		if (e->attributes[i].id == HYB_ATTRIBUTE_SITE)
			t->site = (uint32_t)e->attributes[i].value;
	}
	if (!t->receives)
		return 0;
	t->now.region = region_of(t);
	return t->now.region == NO_SITE ? -ENOMEM : post(t);
}

static struct request *find_request(struct track *t, uint64_t number, bool make)
{
	return make ? hyb_table_get(&t->requests, &number) : hyb_table_look(&t->requests, &number);
}

static int send(struct track *t, const struct hyb_merge_event *e)
{
	struct hyb_race_item *item = add(t, HYB_RACE_SEND, e->time);

	if (!item)
		return -ENOMEM;
	item->comm = e->message.comm;
	item->peer = e->message.peer;
	item->tag = e->message.tag;
	item->number = e->message.number;
	item->other = e->message.other_track;
	return 0;
}

static int receive(struct track *t, const struct hyb_merge_event *e)
{
	const struct request *request = e->message.request ? find_request(t, e->message.request, false) : &t->now;
	struct hyb_race_item *item = add(t, HYB_RACE_RECEIVE, e->time);

	if (!item)
		return -ENOMEM;
	item->comm = e->message.comm;
	item->peer = e->message.peer;
	item->tag = e->message.tag;
	item->number = e->message.number;
	item->other = e->message.other_track;
	item->open = HYB_RACES_UNKNOWN;
	if (!request || (e->message.request && request->collective)) {
		/* A persistent one, or another thread's: what it named is not known. */
		item->posted = t->posted;
		return 0;
	}
	item->posted = request->posted;
	item->region = request->region;
	if (request->source >= 0 && request->source != (int64_t)e->message.peer) {
		lose_calls(t);
		return 0;
	}
	item->any_source = request->any_source;
	item->any_tag = request->any_tag;
	item->open = request->open;
	return 0;
}

static int begin_request(struct track *t, const struct hyb_merge_event *e, bool collective)
{
	struct request *request;

	if (!collective && !t->receives)
		return 0;
	request = find_request(t, e->request, true);
	if (!request)
		return -ENOMEM;
	if (!collective) {
		*request = t->now;
		request->number = e->request;
		return 0;
	}
	*request = (struct request){ .number = e->request, .collective = true, .begin = t->to->count };
	return add(t, HYB_RACE_JOIN_BEGIN, e->time) ? 0 : -ENOMEM;
}

/* Whose data others wait for, and who waits. Of a scan, and of neighbours, each waits for some, which is left out. */
static void set_flow(struct hyb_race_item *item, const struct hyb_merge_event *e)
{
	const bool takes = e->collective.given != INT64_MIN;

	item->number = e->collective.alone ? 0 : e->collective.number;
	if (!hyb_coll_has_data(e->collective.op))
		return;
	switch (e->collective.op) {
	case HYB_COLL_SCAN:
	case HYB_COLL_EXSCAN:
	case HYB_COLL_NEIGHBOR_ALLGATHER:
	case HYB_COLL_NEIGHBOR_ALLGATHERV:
	case HYB_COLL_NEIGHBOR_ALLTOALL:
	case HYB_COLL_NEIGHBOR_ALLTOALLV:
	case HYB_COLL_NEIGHBOR_ALLTOALLW:
		break;
	case HYB_COLL_BCAST:
	case HYB_COLL_SCATTER:
	case HYB_COLL_SCATTERV:
	case HYB_COLL_GATHER:
	case HYB_COLL_GATHERV:
	case HYB_COLL_REDUCE:
		item->gives = !takes;
		item->takes = takes;
		break;
	default:
		item->gives = true;
		item->takes = takes;
	}
}

static int join(struct track *t, const struct hyb_merge_event *e, enum hyb_race_what what)
{
	struct hyb_race_item *item = add(t, what, e->time);

	if (!item)
		return -ENOMEM;
	set_flow(item, e);
	return 0;
}

static int complete_join(struct track *t, const struct hyb_merge_event *e)
{
	const struct request *request = find_request(t, e->collective.request, false);

	if (request && request->collective)
		set_flow(&t->to->items[request->begin], e);
	return join(t, e, HYB_RACE_JOIN_END);
}

static int event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;

	switch (e->kind) {
	case HYB_KIND_OFF:
		t->paused = true;
		lose_calls(t);
		return 0;
	case HYB_KIND_ENTER:
		return enter(t, e);
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
		return send(t, e);
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		return receive(t, e);
	case HYB_KIND_IRECV_REQUEST:
		return begin_request(t, e, false);
	case HYB_KIND_COLLECTIVE_REQUEST:
		return begin_request(t, e, true);
	case HYB_KIND_COLLECTIVE_BEGIN:
		return join(t, e, HYB_RACE_JOIN_BEGIN);
	case HYB_KIND_COLLECTIVE_END:
		return join(t, e, HYB_RACE_JOIN_END);
	case HYB_KIND_COLLECTIVE_COMPLETE:
		return complete_join(t, e);
	default:
		return 0;
	}
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;

	*events = t->to->count;
	if (t->paused)
		__atomic_fetch_add(&t->sink->races->paused, 1, __ATOMIC_RELAXED);
	else if (!t->calls && t->to->count)
		__atomic_fetch_add(&t->sink->races->unknown, 1, __ATOMIC_RELAXED);
	hyb_replay_calls_close(t->calls);
	hyb_replay_order_free(&t->order);
	hyb_table_free(&t->requests);
	free(t);
	return 0;
}

int hyb_races_collect(struct hyb_races *r, const struct hyb_races_options *options)
{
	const char *const dirs[] = { options->dir };
	struct hyb_sink sink = { .races = r };
	const struct hyb_sink_ops ops = {
		.name = "races", .needs = HYB_NEED_PAIRS, .arg = &sink, .begin = begin, .open = open_track, .event = event,
		.close = close_track,
	};
	const struct hyb_sink_ops *const sinks[] = { &ops };
	struct hyb_merge_options merge = {
		.dirs = dirs, .dir_count = 1, .out = options->place, .jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		.kernel = HYB_MERGE_KERNEL_NONE, .sinks = sinks, .sink_count = 1, .diag = options->diag, .stop = options->stop,
	};
	int err;

	HYB_TABLE_KEYED(&r->sites, struct hyb_race_site, text);
	pthread_mutex_init(&sink.lock, NULL);
	err = hyb_merge_run(&r->merge, &merge);
	pthread_mutex_destroy(&sink.lock);
	return err;
}

const char *hyb_races_place(const struct hyb_races *r, const struct hyb_race_site *s)
{
	return s->text == UINT32_MAX ? "a place that is not known" : hyb_names_text(&r->merge.model.names, s->text);
}
