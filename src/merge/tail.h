/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the reading of a job that runs came to, so that the next one goes on there and not from the beginning. Of what
 * is new only regions are told: what messages, OpenMP's teams or the kernel need is found out by readings of all, so it
 * follows with the next one of these. Regions and texts keep their numbers from one reading to the next, and clocks of
 * several nodes what they were corrected by.
 */
#ifndef HYB_MERGE_TAIL_H
#define HYB_MERGE_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/node-times.h"
#include "merge/model/name.h"
#include "merge/model/region.h"

struct hyb_convert;
struct hyb_event;
struct hyb_merge;
struct hyb_open_region;

/* Up to where the events of a stream have been taken in. */
struct hyb_tail_place {
	uint64_t seq;  /* the chunk of the last one; 0: there was none */
	uint32_t told; /* so many of its events, without gaps and what an Enter got later */
	bool gap;      /* after these it was told that chunks are missing or damaged, as they would be found again */
	uint64_t lost; /* records that the writer lost */
};

/* Of a thread's stream. */
struct hyb_tail_thread {
	char *path;
	struct hyb_tail_place place;
	int64_t now;   /* as in struct hyb_convert, as are the next ones */
	int64_t left;
	struct hyb_open_region *stack;
	size_t depth;
	size_t marks;
	bool off;
	bool begun; /* it has been read */
	bool over; /* nothing more will come */
};

struct hyb_tail {
	struct hyb_tail_thread *threads; /* by track */
	size_t count;
	int64_t *last; /* of each process, ns: up to when it is known to have lived */
	size_t processes;
	size_t tracks; /* of CPUs, too */
	size_t clocks; /* of nodes */
	bool goes_on; /* a reading has come to its end: the next one goes on */
	int64_t start; /* that of struct hyb_merge */
	struct hyb_regions regions; /* as long as no merge has them */
	struct hyb_names names;
	struct hyb_sources *sources;
	struct hyb_nodes nodes; /* final times, which go on as they were */
};

struct hyb_tail *hyb_tail_new(void);
void hyb_tail_free(struct hyb_tail *t);
/*
 * After hyb_merge_run was successful with it: takes the merge's regions, texts and clocks, which are then gone there. After one
 * that was not, it is of no more use.
 */
void hyb_tail_keep(struct hyb_tail *t, struct hyb_merge *m);

/* For the merge. Before anything is in its model: gives them back. */
void hyb_tail_give(struct hyb_tail *t, struct hyb_merge *m);
/* The model is known: whose streams they are. 0, -ENOMEM, or -ESTALE: others than before, so all must be read. */
int hyb_tail_begin(struct hyb_tail *t, struct hyb_merge *m);
/* A thread's reading goes on; false: there is nothing more of it. */
bool hyb_tail_thread_begin(struct hyb_convert *c);
/* An event that was read; true: it was told before. */
bool hyb_tail_told(struct hyb_convert *c, const struct hyb_event *event);
/* Whether it may be told otherwise the next time, so that this must not be where that goes on. */
bool hyb_tail_may_change(const struct hyb_convert *c, const struct hyb_event *event);
/* The thread's reading is at its end, nothing is closed so far, and here the next one goes on. */
void hyb_tail_thread_end(struct hyb_convert *c);

#endif
