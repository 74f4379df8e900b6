/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was moved: messages by sender and receiver, and by size; collective operations by kind and size; operations on
 * files. A sink of the merge. Its memory is for those pairs only that have a message.
 */
#ifndef HYB_ANALYSIS_PROFILE_TRAFFIC_H
#define HYB_ANALYSIS_PROFILE_TRAFFIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "format/format.h"
#include "merge/model/model.h"
#include "merge/sink/sink.h"

enum hyb_traffic_kind {
	HYB_TRAFFIC_PAIR = 0,	/* a: process that sends, b: that receives */
	HYB_TRAFFIC_SIZE,	/* b: size class */
	HYB_TRAFFIC_COLLECTIVE, /* a: enum hyb_coll, b: size class of what a member sends or receives, the larger one */
	HYB_TRAFFIC_READ,	/* a: file */
	HYB_TRAFFIC_WRITE,
	HYB_TRAFFIC_UNPAIRED, /* messages whose receive is not known */
};

#define HYB_TRAFFIC_SMALL 4096u /* bytes: what less than that is for an operation on a file */

struct hyb_traffic_row {
	enum hyb_traffic_kind kind;
	uint32_t a;
	uint32_t b;
	uint64_t count;
	uint64_t bytes; /* of collective operations sent and received */
	uint64_t small; /* operations on files */
	uint64_t timed; /* of them so many have a time: blocking ones */
	uint64_t timed_bytes;
	/*
	 * ns. A message's transit: from when both its halves were begun until it was received. Of others from their begin
	 * to their end.
	 */
	int64_t ns;
	int64_t most;
};

struct hyb_traffic {
	struct hyb_table rows; /* struct hyb_traffic_row; in the end by kind, most bytes first, of SIZE by size */
	pthread_mutex_t lock;
	bool begun;
	const struct hyb_model *model;
	struct hyb_sink_ops ops;
};

/* Size classes: 0, and then powers of two. */
static inline uint32_t hyb_traffic_class(uint64_t bytes)
{
	return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

/* The least bytes of one. */
static inline uint64_t hyb_traffic_from(uint32_t class)
{
	return class ? UINT64_C(1) << (class - 1) : 0;
}

/* The sink that fills it, for hyb_merge_run. After the run, hyb_traffic_free, also after an error. */
const struct hyb_sink_ops *hyb_traffic_sink(struct hyb_traffic *traffic);
/* Without a sink: it is empty, and has what a row says, too. 0 or -ENOMEM; by one thread. */
void hyb_traffic_init(struct hyb_traffic *traffic);
int hyb_traffic_add(struct hyb_traffic *traffic, const struct hyb_traffic_row *row);
void hyb_traffic_free(struct hyb_traffic *traffic);
/* When all is in: sorts it. It is for reading in order from here on. */
void hyb_traffic_order(struct hyb_traffic *traffic);

#endif
