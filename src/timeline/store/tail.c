/* SPDX-License-Identifier: BSD-3-Clause */
/* See tail.h. */
#include "timeline/store/tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/store/collect.h"

#define OVERVIEWS_MOST (UINT64_C(64) << 20) /* bytes; tracks beyond that have none until all is read again */
#define SLACK	       2000u /* nobody sees half a pixel */

struct hyb_view_held {
	uint64_t count; /* of the track's records */
	size_t segment_count;
	uint32_t deepest;
	uint32_t class;
	uint64_t begin;
	uint64_t last;
	bool begun;
	bool paused;
	uint64_t passed[HYB_VIEW_CLASSES];
	struct hyb_view_segment segment; /* that was begun, and what is in it */
	uint32_t fill;
	struct hyb_view_record *records;
	uint32_t *details;
	uint32_t left_count;
	uint64_t *left; /* of struct hyb_view_outer */
	size_t depth;
	struct hyb_collect_frame *stack;
	struct hyb_overview *overview; /* its first columns; NULL: there is none */
};

static void free_held(struct hyb_view_held *h)
{
	if (!h)
		return;
	free(h->records);
	free(h->details);
	free(h->left);
	free(h->stack);
	free(h->overview);
	free(h);
}

static void free_list(struct hyb_view_held **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free_held(list[i]);
	free(list);
}

struct hyb_view_tail *hyb_view_tail_new(void)
{
	struct hyb_view_tail *t = calloc(1, sizeof(*t));

	if (t)
		t->slack = SLACK;
	return t;
}

void hyb_view_tail_free(struct hyb_view_tail *t)
{
	if (!t)
		return;
	free_list(t->now, t->count);
	free_list(t->next, t->next_count);
	free(t);
}

void hyb_view_tail_turn(struct hyb_view_tail *t)
{
	free_list(t->now, t->count);
	t->now = t->next;
	t->count = t->next_count;
	t->next = NULL;
	t->next_count = 0;
	t->bytes = 0;
}

/* A copy of `count` things, of nothing, too. NULL without memory. */
static void *copy(const void *what, size_t count, size_t size)
{
	void *made = malloc(count ? count * size : 1);

	if (made && count)
		memcpy(made, what, count * size);
	return made;
}

static size_t overview_size(const struct hyb_overview *o)
{
	return offsetof(struct hyb_overview, columns) + o->used * sizeof(*o->columns);
}

static bool copy_arrays(struct hyb_view_held *h, const struct hyb_collect_track *t)
{
	h->records = copy(t->records, t->fill, sizeof(*t->records));
	h->details = copy(t->details, t->fill, sizeof(*t->details));
	h->left = copy(t->outer.left, h->left_count, sizeof(*t->outer.left));
	h->stack = copy(t->stack, t->depth, sizeof(*t->stack));
	return h->records && h->details && h->left && h->stack;
}

static struct hyb_view_held *make(const struct hyb_collect_track *t)
{
	struct hyb_view_held *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->count = t->own.count;
	h->segment_count = t->own.segment_count;
	h->deepest = t->own.depth;
	h->class = t->class;
	h->begin = t->own.begin;
	h->last = t->last;
	h->begun = t->begun;
	h->paused = t->paused;
	memcpy(h->passed, t->passed, sizeof(h->passed));
	h->segment = t->segment;
	h->fill = t->fill;
	h->left_count = t->fill ? t->outer.count : 0;
	h->depth = t->depth;
	if (copy_arrays(h, t))
		return h;
	free_held(h);
	return NULL;
}

/* The list has a place for that track. */
static bool reach(struct hyb_view_tail *t, size_t index)
{
	struct hyb_view_held **grown;

	if (index < t->next_count)
		return true;
	grown = realloc(t->next, (index + 1) * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + t->next_count, 0, (index + 1 - t->next_count) * sizeof(*grown));
	t->next = grown;
	t->next_count = index + 1;
	return true;
}

/* What is held of the track from the run before, if nothing has come since. */
static struct hyb_view_held *take_quiet(struct hyb_view_tail *t, const struct hyb_collect_track *track)
{
	const size_t i = track->own.track.index;
	struct hyb_view_held *h = track->sink->before && i < t->count ? t->now[i] : NULL;

	if (!h || h->count != track->own.count || h->depth != track->depth || h->last != track->last || !track->goes_on)
		return NULL;
	t->now[i] = NULL;
	return h;
}

int hyb_view_tail_hold(struct hyb_view_tail *t, struct hyb_collect_track *track, bool end)
{
	struct hyb_view_held *h = end ? take_quiet(t, track) : NULL;
	const size_t index = track->own.track.index;
	const bool quiet = h;
	size_t size = track->overview ? overview_size(track->overview) : 0;
	bool there;

	h = h ? h : make(track);
	if (!h)
		return -ENOMEM;
	pthread_mutex_lock(&track->sink->lock);
	there = reach(t, index);
	if (there) {
		/* It went on after all. */
		if (t->next[index] && t->next[index]->overview)
			t->bytes -= overview_size(t->next[index]->overview);
		free_held(t->next[index]);
		t->next[index] = h;
	}
	size = t->bytes + size <= OVERVIEWS_MOST ? size : 0;
	t->bytes += size;
	pthread_mutex_unlock(&track->sink->lock);
	track->quiet = quiet && there;
	if (!there) {
		free_held(h);
		return -ENOMEM;
	}
	if (size && !h->overview)
		h->overview = copy(track->overview, 1, size);
	return 0;
}

bool hyb_view_tail_is_quiet(const struct hyb_collect_track *track, uint64_t time)
{
	const struct hyb_view_store *before = track->sink->before;
	const uint64_t slack = track->sink->tail->slack;
	const uint64_t end = before->tracks[track->own.track.index].end;

	return time <= end + (slack ? before->length / slack : 0);
}

void hyb_view_tail_spend(struct hyb_view_tail *t, const struct hyb_view_track *track, bool rest)
{
	uint64_t bytes = rest ? track->segments[track->segment_count - 1].size : 0;

	for (uint32_t i = 0; i < track->whole.parts; i++)
		bytes += track->whole.size[i];
	__atomic_fetch_add(&t->waste, bytes, __ATOMIC_RELAXED);
}

static bool is_open(const struct hyb_view_held *h, uint64_t record)
{
	for (size_t i = 0; i < h->depth; i++)
		if (h->stack[i].record == record)
			return true;
	return false;
}

/* Those that were left; not such as were closed since the recording ended there. */
static bool copy_late(struct hyb_collect_track *t, const struct hyb_view_held *h, const struct hyb_view_track *before)
{
	t->own.late = copy(before->late, before->late_count, sizeof(*before->late));
	t->late_room = before->late_count;
	if (!t->own.late)
		return false;
	t->own.late_count = 0;
	for (size_t i = 0; i < before->late_count; i++)
		if (!is_open(h, before->late[i].record))
			t->own.late[t->own.late_count++] = before->late[i];
	return true;
}

static int go_on(const struct hyb_view_held *h, const struct hyb_view_track *before, struct hyb_collect_track *t)
{
	t->own.segments = copy(before->segments, h->segment_count, sizeof(*before->segments));
	t->own.segment_count = t->segment_room = h->segment_count;
	t->stack = copy(h->stack, h->depth, sizeof(*h->stack));
	t->depth = t->room = h->depth;
	if (!t->own.segments || !t->stack || !copy_late(t, h, before))
		return -ENOMEM;
	t->own.count = h->count;
	t->own.depth = h->deepest;
	t->own.begin = h->begin;
	t->class = h->class;
	t->last = h->last;
	t->begun = h->begun;
	t->paused = h->paused;
	memcpy(t->passed, h->passed, sizeof(t->passed));
	t->segment = h->segment;
	t->fill = h->fill;
	memcpy(t->records, h->records, h->fill * sizeof(*h->records));
	memcpy(t->details, h->details, h->fill * sizeof(*h->details));
	t->outer.count = h->left_count;
	memcpy(t->outer.left, h->left, h->left_count * sizeof(*h->left));
	if (t->overview && h->overview)
		memcpy(t->overview, h->overview, overview_size(h->overview));
	else if (h->begun)
		t->overview = NULL;
	t->goes_on = true;
	return 0;
}

int hyb_view_tail_go_on(const struct hyb_view_tail *t, const struct hyb_view_store *before,
			struct hyb_collect_track *track)
{
	const size_t i = track->own.track.index;
	const struct hyb_view_held *h = i < t->count ? t->now[i] : NULL;
	struct hyb_view_track *own = &track->own;
	const struct hyb_track is = own->track;
	int ret;

	if (i >= before->track_count || !before->tracks[i].segments)
		return 0;
	if (h)
		return go_on(h, &before->tracks[i], track);
	ret = hyb_view_tail_copy(&before->tracks[i], own);
	own->track = is;
	track->copied = !ret;
	return ret;
}

int hyb_view_tail_copy(const struct hyb_view_track *before, struct hyb_view_track *track)
{
	struct hyb_view_segment *segments = copy(before->segments, before->segment_count + 1, sizeof(*segments));
	struct hyb_view_late *late = copy(before->late, before->late_count, sizeof(*late));

	if (!segments || !late) {
		free(segments);
		free(late);
		return -ENOMEM;
	}
	*track = *before;
	track->segments = segments;
	track->late = late;
	return 0;
}

static int copy_curves(const struct hyb_view_store *before, struct hyb_view_store *s)
{
	s->curves = calloc(before->curve_count + 1, sizeof(*s->curves));
	if (!s->curves)
		return -ENOMEM;
	s->curve_room = before->curve_count;
	for (; s->curve_count < before->curve_count; s->curve_count++) {
		const struct hyb_view_curve *from = &before->curves[s->curve_count];
		struct hyb_view_curve *to = &s->curves[s->curve_count];

		*to = *from;
		to->stretches = copy(from->stretches, from->stretches ? from->count + 1 : 0, sizeof(*to->stretches));
		to->name = strdup(from->name ? from->name : "");
		to->unit = strdup(from->unit ? from->unit : "");
		if (!to->stretches || !to->name || !to->unit) {
			s->curve_count++;
			return -ENOMEM;
		}
	}
	return 0;
}

int hyb_view_tail_copy_rest(const struct hyb_view_store *before, struct hyb_view_store *s)
{
	const struct hyb_view_detail *detail;
	struct hyb_view_detail *made;

	/* The first says nothing; a store that has been begun has it already. */
	for (uint32_t i = s->details.count; i < before->details.count; i++) {
		detail = hyb_table_at(&before->details, i);
		made = hyb_table_add(&s->details, hyb_hash_bytes(detail, sizeof(*detail)));
		if (!made)
			return -ENOMEM;
		*made = *detail;
	}
	s->batches.list = copy(before->batches.list, before->batches.count, sizeof(*s->batches.list));
	s->batches.count = s->batches.room = before->batches.count;
	s->message_count = before->message_count;
	if (!s->batches.list) {
		s->batches.count = 0;
		return -ENOMEM;
	}
	return copy_curves(before, s);
}
