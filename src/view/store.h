/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a timeline shows, as it lies in memory: for each track its records in the order of time, 16 bytes each, and for
 * each block of them how much time had passed in each class by then. So what a span of time consists of is the
 * difference of two blocks and a look at the records at its ends, however long it is.
 *
 * The sink (collect.c) writes it into a file without a name, which is mapped when all is told; several threads may read
 * it then. Times are ns since `start`.
 */
#ifndef HYB_VIEW_STORE_H
#define HYB_VIEW_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/merge.h"

enum hyb_view_class { /* of time; the innermost of what a thread is in says it. The page has them in this order. */
	HYB_VIEW_NONE = 0,   /* in no region; of a CPU: idle */
	HYB_VIEW_PROGRAM,    /* in a region that the program told */
	HYB_VIEW_P2P,	     /* MPI: messages */
	HYB_VIEW_COLLECTIVE, /* MPI: collective operations */
	HYB_VIEW_RMA,	     /* MPI: one-sided communication */
	HYB_VIEW_FILE,	     /* MPI: files */
	HYB_VIEW_MPI,	     /* MPI: everything else */
	HYB_VIEW_OMP,	     /* OpenMP's constructs */
	HYB_VIEW_OMP_WAIT,   /* its barriers, waits for tasks and locks */
	HYB_VIEW_KERNEL,     /* system calls and what else the kernel does */
	HYB_VIEW_FAULT,	     /* page faults */
	HYB_VIEW_INTERRUPT,
	HYB_VIEW_WAITING,    /* off the CPU, since it waits for something */
	HYB_VIEW_PREEMPTED,  /* off the CPU, since another has it */
	HYB_VIEW_TASK,	     /* of a CPU: it runs one */
	HYB_VIEW_UNKNOWN,    /* not recorded, or lost */
	HYB_VIEW_CLASSES,
};

enum hyb_view_form {
	HYB_VIEW_SLICE = 0, /* a region with nothing in it; `extent`: its length */
	HYB_VIEW_ENTER,	    /* a region; `extent`: so many records later it is left, 0: it is not, or that is not known */
	HYB_VIEW_LEAVE,	    /* `extent`: so many records before it was entered */
	HYB_VIEW_POINT,	    /* an event without duration; `what` has its enum hyb_kind */
};

/* After a record, other than a slice, the track is in the class that it has. */
struct hyb_view_record {
	uint64_t time;
	uint32_t what; /* see below */
	uint32_t extent;
};

#define HYB_VIEW_CLASS_SHIFT 26 /* of `what`: bits 31-30 form, 29-26 class, 25-0 region's id, or kind */
#define HYB_VIEW_FORM_SHIFT  30
#define HYB_VIEW_ID_MASK     0x3ffffffu

static inline enum hyb_view_form hyb_view_form(uint32_t what)
{
	return (enum hyb_view_form)(what >> HYB_VIEW_FORM_SHIFT);
}

static inline enum hyb_view_class hyb_view_class(uint32_t what)
{
	return (enum hyb_view_class)(what >> HYB_VIEW_CLASS_SHIFT & 15);
}

#define HYB_VIEW_BLOCK 128u /* records */

/* As it is before the first record of the block, at that record's time. */
struct hyb_view_block {
	uint64_t time;
	uint64_t open;	/* number of the innermost region's record + 1; 0: in none */
	uint64_t class; /* enum hyb_view_class */
	uint64_t passed[HYB_VIEW_CLASSES]; /* ns since the track's begin */
};

#define HYB_VIEW_SEGMENT 65536u /* records; a multiple of blocks */

/* Where in the file a segment of a track lies: its records, their details, its blocks. */
struct hyb_view_segment {
	uint64_t offset;
	uint32_t count; /* of records; HYB_VIEW_SEGMENT but in the last one */
};

struct hyb_view_track {
	struct hyb_track track;
	struct hyb_view_segment *segments;
	size_t segment_count;
	uint64_t count; /* of records */
	uint64_t begin; /* of its first and last */
	uint64_t end;
	uint32_t depth; /* as many regions as were open at once */
};

struct hyb_view_message {
	uint64_t sent;	   /* when its sender began to send it */
	uint64_t received; /* when its receiver had it */
	uint32_t from;	   /* track */
	uint32_t to;
	uint32_t comm;
	uint32_t tag;
	uint64_t bytes;
};

/* Of messages that lie in the file one after the other: all received on one track. */
struct hyb_view_batch {
	uint64_t offset;
	uint64_t first;	/* the earliest and the latest time that any of them has */
	uint64_t last;
	uint32_t count;
};

struct hyb_view_batches {
	struct hyb_view_batch *list;
	size_t count;
	size_t room;
};

/* What is told of a record besides its region: texts of the model and small numbers. */
struct hyb_view_detail {
	uint32_t next; /* another one of the same record; 0: none */
	uint32_t id;   /* enum hyb_attribute_id */
	uint64_t value;
};

struct hyb_view_store {
	const struct hyb_merge *merge; /* complete when the store is */
	uint64_t length; /* ns: where the last track ends */
	struct hyb_view_track *tracks;
	size_t track_count;
	struct hyb_view_batches batches;
	uint64_t message_count;
	struct hyb_table details; /* the first, 0, says nothing */
	int fd;
	uint64_t size; /* of the file */
	const char *map;
};

static inline const char *hyb_view_segment_at(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t i)
{
	return s->map + t->segments[i / HYB_VIEW_SEGMENT].offset;
}

static inline const struct hyb_view_record *hyb_view_record_at(const struct hyb_view_store *s,
							       const struct hyb_view_track *t, uint64_t i)
{
	return (const struct hyb_view_record *)hyb_view_segment_at(s, t, i) + i % HYB_VIEW_SEGMENT;
}

static inline const struct hyb_view_block *hyb_view_block_at(const struct hyb_view_store *s,
							     const struct hyb_view_track *t, uint64_t block)
{
	const char *at = hyb_view_segment_at(s, t, block * HYB_VIEW_BLOCK);
	size_t count = t->segments[block * HYB_VIEW_BLOCK / HYB_VIEW_SEGMENT].count;

	at += count * sizeof(struct hyb_view_record);
	return (const struct hyb_view_block *)at + block % (HYB_VIEW_SEGMENT / HYB_VIEW_BLOCK);
}

/* Number of the record's detail. */
static inline uint32_t hyb_view_detail_at(const struct hyb_view_store *s, const struct hyb_view_track *t, uint64_t i)
{
	const char *at = hyb_view_segment_at(s, t, i);
	size_t count = t->segments[i / HYB_VIEW_SEGMENT].count, blocks = (count + HYB_VIEW_BLOCK - 1) / HYB_VIEW_BLOCK;

	at += count * sizeof(struct hyb_view_record) + blocks * sizeof(struct hyb_view_block);
	return ((const uint32_t *)at)[i % HYB_VIEW_SEGMENT];
}

struct hyb_view_sink;

/*
 * The sink of one run of the merge (HYB_MERGE_KERNEL_THREAD and CPU, pairs), whose file is made in `place`. NULL without
 * memory. After the run, hyb_view_complete; after that, or without, hyb_view_store_free.
 */
const struct hyb_sink_ops *hyb_view_sink(struct hyb_view_store *s, const char *place, struct hyb_view_sink **sink);
/* Maps it. 0 or -errno. */
int hyb_view_complete(struct hyb_view_store *s);
void hyb_view_store_free(struct hyb_view_store *s);
void hyb_view_sink_free(struct hyb_view_sink *sink);

#endif
