/* SPDX-License-Identifier: BSD-3-Clause */
/* The flat profile put in order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/flat.h"
#include "reader/containers/sort.h"

static const struct hyb_table *ordered;

static int by_weight(const void *a, const void *b)
{
	const struct hyb_flat_region *x = hyb_table_at(ordered, *(const uint32_t *)a);
	const struct hyb_flat_region *y = hyb_table_at(ordered, *(const uint32_t *)b);

	HYB_SORT_BY(hyb_flat_exclusive(&y->times), hyb_flat_exclusive(&x->times));
	HYB_SORT_BY(x->kind, y->kind);
	return x->region && y->region ? strcmp(x->region->name, y->region->name) : 0;
}

static int by_loss(const void *a, const void *b)
{
	const struct hyb_flat_rival *x = a, *y = b;

	HYB_SORT_BY(y->ns, x->ns);
	HYB_SORT_BY(x->process, y->process);
	return x->who < y->who ? -1 : x->who > y->who;
}

static void add_parts(struct hyb_flat_times *to, const struct hyb_flat_times *t)
{
	for (int i = 0; i < HYB_PARTS; i++) {
		to->part[i] += t->part[i];
		to->count[i] += t->count[i];
	}
}

/* Every process whose threads have events has a row of them. */
static int sum_processes(struct hyb_flat *f, const struct hyb_model *model)
{
	struct hyb_flat_times *sums = calloc(model->process_count + 1, sizeof(*sums));
	uint64_t *threads = calloc(model->process_count + 1, sizeof(*threads));

	f->processes = calloc(model->process_count + 1, sizeof(*f->processes));
	for (uint32_t i = 0; sums && threads && f->processes && i < f->rows.count; i++) {
		const struct hyb_flat_row *row = hyb_table_at(&f->rows, i);
		const struct hyb_flat_region *region = hyb_table_at(&f->regions, row->region);

		if (region->kind == HYB_FLAT_KERNEL)
			continue;
		add_parts(&sums[row->process], &row->times);
		if (region->kind == HYB_FLAT_THREADS) {
			threads[row->process] = row->times.visits;
			sums[row->process].visits = row->times.visits;
			sums[row->process].inclusive = row->times.inclusive;
		}
	}
	for (uint32_t i = 0; sums && threads && f->processes && i < model->process_count; i++)
		if (threads[i])
			f->processes[f->process_count++] =
				(struct hyb_flat_process){ .process = i, .threads = threads[i], .times = sums[i] };
	free(sums);
	free(threads);
	return sums && threads && f->processes ? 0 : -ENOMEM;
}

int hyb_flat_order(struct hyb_flat *f, const struct hyb_model *model)
{
	f->order = calloc(f->regions.count + 1, sizeof(*f->order));
	if (!f->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->regions.count; i++)
		f->order[i] = i;
	ordered = &f->regions;
	qsort(f->order, f->regions.count, sizeof(*f->order), by_weight);
	if (f->rivals.count)
		qsort(f->rivals.entries, f->rivals.count, sizeof(struct hyb_flat_rival), by_loss);
	hyb_rows_order(&f->rows);
	return sum_processes(f, model);
}

static int64_t time_of(const struct hyb_flat_times *t, int what)
{
	if (what == HYB_SPREAD_INCLUSIVE)
		return t->inclusive;
	return what == HYB_SPREAD_EXCLUSIVE ? hyb_flat_exclusive(t) : t->part[what];
}

static int64_t time_of_row(const void *row, int what)
{
	return time_of(&((const struct hyb_flat_row *)row)->times, what);
}

int hyb_flat_spread(const struct hyb_flat *f, const struct hyb_flat_region *region, int what, struct hyb_spread *spread)
{
	int64_t *times;
	int err;

	if (region)
		return hyb_rows_spread(&f->rows, hyb_table_index(&f->regions, region), f, time_of_row, what, spread);
	times = calloc(f->process_count + 1, sizeof(*times));
	*spread = (struct hyb_spread){ .mean = 0 };
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->process_count; i++)
		times[i] = time_of(&f->processes[i].times, what);
	err = hyb_spread_find(spread, times, f->process_count);
	free(times);
	return err;
}

/* The first members of each row, whatever its type. */
struct place {
	uint32_t of;
	uint32_t process;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	HYB_SORT_BY(x->of, y->of);
	HYB_SORT_BY(x->process, y->process);
	return 0;
}

void hyb_rows_order(struct hyb_table *rows)
{
	if (rows->count)
		qsort(rows->entries, rows->count, rows->entry_size, by_place);
}

uint32_t hyb_rows_first(const struct hyb_table *rows, uint32_t of)
{
	uint32_t first = 0, end = rows->count;

	while (first < end) {
		uint32_t middle = first + (end - first) / 2;

		if (((const struct place *)hyb_table_at(rows, middle))->of < of)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

int hyb_rows_spread(const struct hyb_table *rows, uint32_t of, const struct hyb_flat *flat,
		    int64_t (*value)(const void *row, int what), int what, struct hyb_spread *spread)
{
	int64_t *times = calloc(flat->process_count + 1, sizeof(*times));
	uint32_t row = hyb_rows_first(rows, of);
	int err;

	*spread = (struct hyb_spread){ .mean = 0 };
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < flat->process_count; i++) {
		const struct place *at = row < rows->count ? hyb_table_at(rows, row) : NULL;

		if (at && at->of == of && at->process == flat->processes[i].process) {
			times[i] = value(at, what);
			row++;
		}
	}
	err = hyb_spread_find(spread, times, flat->process_count);
	free(times);
	return err;
}
