/* SPDX-License-Identifier: BSD-3-Clause */
/* See lines.h. */
#include "analysis/report/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/sort.h"

static bool same_line(const void *entry, const void *key)
{
	const struct hyb_code_line *a = entry, *b = key;

	return a->kind == b->kind && a->region == b->region && a->detail == b->detail;
}

static bool same_row(const void *entry, const void *key)
{
	const struct hyb_code_line_row *a = entry, *b = key;

	return a->line == b->line && a->process == b->process;
}

/* Of a spot: the innermost that is none of the kernel's. UINT32_MAX without memory. */
static uint32_t line_of(struct hyb_lines *lines, const struct hyb_spots *spots, uint32_t spot)
{
	const struct hyb_spot *s = hyb_spots_at(spots, spot);
	struct hyb_code_line like, *found;
	uint64_t hash;

	while (hyb_spot_is_kernel(s))
		s = hyb_spots_at(spots, s->parent);
	like = (struct hyb_code_line){ .kind = s->kind, .region = s->region, .detail = s->detail };
	hash = hyb_mix(hyb_mix((uint64_t)(uintptr_t)like.region + like.kind) ^ like.detail);
	found = hyb_table_find(&lines->lines, hash, &like);
	if (!found && (found = hyb_table_add(&lines->lines, hash)))
		*found = like;
	return found ? (uint32_t)(((char *)found - lines->lines.entries) / (ptrdiff_t)sizeof(*found)) : UINT32_MAX;
}

static int add_row(struct hyb_lines *lines, uint32_t line, uint32_t process, int64_t ns)
{
	const struct hyb_code_line_row like = { .line = line, .process = process };
	uint64_t hash = hyb_mix((uint64_t)line << 32 | process);
	struct hyb_code_line_row *found = hyb_table_find(&lines->rows, hash, &like);

	if (!found && (found = hyb_table_add(&lines->rows, hash)))
		*found = like;
	if (!found)
		return -ENOMEM;
	found->ns += ns;
	return 0;
}

static int add_own(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_own *own, uint32_t process)
{
	const struct hyb_spot *spot = hyb_spots_at(spots, own->spot);
	uint32_t number = line_of(lines, spots, own->spot);
	struct hyb_code_line *line;

	if (number == UINT32_MAX)
		return -ENOMEM;
	line = hyb_table_at(&lines->lines, number);
	if (hyb_spot_is_kernel(spot)) {
		line->part[hyb_flat_part_of(spot->region)] += own->ns;
	} else {
		line->part[HYB_PART_OWN] += own->ns;
		line->visits += own->count;
	}
	return add_row(lines, number, process, own->ns);
}

static int add_waiting(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_waiting *w)
{
	uint32_t number = line_of(lines, spots, w->spot);
	struct hyb_code_line *line;

	if (number == UINT32_MAX)
		return -ENOMEM;
	line = hyb_table_at(&lines->lines, number);
	line->waited += w->ns;
	line->waits += w->count;
	return 0;
}

static const struct hyb_table *ordered;

static int by_time(const void *a, const void *b)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct hyb_code_line *x = hyb_table_at(ordered, i), *y = hyb_table_at(ordered, k);
	int order;

	HYB_SORT_BY(hyb_code_line_work(y) + y->waited, hyb_code_line_work(x) + x->waited);
	HYB_SORT_BY(x->kind, y->kind);
	order = x->region && y->region ? strcmp(x->region->name, y->region->name) : 0;
	if (order)
		return order;
	HYB_SORT_BY(x->detail, y->detail);
	return i < k ? -1 : i > k;
}

static int by_place(const void *a, const void *b)
{
	const struct hyb_code_line_row *x = a, *y = b;

	HYB_SORT_BY(x->line, y->line);
	HYB_SORT_BY(x->process, y->process);
	return 0;
}

/* The tables are for reading in order from here on. */
static int put_in_order(struct hyb_lines *lines)
{
	struct hyb_code_line *line;

	lines->order = calloc(lines->lines.count + 1, sizeof(*lines->order));
	if (!lines->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < lines->lines.count; i++)
		lines->order[i] = i;
	ordered = &lines->lines;
	qsort(lines->order, lines->lines.count, sizeof(*lines->order), by_time);
	if (lines->rows.count)
		qsort(lines->rows.entries, lines->rows.count, sizeof(struct hyb_code_line_row), by_place);
	for (uint32_t i = 0; i < lines->rows.count; i++) {
		line = hyb_table_at(&lines->lines, ((struct hyb_code_line_row *)hyb_table_at(&lines->rows, i))->line);
		if (!line->count++)
			line->first = i;
	}
	return 0;
}

int hyb_lines_find(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_causes *causes,
		   const uint32_t *process_of)
{
	int err = 0;

	memset(lines, 0, sizeof(*lines));
	hyb_table_init(&lines->lines, sizeof(struct hyb_code_line), same_line);
	hyb_table_init(&lines->rows, sizeof(struct hyb_code_line_row), same_row);
	for (uint32_t i = 0; i < causes->own.count && !err; i++) {
		const struct hyb_own *own = hyb_table_at(&causes->own, i);

		err = add_own(lines, spots, own, process_of[own->track]);
	}
	for (uint32_t i = 0; i < causes->waits.count && !err; i++)
		err = add_waiting(lines, spots, hyb_table_at(&causes->waits, i));
	return err ? err : put_in_order(lines);
}

void hyb_lines_free(struct hyb_lines *lines)
{
	if (lines->lines.entry_size) {
		hyb_table_free(&lines->lines);
		hyb_table_free(&lines->rows);
	}
	free(lines->order);
	memset(lines, 0, sizeof(*lines));
}

int hyb_code_line_spread(const struct hyb_lines *lines, const struct hyb_code_line *line, const struct hyb_flat *flat,
		    struct hyb_spread *spread)
{
	int64_t *times = calloc(flat->process_count + 1, sizeof(*times));
	uint32_t row = line->first, end = line->first + line->count;
	int err;

	memset(spread, 0, sizeof(*spread));
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < flat->process_count; i++) {
		const struct hyb_code_line_row *at = row < end ? hyb_table_at(&lines->rows, row) : NULL;

		if (at && at->process == flat->processes[i].process) {
			times[i] = at->ns;
			row++;
		}
	}
	err = hyb_spread_find(spread, times, flat->process_count);
	free(times);
	return err;
}
