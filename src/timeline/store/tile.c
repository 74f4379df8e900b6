/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the store; see tile.h. */
#include "timeline/store/tile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "timeline/store/read.h"

#define BATCHES 256u /* of messages that are looked through for one picture */

int hyb_view_put(struct hyb_view_bytes *to, const void *data, size_t size)
{
	char *grown = hyb_array_hold(to->data, &to->room, to->size + size, 1);

	if (!grown)
		return -ENOMEM;
	to->data = grown;
	memcpy(grown + to->size, data, size);
	to->size += size;
	return 0;
}

uint32_t hyb_view_top_level(const struct hyb_view_store *s)
{
	uint32_t level = 0;

	while (level < HYB_VIEW_LEVEL_MAX && ((uint64_t)HYB_VIEW_COLUMNS << level) <= s->length)
		level++;
	return level;
}

int hyb_view_sums(const struct hyb_view_store *s, const uint32_t *tracks, size_t count,
		  uint64_t from, uint64_t until, struct hyb_view_bytes *to)
{
	uint64_t before[HYB_VIEW_CLASSES], after[HYB_VIEW_CLASSES];
	double sums[HYB_VIEW_CLASSES];
	struct hyb_view_reader reader;
	int err = 0, ret;

	hyb_view_reader_begin(&reader, s);
	for (size_t i = 0; !err && i < count; i++) {
		hyb_view_passed_at(&reader, &s->tracks[tracks[i]], from, before);
		hyb_view_passed_at(&reader, &s->tracks[tracks[i]], until, after);
		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			sums[k] = (double)(after[k] - before[k]);
		err = hyb_view_put(to, sums, sizeof(sums));
	}
	ret = hyb_view_reader_end(&reader);
	return err ? err : ret;
}

static int put_slice(struct hyb_view_reader *s, const struct hyb_view_track *t, uint64_t i,
		     size_t depth, struct hyb_view_bytes *to)
{
	const struct hyb_view_record *r = hyb_view_record_at(s, t, i);
	struct hyb_view_slice slice = { .begin = (double)r->time,
					.end = (double)r->time,
					.what = r->what,
					.detail = hyb_view_detail_at(s, t, i),
					.depth = (uint32_t)depth };

	if (hyb_view_form(r->what) == HYB_VIEW_SLICE)
		slice.end = (double)(r->time + r->extent);
	else if (hyb_view_form(r->what) == HYB_VIEW_ENTER)
		slice.end = r->extent ? (double)hyb_view_record_at(s, t, i + r->extent)->time : -1;
	return hyb_view_put(to, &slice, sizeof(slice));
}

/* Records first to last - 1, and what reaches into them. */
static int put_exact(struct hyb_view_reader *s, const struct hyb_view_track *t, uint64_t first,
		     uint64_t last, struct hyb_view_bytes *to)
{
	uint64_t *stack = calloc(t->depth + 2, sizeof(*stack)), i;
	size_t depth, k;
	int err = stack ? 0 : -ENOMEM;

	if (err)
		return err;
	depth = hyb_view_stack(s, t, first, stack);
	for (k = 0; !err && k < depth; k++)
		err = put_slice(s, t, stack[k], k, to);
	if (!err && first &&
	    hyb_view_form(hyb_view_record_at(s, t, first - 1)->what) == HYB_VIEW_SLICE)
		err = put_slice(s, t, first - 1, depth, to);
	for (i = first; !err && i < last; i++) {
		enum hyb_view_form form = hyb_view_form(hyb_view_record_at(s, t, i)->what);

		if (form == HYB_VIEW_LEAVE) {
			depth -= depth > 0;
			continue;
		}
		err = put_slice(s, t, i, depth, to);
		depth += form == HYB_VIEW_ENTER;
	}
	free(stack);
	return err;
}

/* In a file that is damaged it may be more than the width. */
static uint8_t share_of(uint64_t ns, uint64_t width)
{
	return ns < width ? (uint8_t)((double)ns * 255 / (double)width + 0.5) : UINT8_MAX;
}

static int put_columns(struct hyb_view_reader *s, const struct hyb_view_track *t, uint64_t begin,
		       uint32_t level, struct hyb_view_bytes *to)
{
	const uint64_t width = UINT64_C(1) << level;
	uint64_t passed[2][HYB_VIEW_CLASSES], records[2];
	struct hyb_view_column column;
	int err = 0;

	records[0] = hyb_view_passed_at(s, t, begin, passed[0]);
	for (uint32_t i = 0; !err && i < HYB_VIEW_COLUMNS; i++) {
		uint64_t *before = passed[i % 2], *after = passed[(i + 1) % 2], n;

		records[(i + 1) % 2] = hyb_view_passed_at(s, t, begin + (i + 1) * width, after);
		n = records[(i + 1) % 2] - records[i % 2];
		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			column.shares[k] = share_of(after[k] - before[k], width);
		column.records = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		err = hyb_view_put(to, &column, sizeof(column));
	}
	return err;
}

/* Adds the columns of a part, which begin with number `first`, to those of a tile, each of which has 2^more of them. */
static void add_part(const struct hyb_view_sums *part, uint64_t first, uint32_t more, uint64_t tile,
		     struct hyb_view_sums *columns)
{
	for (uint32_t i = 0; i < HYB_VIEW_PART; i++) {
		const uint64_t column = ((first + i) >> more) - tile;

		if (column >= HYB_VIEW_COLUMNS)
			continue;
		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			columns[column].passed[k] += part[i].passed[k];
		columns[column].records += part[i].records;
	}
}

/* What the tile has of the track as a whole. How many records begin in it; 0 where nothing is known. */
static uint64_t sum_columns(struct hyb_view_reader *r, const struct hyb_view_track *t, uint64_t index, uint32_t level,
			    struct hyb_view_sums *columns)
{
	const uint64_t tile = index * HYB_VIEW_COLUMNS;
	struct hyb_view_sums part[HYB_VIEW_PART];
	const uint32_t more = level - t->whole.level;
	uint64_t records = 0;

	if (level < t->whole.level)
		return 0;
	memset(columns, 0, HYB_VIEW_COLUMNS * sizeof(*columns));
	for (uint32_t i = 0; i < t->whole.parts; i++) {
		const uint64_t first = i * HYB_VIEW_PART, last = first + HYB_VIEW_PART - 1;

		if (last >> more < tile || first >> more >= tile + HYB_VIEW_COLUMNS)
			continue;
		hyb_view_read_part(r, t, i, part);
		add_part(part, first, more, tile, columns);
	}
	for (uint32_t i = 0; i < HYB_VIEW_COLUMNS; i++)
		records += columns[i].records;
	return records;
}

static int put_sums(const struct hyb_view_sums *columns, uint32_t level, struct hyb_view_bytes *to)
{
	const uint64_t width = UINT64_C(1) << level;
	struct hyb_view_column column;
	int err = 0;

	for (uint32_t i = 0; !err && i < HYB_VIEW_COLUMNS; i++) {
		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			column.shares[k] = share_of(columns[i].passed[k], width);
		column.records = columns[i].records > UINT32_MAX ? UINT32_MAX : (uint32_t)columns[i].records;
		err = hyb_view_put(to, &column, sizeof(column));
	}
	return err;
}

static int put_tile(struct hyb_view_reader *r, const struct hyb_view_track *t, uint64_t index,
		    uint32_t level, struct hyb_view_bytes *to, struct hyb_view_tile_head *head)
{
	const uint64_t begin = index * HYB_VIEW_COLUMNS << level;
	struct hyb_view_sums columns[HYB_VIEW_COLUMNS];
	uint64_t passed[HYB_VIEW_CLASSES], first, last;
	int err = 0;

	last = t->whole.parts ? sum_columns(r, t, index, level, columns) : 0;
	if (last > HYB_VIEW_EXACT) {
		head->records = (double)last;
		head->kind = HYB_VIEW_TILE_DENSITY;
		return put_sums(columns, level, to);
	}
	first = hyb_view_passed_at(r, t, begin, passed);
	last = hyb_view_passed_at(r, t, begin + ((uint64_t)HYB_VIEW_COLUMNS << level), passed);
	head->records = (double)(last - first);
	if (last - first > HYB_VIEW_EXACT) {
		head->kind = HYB_VIEW_TILE_DENSITY;
		err = put_columns(r, t, begin, level, to);
	} else if (t->count) {
		err = put_exact(r, t, first, last, to);
	}
	return err;
}

int hyb_view_tile(const struct hyb_view_store *s, size_t track, uint32_t level, uint64_t index,
		  struct hyb_view_bytes *to, enum hyb_view_tile_kind *kind)
{
	struct hyb_view_tile_head head = { .begin = (double)(index * HYB_VIEW_COLUMNS << level) };
	const size_t at = to->size;
	struct hyb_view_reader reader;
	int err = hyb_view_put(to, &head, sizeof(head)), ret;

	hyb_view_reader_begin(&reader, s);
	if (!err)
		err = put_tile(&reader, &s->tracks[track], index, level, to, &head);
	ret = hyb_view_reader_end(&reader);
	err = err ? err : ret;
	if (err)
		return err;
	*kind = (enum hyb_view_tile_kind)head.kind;
	head.count = *kind == HYB_VIEW_TILE_DENSITY ? HYB_VIEW_COLUMNS
						    : (uint32_t)((to->size - at - sizeof(head)) /
								 sizeof(struct hyb_view_slice));
	memcpy(to->data + at, &head, sizeof(head));
	return 0;
}

/* Which messages are wanted, and those that were found: every `step`-th, so that there are no more than `most`. */
struct wish {
	uint64_t from;
	uint64_t until;
	uint32_t *wanted; /* of each track: how many of those before it are */
	uint32_t tracks;
	uint64_t step;
	uint64_t seen;
	struct hyb_view_line *lines;
	uint32_t count;
	uint32_t most;
};

/* Of tracks first to last; numbers may be beyond all. */
static bool is_any_wanted(const struct wish *w, uint32_t first, uint32_t last)
{
	last = last < w->tracks ? last + 1 : w->tracks;
	return first < last && w->wanted[first] != w->wanted[last];
}

static bool is_batch_wanted(const struct wish *w, const struct hyb_view_batch *b)
{
	return b->first <= w->until && b->last >= w->from &&
	       (is_any_wanted(w, b->to, b->to) || is_any_wanted(w, b->from[0], b->from[1]));
}

static void take_line(struct wish *w, const struct hyb_view_message *m)
{
	if ((m->sent > w->until && m->received > w->until) ||
	    (m->sent < w->from && m->received < w->from) ||
	    (!is_any_wanted(w, m->to, m->to) && !is_any_wanted(w, m->from, m->from)))
		return;
	if (w->seen++ % w->step)
		return;
	if (w->count == w->most) {
		for (w->count = 0; w->count < w->most / 2; w->count++)
			w->lines[w->count] = w->lines[2 * w->count];
		w->step *= 2;
		if ((w->seen - 1) % w->step)
			return;
	}
	w->lines[w->count++] = (struct hyb_view_line){ (double)m->sent, (double)m->received,
						       m->from,		m->to,
						       m->comm,		m->tag,
						       (double)m->bytes };
}

/* Every `stride`-th batch. */
static int take_batches(const struct hyb_view_store *s, uint64_t stride, struct wish *w)
{
	struct hyb_view_message *messages = calloc(HYB_VIEW_BATCH, sizeof(*messages));
	struct hyb_view_reader reader;
	uint64_t n = 0;
	int err = messages ? 0 : -ENOMEM;

	hyb_view_reader_begin(&reader, s);
	for (size_t i = 0; !err && i < s->batches.count; i++) {
		const struct hyb_view_batch *b = &s->batches.list[i];

		if (!is_batch_wanted(w, b) || n++ % stride)
			continue;
		err = hyb_view_read_batch(&reader, b, messages);
		for (uint32_t k = 0; !err && k < b->count; k++)
			take_line(w, &messages[k]);
	}
	hyb_view_reader_end(&reader);
	free(messages);
	return err;
}

int hyb_view_lines(const struct hyb_view_store *s, uint64_t from, uint64_t until,
		   const uint32_t *tracks, size_t count, uint32_t most, struct hyb_view_bytes *to)
{
	struct wish w = { .from = from,
			  .until = until,
			  .tracks = (uint32_t)s->track_count,
			  .step = 1,
			  .most = most };
	struct hyb_view_lines_head head = { 0 };
	uint64_t overlapping = 0, stride;
	int err;

	w.wanted = calloc(s->track_count + 1, sizeof(*w.wanted));
	w.lines = calloc(most + 1, sizeof(*w.lines));
	err = w.wanted && w.lines ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < count; i++)
		w.wanted[tracks[i] + 1] = 1;
	for (size_t i = 0; !err && i < s->track_count; i++)
		w.wanted[i + 1] += w.wanted[i];
	for (size_t i = 0; !err && i < s->batches.count; i++)
		overlapping += is_batch_wanted(&w, &s->batches.list[i]);
	stride = overlapping / BATCHES + 1;
	if (!err)
		err = take_batches(s, stride, &w);
	head.count = w.count;
	head.total = (double)(w.seen * stride);
	if (!err)
		err = hyb_view_put(to, &head, sizeof(head));
	if (!err)
		err = hyb_view_put(to, w.lines, w.count * sizeof(*w.lines));
	free(w.wanted);
	free(w.lines);
	return err;
}
