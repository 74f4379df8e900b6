/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of runs side by side, as text: of each kind of row those that differ most. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/diff/compare.h"
#include "analysis/report/report-lines.h"

#define ROWS 5	   /* of a kind, by default */
#define WORTH 0.01 /* of the time of all threads: what differs by less is not shown by default */

static const char *const titles[HYB_COMPARE_KINDS] = {
	[HYB_COMPARE_LENGTH] = "",
	[HYB_COMPARE_TIME] = "Where the time of all threads went",
	[HYB_COMPARE_REGION] = "By region, exclusive time",
	[HYB_COMPARE_WAIT] = "Who waited for others",
	[HYB_COMPARE_CAUSE] = "What that waiting goes back to",
};

static bool has_tests(const struct hyb_compare *c)
{
	return hyb_compare_is_rare(c->least_p);
}

static void put_runs(const struct hyb_compare *c, FILE *to)
{
	for (uint32_t side = 0; side < 2; side++) {
		const char *between = "";
		struct line l;
		FILE *line = begin_line(&l);

		if (!line)
			return;
		for (size_t i = 0; i < c->run_count; i++) {
			if (c->runs[i].side != side)
				continue;
			fprintf(line, "%s%s", between, c->runs[i].dir);
			between = ", ";
		}
		end_line(&l, to, fprintf(to, side ? "B: " : "A: "), 3);
	}
}

/* What of the difference of a region is the kernel's. */
static void tell_parts(const struct hyb_compare *c, const struct hyb_compare_row *row, FILE *to)
{
	static const char *const names[HYB_PARTS] = {
		[HYB_PART_OWN] = "own",
		[HYB_PART_SYSCALL] = "system calls",
		[HYB_PART_FAULT] = "page faults",
		[HYB_PART_INTERRUPT] = "interrupts",
		[HYB_PART_VOLUNTARY] = "off the CPU, waiting",
		[HYB_PART_INVOLUNTARY] = "pre-empted",
		[HYB_PART_UNKNOWN] = "not known",
	};
	const double whole = fabs(row->mean[1] - row->mean[0]);
	const char *between = "";

	(void)c;
	for (int i = 0; i < HYB_PARTS; i++) {
		double by = row->part[1][i] - row->part[0][i];

		if (fabs(by) < whole / 50 || by == 0)
			continue;
		fprintf(to, "%s%s %+.6f s", between, names[i], by / 1e9);
		between = "; ";
	}
}

static double mean_count(const struct hyb_compare *c, const struct hyb_compare_row *row, int side)
{
	const size_t first = side ? c->of_a : 0, end = side ? c->run_count : c->of_a;
	double sum = 0;

	for (size_t i = first; i < end; i++)
		sum += (double)row->count[i];
	return sum / (double)(end - first);
}

static void tell_name(const struct hyb_compare *c, const struct hyb_compare_row *row, FILE *to)
{
	double a = mean_count(c, row, 0), b = mean_count(c, row, 1);

	fputs(row->name, to);
	if (a != b)
		fprintf(to, ", %.*f times instead of %.*f", fmod(b, 1) ? 1 : 0, b, fmod(a, 1) ? 1 : 0, a);
	if (row->fails)
		fputs(" (more than is allowed)", to);
}

typedef void (*teller)(const struct hyb_compare *c, const struct hyb_compare_row *row, FILE *to);

static int put_text(FILE *to, int at, teller tell, const struct hyb_compare *c, const struct hyb_compare_row *row)
{
	struct line l;
	FILE *line = begin_line(&l);

	if (!line)
		return -ENOMEM;
	tell(c, row, line);
	end_line(&l, to, at, at);
	return 0;
}

static int put_row(const struct hyb_compare *c, const struct hyb_compare_row *row, FILE *to)
{
	const double a = row->mean[0], b = row->mean[1];
	int at = fprintf(to, "%11.6f %11.6f %+11.6f", a / 1e9, b / 1e9, (b - a) / 1e9), err;

	if (a > 0 && b < 10 * a)
		at += fprintf(to, " %+7.1f  ", 100 * (b - a) / a);
	else
		at += fprintf(to, " %7s  ", a > 0 ? ">900" : a < b ? "new" : "");
	if (has_tests(c))
		at += fprintf(to, "%5.3f  ", row->p);
	err = put_text(to, at, tell_name, c, row);
	if (err || row->kind != HYB_COMPARE_REGION || !c->kernel || a == b)
		return err;
	fprintf(to, "%14s", "");
	return put_text(to, 14, tell_parts, c, row);
}

static int put_kind(const struct hyb_compare *c, enum hyb_compare_kind kind, bool all, FILE *to)
{
	uint32_t shown = 0, more = 0;
	int err = 0;

	for (uint32_t i = 0; i < c->order_count && !err; i++) {
		const struct hyb_compare_row *row = c->order[i];
		double by = fabs(row->mean[1] - row->mean[0]);

		if (row->kind != kind || (!row->mean[0] && !row->mean[1]))
			continue;
		if (!all && kind != HYB_COMPARE_LENGTH && !row->fails && shown &&
		    (shown >= ROWS || by < WORTH * c->time)) {
			more++;
			continue;
		}
		if (!shown++ && *titles[kind])
			fprintf(to, "\n%s\n", titles[kind]);
		err = put_row(c, row, to);
	}
	if (more)
		fprintf(to, "%35s  %" PRIu32 " more that differ%s by less: --all\n", "", more, more == 1 ? "s" : "");
	return err;
}

static void put_notes(const struct hyb_compare *c, FILE *to)
{
	bool threads = false;

	for (size_t i = 1; i < c->run_count; i++)
		threads = threads || c->runs[i].threads != c->runs[0].threads;
	if (threads)
		fputs("They differ in how many threads they have. Times are of all threads together.\n", to);
	if (c->mixed)
		fputs("What the kernel did is not known of all of them: it and causes are not compared.\n", to);
	if (c->run_count > 2 && !has_tests(c))
		fputs("These are too few runs for a rank test: it takes three of each, or more.\n", to);
}

int hyb_compare_print(const struct hyb_compare *c, bool all, FILE *to)
{
	int err = 0;

	put_runs(c, to);
	put_notes(c, to);
	fprintf(to, "\n%11s %11s %11s %7s%s\n", "A s", "B s", "B - A", "%", has_tests(c) ? "      p" : "");
	for (int kind = 0; kind < HYB_COMPARE_KINDS && !err; kind++)
		err = put_kind(c, (enum hyb_compare_kind)kind, all, to);
	return err;
}
