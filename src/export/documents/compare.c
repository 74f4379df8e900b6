/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of runs, and each row of which they have values. */
#include "export/documents/compare.h"

#include "analysis/diff/compare.h"
#include "export/documents/document.h"
#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

static json_t *list_runs(const struct hyb_compare *c, uint32_t side)
{
	json_t *runs = json_array();

	for (size_t i = 0; i < c->run_count; i++) {
		const struct hyb_compare_run *run = &c->runs[i];

		if (run->side == side)
			append(&runs, json_pack("{so,so,so,so,sb}", "directory", text(run->dir), "ranks",
						number(run->ranks), "threads", number(run->threads), "time",
						number((uint64_t)run->time), "kernel", run->kernel));
	}
	return runs;
}

/* A row's values of one side. */
static json_t *list_values(const struct hyb_compare *c, const struct hyb_compare_row *row, uint32_t side, bool counts)
{
	json_t *values = json_array();

	for (size_t i = 0; i < c->run_count; i++)
		if (c->runs[i].side == side)
			append(&values, number(counts ? row->count[i] : (uint64_t)row->ns[i]));
	return values;
}

/* By how much more of B's mean is of each part. */
static json_t *pack_parts(const struct hyb_compare *c, const struct hyb_compare_row *row)
{
	const double(*p)[HYB_PARTS] = row->part;

	if (row->kind != HYB_COMPARE_REGION || !c->kernel)
		return NULL;
	return json_pack("{sf,sf,sf,sf,sf,sf,sf}", "own", p[1][HYB_PART_OWN] - p[0][HYB_PART_OWN], "system_calls",
			 p[1][HYB_PART_SYSCALL] - p[0][HYB_PART_SYSCALL], "faults",
			 p[1][HYB_PART_FAULT] - p[0][HYB_PART_FAULT], "interrupts",
			 p[1][HYB_PART_INTERRUPT] - p[0][HYB_PART_INTERRUPT], "voluntary",
			 p[1][HYB_PART_VOLUNTARY] - p[0][HYB_PART_VOLUNTARY], "involuntary",
			 p[1][HYB_PART_INVOLUNTARY] - p[0][HYB_PART_INVOLUNTARY], "unknown",
			 p[1][HYB_PART_UNKNOWN] - p[0][HYB_PART_UNKNOWN]);
}

static json_t *pack_row(const struct hyb_compare *c, const struct hyb_compare_row *row)
{
	static const char *const kinds[HYB_COMPARE_KINDS] = {
		[HYB_COMPARE_LENGTH] = "length", [HYB_COMPARE_TIME] = "time",	[HYB_COMPARE_REGION] = "region",
		[HYB_COMPARE_WAIT] = "wait",	 [HYB_COMPARE_CAUSE] = "cause",
	};
	const bool counted = row->kind == HYB_COMPARE_REGION || row->kind == HYB_COMPARE_WAIT;

	return json_pack("{ss,so,so,so,so*,so*,sf,sf,sf,sf,so*,sb}", "kind", kinds[row->kind], "name", text(row->name),
			 "a", list_values(c, row, 0, false), "b", list_values(c, row, 1, false), "count_a",
			 counted ? list_values(c, row, 0, true) : NULL, "count_b",
			 counted ? list_values(c, row, 1, true) : NULL, "mean_a", row->mean[0], "mean_b", row->mean[1],
			 "difference", row->mean[1] - row->mean[0], "p", row->p, "parts", pack_parts(c, row), "fails",
			 row->fails);
}

int hyb_json_compare(const struct hyb_compare *c, double allowed, FILE *to)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < c->order_count; i++)
		append(&rows, pack_row(c, c->order[i]));
	return hyb_json_document(json_pack("{si,ss,so,so,sb,sf,so*,sb,so}", "version", VERSION, "creator",
					   "hybmon " PACKAGE_VERSION, "a", list_runs(c, 0), "b", list_runs(c, 1),
					   "mixed", c->mixed, "least_p", c->least_p, "allowed",
					   allowed < 0 ? NULL : json_real(allowed), "failed", c->failed, "rows", rows),
				 to);
}
