/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel did. The streams of a node's CPUs are read once, as one row in the order of time
 * (kernel.c): what happened on each CPU is told at once on its track (cpu.c), what happened to a
 * thread that is recorded goes into a row of intervals on disk (thread.c), which the thread's own conversion nests
 * into its regions (nest.c). README.md says why.
 */
#ifndef HYB_MERGE_KERNEL_KERNEL_H
#define HYB_MERGE_KERNEL_KERNEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/kernel/chains.h"
#include "merge/model/metric.h"
#include "merge/model/region.h"
#include "merge/kernel/spill.h"
#include "reader/containers/table.h"
#include "merge/model/model.h"
#include "reader/symbols/unwind.h"
#include "reader/streams/kernel.h"

struct hyb_merge;
struct hyb_convert;

#define HYB_SPAN_VALUES 6 /* the first half is for the Enter, the second for the Leave */

/* One interval of a thread, as it waits on disk. What its end tells is filled in when that comes. */
struct hyb_span {
	int64_t begin; /* ns */
	int64_t end;
	struct hyb_gregion *region; /* NULL: none, see attribute[0] */
	uint64_t value[HYB_SPAN_VALUES];
	uint8_t attribute[8]; /* of each value its enum hyb_attribute_id, 0: none; without region enum hyb_span_values */
};

enum hyb_span_values {	    /* what the values of a span without region are */
	HYB_SPAN_COUNTS = 0, /* enum hyb_kernel_count, added up */
	HYB_SPAN_SAMPLE,     /* chain, weight, metric */
};

/* Of a thread, from one node's streams. */
struct hyb_kernel_row {
	struct hyb_spill_row spill;
	const struct hyb_spill *file;
	const struct hyb_kernel_node *node;
	int64_t begin; /* of its first interval */
	struct hyb_kernel_row *next;	 /* of the same thread, from another node */
	struct hyb_kernel_row *of_node; /* of the same node */
};

/* What the kernel counted of a thread, where it tells no more: in the order of struct hyb_kernel_event's words. */
enum hyb_kernel_count {
	HYB_KCOUNT_VOLUNTARY,
	HYB_KCOUNT_INVOLUNTARY,
	HYB_KCOUNT_MINOR,
	HYB_KCOUNT_MAJOR,
	HYB_KCOUNT_RAN,
	HYB_KCOUNT_WAITED,
	HYB_KCOUNTS,
};

/* How often something happened to a process, and for how long. */
struct hyb_kernel_sum {
	const struct hyb_gregion *region;
	uint64_t count;
	int64_t ns;
};

struct hyb_kernel_process {
	const struct hyb_model_process *process;
	struct hyb_kernel_sum *sums;
	size_t sum_count;
	size_t sum_room;
	struct hyb_kernel_sum out[2]; /* off the CPU: voluntary, involuntary */
	uint64_t counts[HYB_KCOUNTS];
	bool counted;
	bool seen;		      /* some thread of it is in the kernel's streams */
};

/* What a node's streams need that the model numbers, in the order in which they first do. */
struct hyb_kernel_needs {
	struct hyb_names texts;
	struct hyb_gregion **regions; /* of what CPUs' tracks tell */
	size_t count;
	size_t room;
};

/* What is sampled, or counted at a sample. */
struct hyb_sample_metric {
	uint64_t id; /* in the node's streams */
	const char *name;
	const char *unit; /* without a prefix: see base, exponent */
	uint8_t base;
	int8_t exponent;
};

/* Of a node of the model: what its streams tell. */
struct hyb_kernel_node {
	struct hyb_model_node *model;
	size_t thread_count; /* recorded ones that are in its streams */
	int64_t since; /* ns: its first event */
	struct hyb_spill spill;
	struct hyb_kernel_row *rows;
	struct hyb_kernel_stats stats;
	uint64_t repaired; /* ends without a begin, and the like */
	uint64_t events;   /* told to sinks */
	struct hyb_kernel_needs needs;
	struct hyb_chains chains; /* of samples */
	uint32_t first_frame; /* number of its first frame among those of all nodes, */
	uint32_t first_chain; /* of its first chain, */
	uint32_t first_metric; /* and of its first metric, once they are known */
	struct hyb_sample_metric *metrics; /* of samples */
	size_t metric_count;
	uint64_t samples;      /* of threads that are recorded */
	uint64_t stray_samples; /* of others of the job */
	uint64_t lost_samples;
	uint64_t copied_samples; /* with a copy of the stack */
	uint64_t cut_samples[HYB_UNWIND_ENDS]; /* of these, whose chain is cut */
	uint64_t raw_samples; /* and those that could not be unwound at all: the kernel's chain stands */
};

struct hyb_kernel {
	struct hyb_kernel_node *nodes; /* as the model has them */
	size_t node_count;
	bool threads; /* wanted: in the threads' tracks */
	bool samples; /* some sink wants them */
	pthread_mutex_t lock;	/* of what follows, the model's texts, and the threads' rows */
	struct hyb_gmetric_class *counts; /* what is counted, if threads are wanted; its `used`: there is some */
	struct hyb_gregion *lost; /* the region that stands where events are missing */
	struct hyb_kernel_stats stats; /* of all nodes, once read */
	uint64_t repaired;
};

void hyb_kernel_init(struct hyb_kernel *k, bool threads, bool samples);
void hyb_kernel_free(struct hyb_kernel *k);
/* When the model is known: its nodes. 0 or -ENOMEM. */
int hyb_kernel_add_nodes(struct hyb_merge *m);
/*
 * Numbers of texts and regions are given out as they are first needed. Where several nodes are read at once that would
 * not be the same in each run: so a reading of its own, before that, finds out what each node needs.
 */
bool hyb_kernel_needs_reading(const struct hyb_merge *m);
/* Reads one node's streams for that; or, see above, to tell what is in them. 0 or -errno. */
int hyb_kernel_pass(struct hyb_merge *m, struct hyb_kernel_node *node, bool needs_only);
/* When all nodes are read for it: gives the numbers out, node by node. 0 or -ENOMEM. */
int hyb_kernel_number(struct hyb_merge *m);
/* The same: the numbers of samples' frames, chains and metrics among those of all nodes. */
void hyb_kernel_number_samples(struct hyb_merge *m);
/* Sets the merge's start, before any track is told. 0 or -ENOMEM. */
int hyb_kernel_find_start(struct hyb_merge *m);
/* When all nodes are read: what they add up to. */
void hyb_kernel_sum_up(struct hyb_merge *m);

/* A thread's intervals while its own events are converted. */
struct hyb_nest {
	const struct hyb_kernel_row *row; /* that is being read; NULL: no more of them */
	struct hyb_spill_reader reader;
	struct hyb_span next;
	bool has; /* next is set */
	bool off; /* what happens now is not recorded by request */
	int64_t from; /* the process's life */
	int64_t to;
	int64_t past; /* the latest end so far */
	struct hyb_span *open;
	size_t depth;
	size_t room;
};

/* Begins a thread's conversion for writing. 0 or -errno. */
int hyb_nest_begin(struct hyb_convert *c);
/*
 * Writes what the kernel did before the time of the thread's next own event, all of it ended by then: of an interval
 * that such an event lies in by an error of the clocks, the end or the begin is moved to it, and counted. c->now rises.
 */
void hyb_nest_until(struct hyb_convert *c, int64_t time);
/* Writes the rest, up to the end of the process. */
void hyb_nest_end(struct hyb_convert *c);
void hyb_nest_free(struct hyb_convert *c);

/* names.c: the class of what the kernel counts, NULL without memory. */
struct hyb_gmetric_class *hyb_kernel_define_counts(struct hyb_gmetrics *g);

/* summary.c */
void hyb_kernel_summary(const struct hyb_merge *m, FILE *to);
/*
 * Which part of the time in which the node's processes ran its data covers, 0 to 1; -1: that is not known. *since: when
 * it begins after them, ns of the merged time; 0: it does not.
 */
double hyb_kernel_covered(const struct hyb_merge *m, const struct hyb_kernel_node *k, int64_t *since);

#endif
