/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For sinks whose output is one file: each track's events wait in a file of their own until all tracks are told, and
 * are then put one after the other, in the tracks' order, whichever thread told them and when. No file is kept open
 * meanwhile, so there may be any number of tracks.
 */
#ifndef HYB_MERGE_SINK_PARTS_H
#define HYB_MERGE_SINK_PARTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/sink/sink.h"

#define HYB_PART_SIZE (64u << 10) /* bytes that wait in memory for each open part */

struct hyb_track_info {
	struct hyb_track track;
	uint64_t events;
	bool written; /* there is a file */
};

/* A sink whose output is one file. */
struct hyb_sink {
	const struct hyb_sink_ops *ops;
	const struct hyb_merge *m;
	const char *name; /* of the output, with which the parts' names begin */
	int64_t start;	  /* time 0 of the output, once all tracks are told: the merge's start */
	bool failed;	   /* the first error was said */
	pthread_mutex_t lock;
	struct hyb_track_info *infos; /* of the parts that were closed; at the end by the index of their tracks */
	size_t count;
	size_t room;
};

/* What is known of a track that is told: the first member of the sink's own struct. */
struct hyb_track_part {
	struct hyb_sink *sink;
	int64_t start; /* of the merge */
	struct hyb_track_info info; /* events: the sink counts them here */
	size_t used;
	char buffer[HYB_PART_SIZE];
};

/* For struct hyb_sink_ops.begin, and .end: makes one output of what `define` writes and all tracks, in their order. */
int hyb_parts_begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink);
int hyb_parts_end(struct hyb_sink *sink);
/* For struct hyb_sink_ops.free. What is left of the parts goes with the directory. */
void hyb_parts_free(struct hyb_sink *sink);

/*
 * From any thread, one for each track: allocates that many bytes, a part and after it 0. 0 or -errno, here and below;
 * what has to be said is.
 */
int hyb_part_open(struct hyb_sink *sink, const struct hyb_track *track, size_t size, void **part);
/* Writes out what waits in memory. */
int hyb_part_flush(struct hyb_track_part *part);
/* Any number of bytes. */
int hyb_part_write(struct hyb_track_part *part, const void *bytes, size_t size);
/* For struct hyb_sink_ops.close: writes out what waits, and frees the part. */
int hyb_part_close(void *part, uint64_t *events);

/* Makes room for that many bytes, at most HYB_PART_SIZE, at buffer + used. */
static inline int hyb_part_room(struct hyb_track_part *part, size_t size)
{
	return __builtin_expect(part->used + size <= HYB_PART_SIZE, 1) ? 0 : hyb_part_flush(part);
}

#endif
