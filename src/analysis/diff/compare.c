/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See compare.h. Of each run its report is made, rows are taken of it, and it is gone again: so memory is for one
 * report and a number for each row and run. A row is what both sides call the same: lines and ranks differ from run to
 * run.
 */
#include "analysis/diff/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/ranks-test.h"

struct key {
	enum hyb_compare_kind kind;
	const char *name;
};

static uint64_t hash(const struct key *key)
{
	return hyb_hash_bytes(key->name, strlen(key->name)) + key->kind;
}

static bool same(const void *entry, const void *key)
{
	const struct hyb_compare_row *r = entry;
	const struct key *k = key;

	return r->kind == k->kind && !strcmp(r->name, k->name);
}

int hyb_compare_init(struct hyb_compare *c, size_t runs, size_t of_a)
{
	memset(c, 0, sizeof(*c));
	hyb_table_init(&c->rows, sizeof(struct hyb_compare_row), same);
	c->of_a = of_a;
	c->kernel = true;
	c->runs = calloc(runs + 1, sizeof(*c->runs));
	return c->runs ? 0 : -ENOMEM;
}

void hyb_compare_free(struct hyb_compare *c)
{
	for (uint32_t i = 0; i < c->rows.count; i++) {
		struct hyb_compare_row *row = hyb_table_at(&c->rows, i);

		free(row->name);
		free(row->ns);
		free(row->count);
	}
	hyb_table_free(&c->rows);
	for (size_t i = 0; i < c->run_count; i++)
		free(c->runs[i].dir);
	free(c->runs);
	free(c->order);
}

/* The row of that kind and name with values of all runs so far; NULL without memory. */
static struct hyb_compare_row *row_of(struct hyb_compare *c, enum hyb_compare_kind kind, const char *name)
{
	const struct key key = { kind, name };
	struct hyb_compare_row *row = hyb_table_find(&c->rows, hash(&key), &key);
	char *copy;

	if (row)
		return row;
	copy = strdup(name);
	row = copy ? hyb_table_add(&c->rows, hash(&key)) : NULL;
	if (!row) {
		free(copy);
		return NULL;
	}
	row->kind = kind;
	row->name = copy;
	return row;
}

/* The present run has so much of it. */
static struct hyb_compare_row *put(struct hyb_compare *c, enum hyb_compare_kind kind, const char *name, int64_t ns,
				   uint64_t count)
{
	struct hyb_compare_row *row = row_of(c, kind, name);
	size_t run = c->run_count - 1;

	if (row && !row->ns)
		row->ns = calloc(c->run_count + 1, sizeof(*row->ns));
	if (row && !row->count)
		row->count = calloc(c->run_count + 1, sizeof(*row->count));
	if (!row || !row->ns || !row->count)
		return NULL;
	row->ns[run] += (double)ns;
	row->count[run] += count;
	return row;
}

/* Each row has a value of the next run. */
static int widen(struct hyb_compare *c)
{
	for (uint32_t i = 0; i < c->rows.count; i++) {
		struct hyb_compare_row *row = hyb_table_at(&c->rows, i);
		double *ns = reallocarray(row->ns, c->run_count + 1, sizeof(*ns));
		uint64_t *count;

		if (!ns)
			return -ENOMEM;
		row->ns = ns;
		count = reallocarray(row->count, c->run_count + 1, sizeof(*count));
		if (!count)
			return -ENOMEM;
		row->count = count;
		row->ns[c->run_count] = 0;
		row->count[c->run_count] = 0;
	}
	c->run_count++;
	return 0;
}

static int take_times(struct hyb_compare *c, const struct hyb_report *r)
{
	if (!put(c, HYB_COMPARE_LENGTH, "length of the run", hyb_ns_sub(r->last, r->first), 0))
		return -ENOMEM;
	for (int i = 0; i < HYB_TIMES; i++) {
		struct hyb_compare_row *row =
			put(c, HYB_COMPARE_TIME, hyb_report_time_name((enum hyb_time_class)i), r->in[i], 0);

		if (!row)
			return -ENOMEM;
		row->is_kernel = i == HYB_TIME_KERNEL || i == HYB_TIME_VOLUNTARY || i == HYB_TIME_INVOLUNTARY;
	}
	return 0;
}

static int take_regions(struct hyb_compare *c, const struct hyb_report *r, uint32_t side)
{
	for (uint32_t i = 0; i < r->flat.regions.count; i++) {
		const struct hyb_flat_region *region = hyb_flat_at(&r->flat, i);
		const char *name = region->region		     ? region->region->name
				   : region->kind == HYB_FLAT_PAUSED ? "(not recorded)"
								     : "(in no region)";
		struct hyb_compare_row *row;

		if (region->kind == HYB_FLAT_KERNEL)
			continue;
		row = put(c, HYB_COMPARE_REGION, name, hyb_flat_exclusive(&region->times), region->times.visits);
		if (!row)
			return -ENOMEM;
		for (int k = 0; k < HYB_PARTS; k++)
			row->part[side][k] += (double)region->times.part[k];
	}
	return 0;
}

/* The innermost region that is none of the kernel's, as other runs call it, too. */
static void tell_place(const struct hyb_report *r, uint32_t spot, FILE *to)
{
	const struct hyb_spot *s;

	if (spot == HYB_SPOT_NONE)
		return;
	s = hyb_spots_at(&r->steps.spots, spot);
	while (spot != HYB_SPOT_ROOT && hyb_spot_is_kernel(s)) {
		spot = s->parent;
		s = hyb_spots_at(&r->steps.spots, spot);
	}
	if (spot == HYB_SPOT_ROOT)
		fputs(", in no region", to);
	else if (s->kind == HYB_SPOT_PAUSED)
		fputs(", not recorded", to);
	else
		fprintf(to, ", %s%s", s->kind == HYB_SPOT_BEFORE ? "before " : "in ", s->region->name);
}

static int put_place(struct hyb_compare *c, const struct hyb_report *r, enum hyb_compare_kind kind, const char *what,
		     uint32_t spot, int64_t ns, uint64_t count)
{
	struct hyb_compare_row *row = NULL;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return -ENOMEM;
	fputs(what, to);
	tell_place(r, spot, to);
	if (!fclose(to))
		row = put(c, kind, text, ns, count);
	free(text);
	return row ? 0 : -ENOMEM;
}

static int take_waits(struct hyb_compare *c, const struct hyb_report *r)
{
	int err = 0;

	for (uint32_t i = 0; i < r->causes.waits.count && !err; i++) {
		const struct hyb_waiting *w = r->waits[i];

		err = put_place(c, r, HYB_COMPARE_WAIT, hyb_report_wait_name(w->wait), w->spot, w->ns, w->count);
	}
	for (uint32_t i = 0; i < r->causes.causes.count && !err; i++) {
		const struct hyb_report_cause *cause = &r->list[i];
		uint32_t spot = cause->cause->spot;

		err = put_place(c, r, HYB_COMPARE_CAUSE, hyb_report_reason_name(hyb_report_reason_of(r, spot)), spot,
				cause->ns, 0);
	}
	return err;
}

int hyb_compare_add(struct hyb_compare *c, const char *dir, const struct hyb_report *r)
{
	struct hyb_compare_run *run = &c->runs[c->run_count];
	int err;

	*run = (struct hyb_compare_run){
		.dir = strdup(dir),
		.side = c->run_count >= c->of_a,
		.ranks = r->ranks,
		.threads = r->threads,
		.kernel = r->kernel,
		.profiles = r->profiles,
		.time = r->time,
	};
	if (!run->dir)
		return -ENOMEM;
	c->mixed = c->mixed || (c->run_count && run->kernel != c->runs[0].kernel);
	c->kernel = c->kernel && run->kernel;
	err = widen(c);
	if (!err)
		err = take_times(c, r);
	if (!err)
		err = take_regions(c, r, run->side);
	return err ? err : take_waits(c, r);
}

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : 0;
}

static int by_difference(const void *a, const void *b)
{
	const struct hyb_compare_row *x = *(struct hyb_compare_row *const *)a, *y = *(struct hyb_compare_row *const *)b;
	double dx = fabs(x->mean[1] - x->mean[0]), dy = fabs(y->mean[1] - y->mean[0]);

	HYB_SORT_BY(x->kind, y->kind);
	HYB_SORT_BY(dy, dx);
	return strcmp(x->name, y->name);
}

static int judge(struct hyb_compare *c, struct hyb_compare_row *row, double allowed)
{
	const size_t b = c->run_count - c->of_a;
	const double *of_b = row->ns + c->of_a;
	double whole, grew;

	row->mean[0] = mean(row->ns, c->of_a);
	row->mean[1] = mean(of_b, b);
	for (int k = 0; k < HYB_PARTS; k++) {
		row->part[0][k] /= (double)c->of_a;
		row->part[1][k] /= (double)b;
	}
	grew = row->mean[1] - row->mean[0];
	row->p = grew >= 0 ? hyb_ranks_test(row->ns, c->of_a, of_b, b) : hyb_ranks_test(of_b, b, row->ns, c->of_a);
	if (row->p < 0)
		return -ENOMEM;
	if (allowed < 0 || (row->kind != HYB_COMPARE_LENGTH && row->kind != HYB_COMPARE_REGION))
		return 0;
	whole = row->kind == HYB_COMPARE_LENGTH ? row->mean[0] : c->time;
	row->fails = grew > allowed * whole && (hyb_compare_is_rare(row->p) || !hyb_compare_is_rare(c->least_p));
	c->failed = c->failed || row->fails;
	return 0;
}

/* That runs differ in how many ranks they have says nothing of the program. */
static const char *obstacle(const struct hyb_compare *c)
{
	bool common = false;

	for (size_t i = 1; i < c->run_count; i++)
		if (c->runs[i].ranks != c->runs[0].ranks)
			return "they differ in how many ranks they have";
	for (size_t i = 1; i < c->run_count; i++)
		if (c->runs[i].profiles != c->runs[0].profiles)
			return "some were recorded as profiles (HYBMON_MODE), others as traces";
	for (uint32_t i = 0; i < c->rows.count && !common; i++) {
		const struct hyb_compare_row *row = hyb_table_at(&c->rows, i);

		common = row->kind == HYB_COMPARE_REGION && row->name[0] != '(' && mean(row->ns, c->of_a) > 0 &&
			 mean(row->ns + c->of_a, c->run_count - c->of_a) > 0;
	}
	return common ? NULL : "they have no region in common";
}

/* Where it is not known of all runs what the kernel did, it is a part of the computation. */
static void leave_kernel_out(struct hyb_compare *c)
{
	const struct key key = { HYB_COMPARE_TIME, hyb_report_time_name(HYB_TIME_COMPUTE) };
	struct hyb_compare_row *to = hyb_table_find(&c->rows, hash(&key), &key);

	for (uint32_t i = 0; i < c->rows.count; i++) {
		const struct hyb_compare_row *row = hyb_table_at(&c->rows, i);

		for (size_t k = 0; row->is_kernel && k < c->run_count; k++)
			to->ns[k] += row->ns[k];
	}
}

/* One of all ways to choose b of the runs. */
static double least_p(size_t runs, size_t b)
{
	double p = 1;

	for (size_t i = 1; i <= b; i++)
		p *= (double)i / (double)(runs - b + i);
	return p;
}

int hyb_compare_end(struct hyb_compare *c, double allowed, const char **why)
{
	int err = 0;

	*why = obstacle(c);
	if (*why)
		return -EINVAL;
	for (size_t i = 0; i < c->of_a; i++)
		c->time += (double)c->runs[i].time / (double)c->of_a;
	c->least_p = least_p(c->run_count, c->run_count - c->of_a);
	c->order = calloc(c->rows.count + 1, sizeof(struct hyb_compare_row *));
	if (!c->order)
		return -ENOMEM;
	if (c->mixed)
		leave_kernel_out(c);
	for (uint32_t i = 0; i < c->rows.count && !err; i++) {
		struct hyb_compare_row *row = hyb_table_at(&c->rows, i);

		if (c->mixed && (row->is_kernel || row->kind == HYB_COMPARE_CAUSE))
			continue;
		c->order[c->order_count++] = row;
		err = judge(c, row, allowed);
	}
	qsort(c->order, c->order_count, sizeof(struct hyb_compare_row *), by_difference);
	return err;
}
