/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of all processes: one for each (name, unit, type, mode, scale, flags), and one class for each row of them that
 * is read together. What is of the process or node, not of the thread that reads it, is in a class of its own, so that
 * all of a class are of the same.
 */
#ifndef HYB_MERGE_MODEL_METRIC_H
#define HYB_MERGE_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "reader/streams/metric.h"

#define HYB_METRIC_UNUSED UINT32_MAX

enum hyb_metric_scope { /* what the values are of */
	HYB_METRIC_OF_THREAD = 0,
	HYB_METRIC_OF_PROCESS,
	HYB_METRIC_OF_NODE,
	HYB_METRIC_SCOPES,
};

struct hyb_gmetric {
	struct hyb_metric def; /* its own copy; id is the first one's */
	bool used;
	uint32_t id; /* its number, HYB_METRIC_UNUSED: it has none */
};

struct hyb_gmetric_class {
	enum hyb_metric_scope scope;
	bool kernel; /* what a collector counted, by enum hyb_kernel_count */
	uint32_t count;
	struct hyb_gmetric **members;
	bool used;   /* some thread has it; set without a lock, by whoever sees it first */
	uint32_t id; /* its number, HYB_METRIC_UNUSED: it has none */
};

struct hyb_gmetrics {
	struct hyb_table metrics; /* of pointers, which stay, as below */
	struct hyb_table classes;
	uint32_t next; /* number of a class */
	uint32_t next_metric;
};

void hyb_gmetrics_init(struct hyb_gmetrics *g);
void hyb_gmetrics_free(struct hyb_gmetrics *g);
/* Takes in the sets that a process defined. 0 or -ENOMEM. */
int hyb_gmetrics_add(struct hyb_gmetrics *g, const struct hyb_metric_defs *defs);
/* The class of what the kernel counts; NULL without memory. */
struct hyb_gmetric_class *hyb_gmetrics_add_kernel(struct hyb_gmetrics *g, const struct hyb_metric *metrics, uint32_t count);
/*
 * Those of a set that was taken in, by scope; NULL: it has none of that. 0 or -ENOMEM. Thread-safe once all are taken
 * in.
 */
int hyb_gmetrics_find(const struct hyb_gmetrics *g, const struct hyb_metric_defs *defs, const struct hyb_metric_set *set,
		      struct hyb_gmetric_class *classes[HYB_METRIC_SCOPES]);
/* Gives the classes in use and their members numbers, in the order of definition. The kernel's may come to use later. */
void hyb_gmetrics_number(struct hyb_gmetrics *g);
/* It is in use, and so are its members. */
void hyb_gmetric_class_use(struct hyb_gmetric_class *class);

static inline enum hyb_metric_scope hyb_metric_scope(const struct hyb_metric *m)
{
	return m->flags & HYB_METRIC_NODE      ? HYB_METRIC_OF_NODE
	       : m->flags & HYB_METRIC_PROCESS ? HYB_METRIC_OF_PROCESS
					       : HYB_METRIC_OF_THREAD;
}

static inline struct hyb_gmetric *hyb_gmetrics_at(const struct hyb_gmetrics *g, uint32_t i)
{
	return *(struct hyb_gmetric **)hyb_table_at(&g->metrics, i);
}

static inline struct hyb_gmetric_class *hyb_gmetrics_class(const struct hyb_gmetrics *g, uint32_t i)
{
	return *(struct hyb_gmetric_class **)hyb_table_at(&g->classes, i);
}

#endif
