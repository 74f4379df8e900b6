/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The critical path: the longest chain of work and messages through the job. It ends with the thread that ends last;
 * where that waited, it goes on with whom it waited for, up to the beginning. Each thread has the chain that leads to
 * it. One that waits until another comes has the other's from then on, so chains are branches of trees, and what only
 * one thread's chain has is joined to it: memory is for as many pieces as there are threads, whatever the length of
 * the run.
 */
#ifndef HYB_ANALYSIS_WAITS_CRITICAL_PATH_H
#define HYB_ANALYSIS_WAITS_CRITICAL_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"

struct hyb_path_piece {		       /* of a chain */
	struct hyb_path_piece *parent; /* what came before */
	struct hyb_path_piece *child;  /* the first one */
	struct hyb_path_piece *next;   /* of the same parent; or of those that are free */
	struct hyb_path_piece *previous;
	struct hyb_table parts; /* struct hyb_path_part */
};

struct hyb_path_part { /* what a thread did at a spot, as far as it is on the chain */
	uint32_t track;
	uint32_t spot;
	int64_t ns;
};

struct hyb_path_track {
	struct hyb_path_piece *piece; /* its own only */
	int64_t time;		      /* up to here it is known */
};

struct hyb_paths {
	struct hyb_path_track *tracks;
	size_t track_count;
	struct hyb_path_piece *free;
};

/* 0 or -ENOMEM; after either, hyb_paths_free. */
int hyb_paths_init(struct hyb_paths *paths, size_t track_count);
void hyb_paths_free(struct hyb_paths *paths);
/* The thread was at a spot for so long. 0 or -ENOMEM. */
int hyb_paths_work(struct hyb_paths *paths, uint32_t track, uint32_t spot, int64_t ns);
/* And what it did is known up to that time. */
void hyb_paths_until(struct hyb_paths *paths, uint32_t track, int64_t time);
/* It waited at a spot from a time to another, for another thread. 0 or -ENOMEM. */
int hyb_paths_wait(struct hyb_paths *paths, uint32_t track, uint32_t spot, int64_t since,
		   int64_t end, uint32_t other);
/* The chain that leads to the thread: a table of struct hyb_path_part, which is empty at first. 0 or -ENOMEM. */
int hyb_paths_get(const struct hyb_paths *paths, uint32_t track, struct hyb_table *parts);
void hyb_path_parts_init(struct hyb_table *parts);

#endif
