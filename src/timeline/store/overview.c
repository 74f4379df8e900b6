/* SPDX-License-Identifier: BSD-3-Clause */
/* See overview.h. */
#include "timeline/store/overview.h"

#include <string.h>

/* Two columns become one. */
static void fold(struct hyb_overview *o)
{
	const uint32_t half = (o->used + 1) / 2;

	if (o->used % 2)
		memset(&o->columns[o->used], 0, sizeof(*o->columns));
	for (uint32_t i = 0; i < half; i++) {
		const struct hyb_view_sums *a = &o->columns[2 * i], *b = a + 1;
		struct hyb_view_sums sum;

		for (int k = 0; k < HYB_VIEW_CLASSES; k++)
			sum.passed[k] = a->passed[k] + b->passed[k];
		sum.records = a->records + b->records;
		o->columns[i] = sum;
	}
	o->used = half;
	o->level++;
}

void hyb_overview_reach(struct hyb_overview *o, uint64_t time)
{
	while (time >> o->level >= HYB_VIEW_WHOLE)
		fold(o);
	if (time >> o->level < o->used)
		return;
	memset(&o->columns[o->used], 0, ((time >> o->level) + 1 - o->used) * sizeof(*o->columns));
	o->used = (uint32_t)(time >> o->level) + 1;
}

void hyb_overview_spread(struct hyb_overview *o, uint32_t class, uint64_t from, uint64_t until)
{
	while (from < until) {
		const uint64_t column = from >> o->level, end = (column + 1) << o->level;
		const uint64_t to = end < until ? end : until;

		o->columns[column].passed[class] += to - from;
		from = to;
	}
}
