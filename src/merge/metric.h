/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of threads while their streams are converted: values that wait for the Enter or Leave that they belong to,
 * and what they add up to.
 */
#ifndef HYB_MERGE_METRIC_H
#define HYB_MERGE_METRIC_H

#include <stdint.h>

#include "merge/model/metric.h"
#include "reader/streams/metric.h"

/* Of one counter in one thread, each in the counter's type. */
struct hyb_metric_sum {
	uint64_t first;
	uint64_t last;
	uint64_t least;
	uint64_t most;
};

/* What a thread has of a class. */
struct hyb_metric_use {
	struct hyb_gmetric_class *class;
	uint32_t instance; /* number of those that are not of a thread; HYB_METRIC_UNUSED: it is */
	uint64_t readings;
	int64_t time; /* ns: of the last one */
	struct hyb_metric_sum *sums; /* of each member */
};

/* Of a thread, in the order in which they came; all zero: none. */
struct hyb_metric_uses {
	struct hyb_metric_use *uses;
	size_t count;
	size_t room;
};

/* NULL: it has none of that. */
static inline struct hyb_metric_use *hyb_metric_use(const struct hyb_metric_uses *u, const struct hyb_gmetric_class *class)
{
	size_t i;

	for (i = 0; i < u->count; i++)
		if (u->uses[i].class == class)
			return &u->uses[i];
	return NULL;
}

void hyb_metric_uses_free(struct hyb_metric_uses *u);

struct hyb_metric_waiting {
	size_t set; /* place in the definitions */
	size_t at;  /* of its values */
};

/* Of a thread's conversion; all zero at first. */
struct hyb_metric_queue {
	struct hyb_metric_reader reader;
	struct hyb_metric_waiting *waiting; /* those that belong to the next event */
	size_t count;
	size_t room;
	uint64_t *values;
	size_t value_count;
	size_t value_room;
	uint64_t *part; /* values of one class, where that is not all of the set */
	size_t part_room;
};

struct hyb_merge;

/* metric.c, once all is counted: gives classes, counters and instances their numbers. */
void hyb_merge_number_metrics(struct hyb_merge *m);

#endif
