/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the store; see tile.h. */
#include "view/look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "containers/array.h"

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

/* The last block that begins at that time or before, or the first. */
static uint64_t find_block(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t time)
{
	uint64_t low = 0, high = (t->count + HYB_VIEW_BLOCK - 1) / HYB_VIEW_BLOCK, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (hyb_view_block_at(s, t, middle)->time <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t hyb_view_passed(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t time,
			 uint64_t passed[HYB_VIEW_CLASSES])
{
	const struct hyb_view_record *r;
	const struct hyb_view_block *b;
	uint64_t i, last, end;
	uint32_t class;

	memset(passed, 0, HYB_VIEW_CLASSES * sizeof(*passed));
	if (!t->count || time <= t->begin)
		return 0;
	i = find_block(s, t, time);
	b = hyb_view_block_at(s, t, i);
	memcpy(passed, b->passed, sizeof(b->passed));
	last = b->time;
	class = (uint32_t)b->class;
	for (i *= HYB_VIEW_BLOCK; i < t->count; i++) {
		r = hyb_view_record_at(s, t, i);
		if (r->time >= time)
			break;
		passed[class] += r->time - last;
		last = r->time;
		if (hyb_view_form(r->what) != HYB_VIEW_SLICE) {
			class = hyb_view_class(r->what);
			continue;
		}
		end = r->time + r->extent < time ? r->time + r->extent : time;
		passed[hyb_view_class(r->what)] += end - last;
		last = end;
	}
	end = time < t->end ? time : t->end;
	if (end > last)
		passed[class] += end - last;
	return i;
}

size_t hyb_view_stack(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t i, uint64_t *stack)
{
	uint64_t block = i ? (i - 1) / HYB_VIEW_BLOCK : 0, open, k;
	size_t depth = 0;

	if (!i)
		return 0;
	open = hyb_view_block_at(s, t, block)->open;
	if (open) {
		depth = hyb_view_stack(s, t, open - 1, stack);
		stack[depth++] = open - 1;
	}
	for (k = block * HYB_VIEW_BLOCK; k < i; k++) {
		enum hyb_view_form form = hyb_view_form(hyb_view_record_at(s, t, k)->what);

		if (form == HYB_VIEW_ENTER)
			stack[depth++] = k;
		else if (form == HYB_VIEW_LEAVE && depth)
			depth--;
	}
	return depth;
}

static int put_slice(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t i, size_t depth,
		     struct hyb_view_bytes *to)
{
	const struct hyb_view_record *r = hyb_view_record_at(s, t, i);
	struct hyb_view_slice slice = { .begin = (double)r->time, .end = (double)r->time, .what = r->what,
					.detail = hyb_view_detail_at(s, t, i), .depth = (uint32_t)depth };

	if (hyb_view_form(r->what) == HYB_VIEW_SLICE)
		slice.end = (double)(r->time + r->extent);
	else if (hyb_view_form(r->what) == HYB_VIEW_ENTER)
		slice.end = r->extent ? (double)hyb_view_record_at(s, t, i + r->extent)->time : -1;
	return hyb_view_put(to, &slice, sizeof(slice));
}

/* Records first to last - 1, and what reaches into them. */
static int put_exact(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t first, uint64_t last,
		     struct hyb_view_bytes *to)
{
	uint64_t *stack = calloc(t->depth + 2, sizeof(*stack)), i;
	size_t depth, k;
	int err = stack ? 0 : -ENOMEM;

	if (err)
		return err;
	depth = hyb_view_stack(s, t, first, stack);
	for (k = 0; !err && k < depth; k++)
		err = put_slice(s, t, stack[k], k, to);
	if (!err && first && hyb_view_form(hyb_view_record_at(s, t, first - 1)->what) == HYB_VIEW_SLICE)
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

static int put_columns(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t begin, uint32_t level,
		       struct hyb_view_bytes *to)
{
	const uint64_t width = UINT64_C(1) << level;
	uint64_t passed[2][HYB_VIEW_CLASSES], records[2];
	struct hyb_view_column column;
	int err = 0;

	records[0] = hyb_view_passed(s, t, begin, passed[0]);
	for (uint32_t i = 0; !err && i < HYB_VIEW_COLUMNS; i++) {
		uint64_t *before = passed[i % 2], *after = passed[(i + 1) % 2], n;

		records[(i + 1) % 2] = hyb_view_passed(s, t, begin + (i + 1) * width, after);
		n = records[(i + 1) % 2] - records[i % 2];
		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			column.shares[k] = (uint8_t)((double)(after[k] - before[k]) * 255 / (double)width + 0.5);
		column.records = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
		err = hyb_view_put(to, &column, sizeof(column));
	}
	return err;
}

int hyb_view_tile(const struct hyb_view_store *s, size_t track, uint32_t level, uint64_t index,
		  struct hyb_view_bytes *to, enum hyb_view_tile_kind *kind)
{
	const struct hyb_view_track *t = &s->tracks[track];
	const uint64_t begin = index * HYB_VIEW_COLUMNS << level;
	uint64_t passed[HYB_VIEW_CLASSES], first = 0, last = 0;
	struct hyb_view_tile_head head = { .begin = (double)begin };
	const size_t at = to->size;
	int err;

	if (t->count) {
		first = hyb_view_passed(s, t, begin, passed);
		last = hyb_view_passed(s, t, begin + ((uint64_t)HYB_VIEW_COLUMNS << level), passed);
	}
	*kind = last - first <= HYB_VIEW_EXACT ? HYB_VIEW_TILE_EXACT : HYB_VIEW_TILE_DENSITY;
	err = hyb_view_put(to, &head, sizeof(head));
	if (!err && t->count)
		err = *kind == HYB_VIEW_TILE_EXACT ? put_exact(s, t, first, last, to) :
						     put_columns(s, t, begin, level, to);
	if (err)
		return err;
	head.kind = *kind;
	head.records = (double)(last - first);
	head.count = *kind == HYB_VIEW_TILE_DENSITY ?
			     HYB_VIEW_COLUMNS :
			     (uint32_t)((to->size - at - sizeof(head)) / sizeof(struct hyb_view_slice));
	memcpy(to->data + at, &head, sizeof(head));
	return 0;
}

/* Of one batch every `step`-th that is wanted; *seen counts those that are. */
static int put_batch(const struct hyb_view_store *s, const struct hyb_view_batch *b, uint64_t from, uint64_t until,
		     const bool *wanted, uint64_t step, uint64_t *seen, struct hyb_view_bytes *to)
{
	const struct hyb_view_message *m = (const struct hyb_view_message *)(s->map + b->offset), *end = m + b->count;
	struct hyb_view_line line;
	int err = 0;

	for (; !err && m < end; m++) {
		if ((m->sent > until && m->received > until) || (m->sent < from && m->received < from) ||
		    (!wanted[m->to] && (m->from >= s->track_count || !wanted[m->from])))
			continue;
		if ((*seen)++ % step)
			continue;
		line = (struct hyb_view_line){ (double)m->sent, (double)m->received, m->from, m->to, m->comm, m->tag,
					       (double)m->bytes };
		if (to)
			err = hyb_view_put(to, &line, sizeof(line));
	}
	return err;
}

static int for_batches(const struct hyb_view_store *s, uint64_t from, uint64_t until, const bool *wanted,
		       uint64_t stride, uint64_t step, uint64_t *seen, struct hyb_view_bytes *to)
{
	uint64_t n = 0;
	int err = 0;

	*seen = 0;
	for (size_t i = 0; !err && i < s->batches.count; i++) {
		const struct hyb_view_batch *b = &s->batches.list[i];

		if (b->first <= until && b->last >= from && n++ % stride == 0)
			err = put_batch(s, b, from, until, wanted, step, seen, to);
	}
	return err;
}

int hyb_view_lines(const struct hyb_view_store *s, uint64_t from, uint64_t until, const uint32_t *tracks, size_t count,
		   uint32_t most, struct hyb_view_bytes *to)
{
	struct hyb_view_lines_head head = { 0 };
	const size_t at = to->size;
	uint64_t overlapping = 0, stride, total, seen;
	bool *wanted = calloc(s->track_count + 1, sizeof(*wanted));
	int err = wanted ? hyb_view_put(to, &head, sizeof(head)) : -ENOMEM;

	for (size_t i = 0; !err && i < count; i++)
		wanted[tracks[i]] = true;
	for (size_t i = 0; i < s->batches.count; i++)
		overlapping += s->batches.list[i].first <= until && s->batches.list[i].last >= from;
	stride = overlapping / BATCHES + 1;
	if (!err)
		err = for_batches(s, from, until, wanted, stride, 1, &total, NULL);
	if (!err)
		err = for_batches(s, from, until, wanted, stride, total ? (total + most - 1) / most : 1, &seen, to);
	free(wanted);
	if (err)
		return err;
	head.count = (uint32_t)((to->size - at - sizeof(head)) / sizeof(struct hyb_view_line));
	head.total = (double)(total * stride);
	memcpy(to->data + at, &head, sizeof(head));
	return 0;
}
