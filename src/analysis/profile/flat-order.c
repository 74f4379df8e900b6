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

static int by_place(const void *a, const void *b)
{
	const struct hyb_flat_row *x = a, *y = b;

	HYB_SORT_BY(x->region, y->region);
	HYB_SORT_BY(x->process, y->process);
	return 0;
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
	struct hyb_flat_region *region = NULL;

	f->order = calloc(f->regions.count + 1, sizeof(*f->order));
	if (!f->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->regions.count; i++)
		f->order[i] = i;
	ordered = &f->regions;
	qsort(f->order, f->regions.count, sizeof(*f->order), by_weight);
	if (f->rivals.count)
		qsort(f->rivals.entries, f->rivals.count, sizeof(struct hyb_flat_rival), by_loss);
	if (f->rows.count)
		qsort(f->rows.entries, f->rows.count, sizeof(struct hyb_flat_row), by_place);
	for (uint32_t i = 0; i < f->rows.count; i++) {
		const struct hyb_flat_row *row = hyb_table_at(&f->rows, i);

		region = hyb_table_at(&f->regions, row->region);
		if (!region->count++)
			region->first = i;
	}
	return sum_processes(f, model);
}

static int64_t time_of(const struct hyb_flat_times *t, int what)
{
	if (what == HYB_SPREAD_INCLUSIVE)
		return t->inclusive;
	return what == HYB_SPREAD_EXCLUSIVE ? hyb_flat_exclusive(t) : t->part[what];
}

int hyb_flat_spread(const struct hyb_flat *f, const struct hyb_flat_region *region, int what, struct hyb_spread *spread)
{
	int64_t *times = calloc(f->process_count + 1, sizeof(*times));
	uint32_t row = region ? region->first : 0, rows = region ? row + region->count : 0;
	int err;

	*spread = (struct hyb_spread){ .mean = 0 };
	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->process_count; i++) {
		const struct hyb_flat_row *at = row < rows ? hyb_table_at(&f->rows, row) : NULL;

		if (!region)
			times[i] = time_of(&f->processes[i].times, what);
		else if (at && at->process == f->processes[i].process && ++row)
			times[i] = time_of(&at->times, what);
	}
	err = hyb_spread_find(spread, times, f->process_count);
	free(times);
	return err;
}
