/* SPDX-License-Identifier: BSD-3-Clause */
/* See lines.h. */
#include "analysis/report/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/sort.h"

/* Of a spot: the innermost that is none of the kernel's. NULL without memory. */
static struct hyb_code_line *line_of(struct hyb_lines *lines, const struct hyb_spots *spots, uint32_t spot)
{
	const struct hyb_spot *s = hyb_spots_at(spots, spot);
	struct hyb_code_line like;

	while (hyb_spot_is_kernel(s))
		s = hyb_spots_at(spots, s->parent);
	like = (struct hyb_code_line){ .kind = s->kind, .detail = s->detail, .region = s->region };
	return hyb_table_get(&lines->lines, &like);
}

static int add_own(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_own *own, uint32_t process)
{
	const struct hyb_spot *spot = hyb_spots_at(spots, own->spot);
	struct hyb_code_line *line = line_of(lines, spots, own->spot);
	struct hyb_code_line_row row = { .process = process }, *found;

	if (!line)
		return -ENOMEM;
	if (hyb_spot_is_kernel(spot)) {
		line->part[hyb_flat_part_of(spot->region)] += own->ns;
	} else {
		line->part[HYB_PART_OWN] += own->ns;
		line->visits += own->count;
	}
	row.line = hyb_table_index(&lines->lines, line);
	found = hyb_table_get(&lines->rows, &row);
	if (!found)
		return -ENOMEM;
	found->ns += own->ns;
	return 0;
}

static int add_waiting(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_waiting *w)
{
	struct hyb_code_line *line = line_of(lines, spots, w->spot);

	if (!line)
		return -ENOMEM;
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

/* The tables are for reading in order from here on. */
static int put_in_order(struct hyb_lines *lines)
{
	lines->order = calloc(lines->lines.count + 1, sizeof(*lines->order));
	if (!lines->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < lines->lines.count; i++)
		lines->order[i] = i;
	ordered = &lines->lines;
	qsort(lines->order, lines->lines.count, sizeof(*lines->order), by_time);
	hyb_rows_order(&lines->rows);
	return 0;
}

int hyb_lines_find(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_causes *causes,
		   const uint32_t *process_of)
{
	int err = 0;

	memset(lines, 0, sizeof(*lines));
	HYB_TABLE_KEYED(&lines->lines, struct hyb_code_line, region);
	HYB_TABLE_KEYED(&lines->rows, struct hyb_code_line_row, process);
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

static int64_t time_of(const void *row, int what)
{
	(void)what;
	return ((const struct hyb_code_line_row *)row)->ns;
}

int hyb_code_line_spread(const struct hyb_lines *lines, const struct hyb_code_line *line, const struct hyb_flat *flat,
			 struct hyb_spread *spread)
{
	return hyb_rows_spread(&lines->rows, hyb_table_index(&lines->lines, line), flat, time_of, 0, spread);
}
