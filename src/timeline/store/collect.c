/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink that fills the store: a track has a buffer of one segment, which is packed and goes to the file when it is full. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "merge/sink/sink.h"
#include "timeline/store/class.h"
#include "timeline/store/collect.h"
#include "timeline/store/detail.h"
#include "timeline/store/io.h"
#include "timeline/store/pack.h"
#include "timeline/store/read.h"

/* Of what was not read in between two samples: slices that show what it may be, a few of each class in so many blocks */
#define BLOCKS_MOST   160u
#define BLOCKS_OF_ALL 100000u
#define LONG_TRACK    16u /* segments: to unpack them takes longer than the track as a whole */

struct hyb_view_sink {
	struct hyb_sink_ops ops;
	struct hyb_view_store *store;
	uint32_t wanted;
	struct hyb_view_tail *tail;
	const struct hyb_view_store *before;
};

/* As it is now, before the record that comes. */
static struct hyb_view_segment segment_here(const struct hyb_collect_track *t)
{
	struct hyb_view_segment s = { .time = t->last, .last = t->last, .class = t->class };

	s.open = t->depth ? t->stack[t->depth - 1].record + 1 : 0;
	memcpy(s.passed, t->passed, sizeof(s.passed));
	return s;
}

static int add_segment(struct hyb_collect_track *t, const struct hyb_view_segment *s)
{
	struct hyb_view_segment *grown;

	grown = hyb_array_room(t->own.segments, &t->segment_room, t->own.segment_count,
			       sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->own.segments = grown;
	grown[t->own.segment_count++] = *s;
	return 0;
}

static int write_segment(struct hyb_collect_track *t)
{
	const uint64_t first = t->own.count - t->fill;
	struct hyb_view_segment *s = &t->segment;
	const void *bytes;
	size_t open = t->depth;
	int err;

	while (open && t->stack[open - 1].record >= first)
		open--;
	t->outer.open = open ? t->stack[open - 1].record + 1 : 0;
	s->count = t->fill;
	s->last = t->last;
	err = hyb_view_pack(t->packer, s, t->records, t->details, &t->outer, &bytes, &s->size);
	if (err)
		return err;
	s->offset = hyb_collect_space(t->sink->store, s->size);
	err = hyb_view_write_at(t->sink->store->fd, bytes, s->size, s->offset);
	t->fill = 0;
	return err ? err : add_segment(t, s);
}

static void pass(struct hyb_collect_track *t, uint64_t time)
{
	if (t->overview)
		hyb_overview_pass(t->overview, t->class, t->last, time);
	t->passed[t->class] += time - t->last;
	t->last = time;
}

static int add(struct hyb_collect_track *t, enum hyb_view_form form, uint32_t id, uint64_t extent,
	       uint32_t detail)
{
	int err;

	if (t->fill == HYB_VIEW_SEGMENT) {
		err = write_segment(t);
		if (err)
			return err;
	}
	if (!t->fill) {
		t->segment = segment_here(t);
		t->outer.count = 0;
	}
	t->records[t->fill] = (struct hyb_view_record){
		.time = t->last,
		.what = (uint32_t)form << HYB_VIEW_FORM_SHIFT | id,
		.extent = extent > UINT32_MAX ? 0 : (uint32_t)extent,
	};
	t->details[t->fill++] = detail;
	t->own.count++;
	if (t->overview)
		hyb_overview_record(t->overview, t->last);
	return 0;
}

/* After it, the track is in that class. */
static void set_class(struct hyb_collect_track *t, uint32_t class)
{
	struct hyb_view_record *r = &t->records[t->fill - 1];

	t->class = t->paused ? HYB_VIEW_UNKNOWN : class;
	r->what |= t->class << HYB_VIEW_CLASS_SHIFT;
}

static uint32_t class_of_stack(const struct hyb_collect_track *t)
{
	return t->depth ? t->stack[t->depth - 1].class : HYB_VIEW_NONE;
}

static uint32_t detail_of(struct hyb_collect_track *t, const struct hyb_merge_event *e, uint32_t detail)
{
	return e->attribute_count ? hyb_view_detail_of(t->sink->store, &t->sink->lock, e, detail) : detail;
}

static int enter(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	struct hyb_collect_frame *grown = hyb_array_room(t->stack, &t->room, t->depth, sizeof(*grown));
	uint32_t class = hyb_view_class_of(t->sink->m, e->region), detail = detail_of(t, e, 0);
	int err;

	if (!grown)
		return -ENOMEM;
	t->stack = grown;
	err = add(t, HYB_VIEW_ENTER, e->region->id & HYB_VIEW_ID_MASK, 0, detail);
	if (err)
		return err;
	grown[t->depth++] = (struct hyb_collect_frame){ t->own.count - 1, class, detail };
	if (t->depth > t->own.depth)
		t->own.depth = (uint32_t)t->depth;
	set_class(t, class);
	return 0;
}

/* Of a record that may be packed already. */
static int set_extent(struct hyb_collect_track *t, uint64_t record, uint64_t extent, uint32_t detail)
{
	const uint32_t value = extent > UINT32_MAX ? 0 : (uint32_t)extent;
	const uint64_t first = t->own.count - t->fill;
	struct hyb_view_late *grown;

	if (record >= first) {
		t->details[record - first] = detail;
		return 0;
	}
	grown = hyb_array_room(t->own.late, &t->late_room, t->own.late_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->own.late = grown;
	grown[t->own.late_count++] = (struct hyb_view_late){ record, value, detail };
	return 0;
}

static int leave(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	struct hyb_view_record *r = t->fill ? &t->records[t->fill - 1] : NULL;
	uint64_t entered;
	uint32_t detail;
	int err;

	if (!t->depth)
		return 0;
	entered = t->stack[t->depth - 1].record;
	if (r && entered == t->own.count - 1 && t->last - r->time <= UINT32_MAX && !t->paused) {
		r->what &= ~(3u << HYB_VIEW_FORM_SHIFT);
		r->extent = (uint32_t)(t->last - r->time);
		t->details[t->fill - 1] = detail_of(t, e, t->details[t->fill - 1]);
		t->depth--;
		t->class = class_of_stack(t);
		return 0;
	}
	detail = detail_of(t, e, t->stack[t->depth - 1].detail);
	err = add(t, HYB_VIEW_LEAVE, e->region->id & HYB_VIEW_ID_MASK, 0, 0);
	if (!err)
		err = set_extent(t, entered, t->own.count - 1 - entered, detail);
	if (err)
		return err;
	if (entered < t->own.count - t->fill)
		t->outer.left[t->outer.count++] = entered;
	/* Only now: a block that begins with this record has the region among those that are open. */
	t->depth--;
	set_class(t, class_of_stack(t));
	return 0;
}

/* ns of slices of a class, from where the track is now. */
static int add_estimate(struct hyb_collect_track *t, uint32_t class, uint64_t ns)
{
	const uint32_t id = t->sink->m->skipped->id & HYB_VIEW_ID_MASK;
	int err = 0;

	for (uint64_t part; !err && ns; ns -= part) {
		part = ns < UINT32_MAX ? ns : UINT32_MAX;
		err = add(t, HYB_VIEW_SLICE, id, part, 0);
		if (err)
			break;
		t->records[t->fill - 1].what |= class << HYB_VIEW_CLASS_SHIFT;
		t->passed[class] += part;
		t->last += part;
	}
	return err;
}

/* What was not read is taken to be as the sample before it, the first one of a time has all classes in turn. */
static int estimate(struct hyb_collect_track *t, uint64_t until)
{
	const uint64_t from = t->last, tracks = t->sink->m->model.track_count;
	const uint64_t blocks = tracks * BLOCKS_MOST < BLOCKS_OF_ALL ? BLOCKS_MOST : BLOCKS_OF_ALL / tracks + 1;
	double ratio[HYB_VIEW_CLASSES], whole = 0;
	int err = 0;

	for (int k = 0; k < HYB_VIEW_CLASSES; k++)
		whole += ratio[k] = (double)(t->passed[k] - t->before[k]);
	for (uint64_t b = 1; !err && whole > 0 && b <= blocks && until > from; b++) {
		const uint64_t end = from + (uint64_t)((double)(until - from) * (double)b / (double)blocks);
		const uint64_t ns = end > t->last ? end - t->last : 0;

		for (uint32_t k = 0; !err && k < HYB_VIEW_CLASSES; k++)
			if (k != HYB_VIEW_NONE)
				err = add_estimate(t, k, (uint64_t)((double)ns * ratio[k] / whole));
		if (end > t->last)
			pass(t, end);
	}
	if (until > t->last)
		pass(t, until);
	memcpy(t->before, t->passed, sizeof(t->before));
	return err;
}

static int point(struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	int err = add(t, HYB_VIEW_POINT, (uint32_t)e->kind, 0, detail_of(t, e, 0));

	if (err)
		return err;
	t->paused = e->kind == HYB_KIND_OFF || (e->kind != HYB_KIND_ON && t->paused);
	set_class(t, class_of_stack(t));
	return 0;
}

static uint64_t time_of(const struct hyb_collect_track *t, const struct hyb_merge_event *e)
{
	int64_t since = hyb_ns_sub(e->time, t->sink->m->start);

	return since > 0 ? (uint64_t)since : 0;
}

/* Of a run that is to find nothing else. */
static int on_message(void *state, const struct hyb_merge_event *e)
{
	struct hyb_collect_track *t = state;
	uint64_t time = time_of(t, e);

	t->last = time > t->last ? time : t->last;
	return hyb_collect_line(t, e);
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct hyb_collect_track *t = state;
	uint64_t time = time_of(t, e);

	if (__builtin_expect(t->copied, 0))
		return 0;
	if (__builtin_expect(t->quiet, 0)) {
		t->quiet = hyb_view_tail_is_quiet(t, time);
		if (t->quiet)
			return 0;
	}
	if (!t->begun)
		t->own.begin = t->last = time;
	t->begun = true;
	if (__builtin_expect(e->region == t->sink->m->skipped, 0) && e->kind == HYB_KIND_LEAVE)
		return estimate(t, time);
	if (time > t->last)
		pass(t, time);
	if (__builtin_expect(e->region == t->sink->m->skipped, 0) && e->kind == HYB_KIND_ENTER)
		return 0;
	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(t, e);
	case HYB_KIND_LEAVE:
		return leave(t, e);
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
	case HYB_KIND_COLLECTIVE_END:
	case HYB_KIND_COLLECTIVE_COMPLETE:
		return hyb_collect_line(t, e);
	case HYB_KIND_METRIC:
		/* Between samples nothing is known of them. */
		return t->sink->thin ? 0 : hyb_collect_counters(t, e);
	case HYB_KIND_OFF:
	case HYB_KIND_ON:
	case HYB_KIND_PROGRAM_BEGIN:
	case HYB_KIND_PROGRAM_END:
	case HYB_KIND_REQUEST_CANCELLED:
	case HYB_KIND_TASK_CREATE:
	case HYB_KIND_LOCK_ACQUIRED:
	case HYB_KIND_LOCK_RELEASED:
		return point(t, e);
	default:
		return 0;
	}
}

/* But what the store takes. */
static void free_track(struct hyb_collect_track *t)
{
	hyb_collect_give_tools(t->sink, t->tools);
	free(t->messages);
	free(t->stack);
	free(t);
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct hyb_collect_track *t = malloc(sizeof(*t));
	int ret;

	*state = t;
	if (!t)
		return -ENOMEM;
	memset(t, 0, offsetof(struct hyb_collect_track, outer));
	t->sink = s;
	t->own.track = *track;
	t->tools = hyb_collect_take_tools(s);
	if (!t->tools) {
		free(t);
		*state = NULL;
		return -ENOMEM;
	}
	t->packer = t->tools->packer;
	if (!s->thin && s->wanted & HYB_VIEW_RECORDS) {
		t->overview = &t->tools->overview;
		hyb_overview_begin(t->overview);
	}
	ret = s->before ? hyb_view_tail_go_on(s->tail, s->before, t) : 0;
	if (!ret)
		return 0;
	free(t->own.segments);
	free(t->own.late);
	free_track(t);
	*state = NULL;
	return ret;
}

static int hold_track(void *state, bool end)
{
	struct hyb_collect_track *t = state;

	return t->sink->tail && !t->copied ? hyb_view_tail_hold(t->sink->tail, t, end) : 0;
}

/* The track as a whole, if that is less than to unpack all of it. */
static int write_overview(struct hyb_collect_track *t)
{
	struct hyb_overview *o = t->overview;
	struct hyb_view_whole *w = &t->own.whole;
	const void *bytes;
	int err = 0;

	if (!o || t->own.segment_count < LONG_TRACK)
		return 0;
	w->level = o->level;
	w->parts = (o->used + HYB_VIEW_PART - 1) / HYB_VIEW_PART;
	memset(&o->columns[o->used], 0, (w->parts * HYB_VIEW_PART - o->used) * sizeof(*o->columns));
	for (uint32_t i = 0; !err && i < w->parts; i++) {
		err = hyb_view_pack_sums(t->packer, &o->columns[i * HYB_VIEW_PART], &bytes, &w->size[i]);
		if (err)
			break;
		w->offset[i] = hyb_collect_space(t->sink->store, w->size[i]);
		err = hyb_view_write_at(t->sink->store->fd, bytes, w->size[i], w->offset[i]);
	}
	return err;
}

static int compare_late(const void *a, const void *b)
{
	const struct hyb_view_late *x = a, *y = b;

	return (x->record > y->record) - (x->record < y->record);
}

/* What the track has not written so far, and its end. */
static int end_track(struct hyb_collect_track *t)
{
	struct hyb_view_segment end;
	const bool rest = t->fill;
	int err = rest ? write_segment(t) : 0;

	if (!err)
		err = write_overview(t);
	/* Where the track goes on, it is written again. */
	if (!err && t->sink->tail)
		hyb_view_tail_spend(t->sink->tail, &t->own, rest);
	if (!err)
		err = hyb_collect_write_lines(t);
	end = segment_here(t);
	if (!err)
		err = add_segment(t, &end);
	if (!err)
		t->own.segment_count--;
	if (t->own.late_count)
		qsort(t->own.late, t->own.late_count, sizeof(*t->own.late), compare_late);
	t->own.end = t->last;
	return err;
}

/* In the store's list; no more than it. */
static int list_track(struct hyb_view_store *s, const struct hyb_view_track *own)
{
	const size_t count = own->track.index + 1;
	struct hyb_view_track *grown;

	if (count > s->track_count) {
		grown = realloc(s->tracks, count * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		memset(grown + s->track_count, 0, (count - s->track_count) * sizeof(*grown));
		s->tracks = grown;
		s->track_count = count;
	}
	s->tracks[count - 1] = *own;
	if (own->end > s->length)
		s->length = own->end;
	return 0;
}

/* A track to which nothing happened is as it was. */
static int stay(struct hyb_collect_track *t)
{
	const struct hyb_track is = t->own.track;
	struct hyb_view_track was = t->own;
	int err = hyb_view_tail_copy(&t->sink->before->tracks[is.index], &t->own);

	if (err)
		return err;
	free(was.segments);
	free(was.late);
	t->own.track = is;
	return 0;
}

static int close_track(void *state, uint64_t *events)
{
	struct hyb_collect_track *t = state;
	const bool listed = t->sink->wanted & HYB_VIEW_RECORDS;
	int err = 0, curves, ret = 0;

	if (t->quiet)
		err = stay(t);
	else if (!t->copied)
		err = listed ? end_track(t) : hyb_collect_write_lines(t);
	curves = hyb_collect_end_counters(t);
	err = err ? err : curves;
	*events = t->own.count;
	pthread_mutex_lock(&t->sink->lock);
	if (listed)
		ret = list_track(t->sink->store, &t->own);
	pthread_mutex_unlock(&t->sink->lock);
	if (ret || !listed) {
		free(t->own.segments);
		free(t->own.late);
	}
	free_track(t);
	return err ? err : ret;
}

static void free_sink(struct hyb_sink *s)
{
	if (!s)
		return;
	hyb_collect_free_tools(s);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	const char *own = (const char *)ops - offsetof(struct hyb_view_sink, ops);
	const struct hyb_view_sink *run = (const struct hyb_view_sink *)own;
	struct hyb_sink *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return -ENOMEM;
	s->store = run->store;
	s->store->merge = m;
	s->m = m;
	s->wanted = run->wanted;
	s->thin = hyb_merge_thin(m);
	s->tail = m->model.track_count <= HYB_VIEW_HELD ? run->tail : NULL;
	s->before = run->before;
	pthread_mutex_init(&s->lock, NULL);
	ret = hyb_view_details_begin(s->store);
	if (!ret && s->before)
		ret = hyb_view_tail_copy_rest(s->before, s->store);
	*sink = ret ? NULL : s;
	if (ret)
		free_sink(s);
	return ret;
}

/* CPUs are as they were. */
static int end(struct hyb_sink *s)
{
	struct hyb_view_track own;
	int err = 0;

	for (size_t i = 0; !err && s->before && i < s->before->track_count; i++) {
		if (!s->before->tracks[i].segments || (i < s->store->track_count && s->store->tracks[i].segments))
			continue;
		err = hyb_view_tail_copy(&s->before->tracks[i], &own);
		if (err)
			break;
		err = list_track(s->store, &own);
		if (err) {
			free(own.segments);
			free(own.late);
		}
	}
	return err;
}

void hyb_view_sink_goes_on(struct hyb_view_sink *sink, struct hyb_view_tail *tail, const struct hyb_view_store *before)
{
	sink->tail = tail;
	sink->before = before;
}

const struct hyb_sink_ops *hyb_view_sink(struct hyb_view_store *s, int fd, uint64_t size,
					 uint32_t wanted, struct hyb_view_sink **sink)
{
	static const char *const parts[] = { NULL };
	struct hyb_view_sink *run = calloc(1, sizeof(*run));

	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->size = size;
	s->pairing = !(wanted & HYB_VIEW_MESSAGES);
	*sink = run;
	if (!run)
		return NULL;
	run->store = s;
	run->wanted = wanted;
	run->ops =
		(struct hyb_sink_ops){ .name = "view",
				       .parts = parts,
				       .begin = begin,
				       .open = open_track,
				       .needs = wanted & HYB_VIEW_MESSAGES ? HYB_NEED_PAIRS : 0,
				       .event = wanted & HYB_VIEW_RECORDS ? on_event : on_message,
				       .hold = hold_track,
				       .close = close_track,
				       .end = end,
				       .free = free_sink };
	return &run->ops;
}

void hyb_view_sink_free(struct hyb_view_sink *sink)
{
	free(sink);
}
