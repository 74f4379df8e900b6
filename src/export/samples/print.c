/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile of samples as text; see print.h. */
#include "export/samples/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/samples/profile.h"
#include "export/samples/tree.h"
#include "reader/streams/printable.h"

#define TREE_SHARE 200 /* of all: what has less is not in the tree */
#define INDENT_MAX 40

struct printing {
	FILE *to;
	const struct hyb_samples_profile *profile;
	double unit; /* what a weight of 1 is, in the unit */
	bool time;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static double share(const struct printing *p, uint64_t weight)
{
	return p->profile->weight ? 100.0 * (double)weight / (double)p->profile->weight : 0;
}

static void print_numbers(const struct printing *p, const struct hyb_samples_row *row)
{
	fprintf(p->to, "%7.2f %7.2f ", share(p, row->weight), share(p, row->all_weight));
	if (p->time)
		fprintf(p->to, "%12.6f", (double)row->weight * p->unit);
	else
		fprintf(p->to, "%12" PRIu64, row->weight);
	fprintf(p->to, " %9" PRIu64 "  ", row->count);
}

static void print_where(const struct printing *p, const struct hyb_samples_row *row)
{
	static const char *const others[] = {
		[HYB_FRAME_KERNEL] = "kernel",
		[HYB_FRAME_GENERATED] = "generated code",
		[HYB_FRAME_UNKNOWN] = "no file is known there",
	};

	if (row->path)
		hyb_show(p->to, "  (%s)", last_part(row->path));
	else if (row->kind < sizeof(others) / sizeof(others[0]) && others[row->kind])
		fprintf(p->to, "  (%s)", others[row->kind]);
}

static void print_function(const struct printing *p, const struct hyb_samples_row *row)
{
	print_numbers(p, row);
	hyb_show(p->to, "%s", row->function);
	print_where(p, row);
	putc('\n', p->to);
}

static void print_line(const struct printing *p, const struct hyb_samples_row *row)
{
	print_numbers(p, row);
	hyb_show(p->to, "%s:%lu  ", last_part(row->file), (unsigned long)row->line);
	hyb_show(p->to, "%s", row->function);
	print_where(p, row);
	putc('\n', p->to);
}

static void print_region(const struct printing *p, const struct hyb_samples_row *row)
{
	print_numbers(p, row);
	hyb_show(p->to, "%s\n", *row->function ? row->function : "outside of all regions");
}

static int print_table(const struct printing *p, const char *title, const char *what, const struct hyb_table *table,
		       bool lines, void (*print)(const struct printing *p, const struct hyb_samples_row *row))
{
	const struct hyb_samples_row **rows = hyb_samples_profile_sort(table);

	if (!rows)
		return -ENOMEM;
	fprintf(p->to, "\n%s\n%7s %7s %12s %9s  %s\n", title, "own %", "all %", p->time ? "own s" : "own", "samples",
		what);
	for (uint32_t i = 0; i < table->count; i++)
		if (!lines || (rows[i]->file && rows[i]->count))
			print(p, rows[i]);
	free(rows);
	return 0;
}

static void print_node(void *arg, const struct hyb_samples_node *node, unsigned int depth)
{
	const struct printing *p = arg;

	fprintf(p->to, "%7.2f %7.2f  %*s", share(p, node->weight), share(p, node->all_weight),
		(int)(depth < INDENT_MAX ? depth : INDENT_MAX) * 2, "");
	hyb_show(p->to, node->region ? "[%s]" : "%s", node->name);
	if (node->path)
		hyb_show(p->to, "  (%s)", last_part(node->path));
	putc('\n', p->to);
}

static int print_tree(struct printing *p, const struct hyb_samples_tally *tally, const char *metric)
{
	struct hyb_samples_tree tree;
	int ret;

	hyb_samples_tree_init(&tree);
	ret = hyb_samples_tree_add(&tree, tally, metric);
	if (!ret) {
		fprintf(p->to, "\nBy call path, from 0.5 %% on; in brackets: regions\n%7s %7s  function\n", "own %",
			"all %");
		ret = hyb_samples_tree_each(&tree, tree.weight / TREE_SHARE + 1, print_node, p);
	}
	hyb_samples_tree_free(&tree);
	return ret;
}

/* What came of the copies of stacks, if there are some. */
static void print_copies(const struct hyb_merge *m, FILE *to)
{
	uint64_t copied = 0, raw = 0, cut[HYB_UNWIND_ENDS] = { 0 };

	for (size_t i = 0; i < m->kernel.node_count; i++) {
		copied += m->kernel.nodes[i].copied_samples;
		raw += m->kernel.nodes[i].raw_samples;
		for (int end = 0; end < HYB_UNWIND_ENDS; end++)
			cut[end] += m->kernel.nodes[i].cut_samples[end];
	}
	if (!copied)
		return;
	fprintf(to, "%" PRIu64 " call chains unwound from copies of the stack", copied - raw);
	if (cut[HYB_UNWIND_SHORT])
		fprintf(to, "; %" PRIu64 " cut where the copy ends: raise HYBMON_SAMPLE_STACK", cut[HYB_UNWIND_SHORT]);
	if (cut[HYB_UNWIND_LOST])
		fprintf(to, "; %" PRIu64 " cut at code without tables", cut[HYB_UNWIND_LOST]);
	if (raw)
		fprintf(to, "; %" PRIu64 " not unwound%s, but by frame pointers", raw,
			hyb_unwinder_can() ? "" : " for want of elfutils");
	putc('\n', to);
}

static void print_title(const struct hyb_merge *m, const struct printing *p, const struct hyb_sample_metric *metric)
{
	uint64_t stray = 0, lost = 0;

	for (size_t i = 0; i < m->kernel.node_count; i++) {
		stray += m->kernel.nodes[i].stray_samples;
		lost += m->kernel.nodes[i].lost_samples;
	}
	fprintf(p->to, "%" PRIu64 " samples of %s", p->profile->count, metric->name);
	if (p->time)
		fprintf(p->to, ", %.6f s", (double)p->profile->weight * p->unit);
	else
		fprintf(p->to, ", which stand for %" PRIu64, p->profile->weight);
	if (lost)
		fprintf(p->to, "; %" PRIu64 " lost", lost);
	if (stray)
		fprintf(p->to, "; %" PRIu64 " of threads that are not recorded", stray);
	putc('\n', p->to);
}

static double power(const struct hyb_sample_metric *metric)
{
	double value = 1;

	for (int i = metric->exponent; i < 0; i++)
		value /= metric->base;
	for (int i = 0; i < metric->exponent; i++)
		value *= metric->base;
	return value;
}

static int print_metric(const struct hyb_merge *m, const struct hyb_samples_tally *tally,
			const struct hyb_sample_metric *metric, FILE *to)
{
	struct hyb_samples_profile profile;
	struct printing p = {
		.to = to,
		.profile = &profile,
		.unit = power(metric),
		.time = !strcmp(metric->unit, "s"),
	};
	int ret;

	hyb_samples_profile_init(&profile);
	ret = hyb_samples_profile_add(&profile, tally, metric->name);
	if (!ret) {
		print_title(m, &p, metric);
		ret = print_table(&p, "By function", "function", &profile.functions, false, print_function);
	}
	if (!ret)
		ret = print_table(&p, "By line", "line, function", &profile.lines, true, print_line);
	if (!ret)
		ret = print_table(&p, "By the innermost open region", "region", &profile.regions, false, print_region);
	if (!ret)
		ret = print_tree(&p, tally, metric->name);
	hyb_samples_profile_free(&profile);
	return ret;
}

/* Whether a node before has it, so that it was printed. */
static bool is_printed(const struct hyb_merge *m, size_t node, const char *name)
{
	for (size_t i = 0; i < node; i++)
		for (size_t k = 0; k + 1 < m->kernel.nodes[i].metric_count; k++)
			if (!strcmp(m->kernel.nodes[i].metrics[k].name, name))
				return true;
	return false;
}

int hyb_samples_print(const struct hyb_merge *m, const struct hyb_samples_tally *tally, FILE *to)
{
	int ret = 0;

	if (!tally->rows.count)
		fputs("no samples were recorded: HYBMON_SAMPLE=997Hz takes some\n", to);
	else
		print_copies(m, to);
	for (size_t i = 0; tally->rows.count && i < m->kernel.node_count; i++)
		for (size_t k = 0; !ret && k + 1 < m->kernel.nodes[i].metric_count; k++)
			if (!is_printed(m, i, m->kernel.nodes[i].metrics[k].name))
				ret = print_metric(m, tally, &m->kernel.nodes[i].metrics[k], to);
	return ret;
}
