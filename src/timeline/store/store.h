/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a timeline shows: for each track its records in the order of time, 16 bytes each. They lie in a file, packed,
 * in segments (pack.h); of each segment it is known in memory how much time had passed in each class before it. So what
 * a span of time consists of is the difference of two segments and a look into those at its ends, however long it is.
 *
 * The sink (collect.c) fills it; or it is opened as it was kept (cache.h). Several threads may read it then (read.h).
 * Times are ns since `start`.
 */
#ifndef HYB_TIMELINE_STORE_STORE_H
#define HYB_TIMELINE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/merge.h"
#include "timeline/store/curve.h"

enum hyb_view_class { /* of time; the innermost of what a thread is in says it. The page has them in this order. */
		      HYB_VIEW_NONE = 0,   /* in no region; of a CPU: idle */
		      HYB_VIEW_PROGRAM,	   /* in a region that the program told */
		      HYB_VIEW_P2P,	   /* MPI: messages */
		      HYB_VIEW_COLLECTIVE, /* MPI: collective operations */
		      HYB_VIEW_RMA,	   /* MPI: one-sided communication */
		      HYB_VIEW_FILE,	   /* MPI: files */
		      HYB_VIEW_MPI,	   /* MPI: everything else */
		      HYB_VIEW_OMP,	   /* OpenMP's constructs */
		      HYB_VIEW_OMP_WAIT,   /* its barriers, waits for tasks and locks */
		      HYB_VIEW_KERNEL,	   /* system calls and what else the kernel does */
		      HYB_VIEW_FAULT,	   /* page faults */
		      HYB_VIEW_INTERRUPT,
		      HYB_VIEW_WAITING,	  /* off the CPU, since it waits for something */
		      HYB_VIEW_PREEMPTED, /* off the CPU, since another has it */
		      HYB_VIEW_TASK,	  /* of a CPU: it runs one */
		      HYB_VIEW_UNKNOWN,	  /* not recorded, or lost */
		      HYB_VIEW_CLASSES,
};

enum hyb_view_form {
	HYB_VIEW_SLICE = 0, /* a region with nothing in it; `extent`: its length */
	HYB_VIEW_ENTER, /* a region; `extent`: so many records later it is left, 0: it is not, or that is not known */
	HYB_VIEW_LEAVE, /* `extent`: so many records before it was entered */
	HYB_VIEW_POINT, /* an event without duration; `what` has its enum hyb_kind */
};

/* After a record, other than a slice, the track is in the class that it has. */
struct hyb_view_record {
	uint64_t time;
	uint32_t what; /* see below */
	uint32_t extent;
};

#define HYB_VIEW_CLASS_SHIFT                                                                       \
	26 /* of `what`: bits 31-30 form, 29-26 class, 25-0 region's id, or kind */
#define HYB_VIEW_FORM_SHIFT 30
#define HYB_VIEW_ID_MASK 0x3ffffffu

static inline enum hyb_view_form hyb_view_form(uint32_t what)
{
	return (enum hyb_view_form)(what >> HYB_VIEW_FORM_SHIFT);
}

static inline enum hyb_view_class hyb_view_class(uint32_t what)
{
	return (enum hyb_view_class)(what >> HYB_VIEW_CLASS_SHIFT & 15);
}

#define HYB_VIEW_SEGMENT 2048u /* records */
#define HYB_VIEW_HEAD 4096u    /* bytes of the file that come before all else: cache.h */

/*
 * A segment of a track, as it lies in memory and in the cache: where it is, and what is before its first record. After
 * the last one comes one without records, which has the track's end.
 */
struct hyb_view_segment {
	uint64_t offset; /* in the file */
	uint32_t size;	 /* packed */
	uint32_t count;	 /* of records; HYB_VIEW_SEGMENT but in the last one */
	uint64_t time;	 /* of its first record */
	uint64_t last;	 /* up to where its records reach */
	uint64_t open;	 /* number of the innermost region's record + 1; 0: in none */
	uint32_t class;	 /* enum hyb_view_class */
	uint32_t pad;
	uint64_t passed[HYB_VIEW_CLASSES]; /* ns since the track's begin */
};

/* What a region's record is to have that was left when its segment was packed already. */
struct hyb_view_late {
	uint64_t record;
	uint32_t extent;
	uint32_t detail;
};

#define HYB_VIEW_WHOLE	     2048u /* columns of a track as a whole: overview.h */
#define HYB_VIEW_WHOLE_PARTS 4u	   /* that are packed by themselves */

/* Where that lies in the file. */
struct hyb_view_whole {
	uint32_t level;
	uint32_t parts; /* 0: there is none, of a short track */
	uint64_t offset[HYB_VIEW_WHOLE_PARTS];
	uint32_t size[HYB_VIEW_WHOLE_PARTS];
};

struct hyb_view_track {
	struct hyb_track track;
	struct hyb_view_segment *segments; /* and one more */
	size_t segment_count;
	struct hyb_view_late *late; /* by record */
	size_t late_count;
	uint64_t count; /* of records */
	uint64_t begin; /* of its first and last */
	uint64_t end;
	uint32_t depth; /* as many regions as were open at once */
	struct hyb_view_whole whole;
};

/*
 * And in collective operations from the member that came last to each that waited for it: from when it began to where
 * the operation is over here. Their tag is no message's.
 */
#define HYB_VIEW_COLLECTIVE_TAG UINT32_MAX

struct hyb_view_message {
	uint64_t sent;	   /* when its sender began to send it */
	uint64_t received; /* when its receiver had it */
	uint32_t from;	   /* track */
	uint32_t to;
	uint32_t comm;
	uint32_t tag;
	uint64_t bytes;
};

#define HYB_VIEW_BATCH 2048u /* messages */

/* Of messages that lie in the file packed as one: all received on one track. */
struct hyb_view_batch {
	uint64_t offset;
	uint64_t first; /* the earliest and the latest time that any of them has */
	uint64_t last;
	uint32_t size;
	uint32_t count;
	uint32_t to;
	uint32_t from[2]; /* the least and the greatest number of the tracks that sent them */
	uint32_t pad;
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

struct hyb_view_parts;

struct hyb_view_store {
	const struct hyb_merge
		*merge; /* what filled it, complete when the store is; NULL: it was opened */
	int64_t start;
	uint64_t length; /* ns: where the last track ends */
	struct hyb_view_track *tracks;
	size_t track_count;
	struct hyb_view_curve *curves; /* by track and name */
	size_t curve_count;
	size_t curve_room;
	struct hyb_view_batches batches;
	uint64_t message_count;
	struct hyb_table details; /* the first, 0, says nothing */
	uint32_t regions;	  /* their ids are less */
	bool running; /* it is of a job that had not ended */
	bool elsewhere; /* as far as can be seen: its processes are on other machines */
	uint64_t whole; /* of a job that runs: from then on there are regions only (timeline/store/tail.h); 0: there is all */
	uint64_t lost; /* records, and chunks */
	bool pairing; /* its messages are not there so far */
	bool rough; /* clocks of its nodes are as they are */
	bool sketch; /* of samples: what lies between them is estimated, and there is nothing of the kernel */
	char *comms;		  /* of a job that runs: the communicators that messages name, in `about` */
	char *about;		  /* what the page is told of it: timeline/json/view.h */
	size_t about_size;
	int fd;
	uint64_t size;		      /* of the file */
	struct hyb_view_parts *parts; /* those that are unpacked */
	char *tables;		      /* of a cache: segments and the like lie there */
};

struct hyb_view_sink;
struct hyb_view_tail;

/* What a run is to find, or-ed. Messages take more readings. */
enum hyb_view_wanted { HYB_VIEW_RECORDS = 1, HYB_VIEW_MESSAGES = 2 };

/*
 * The sink of one run of the merge (HYB_MERGE_KERNEL_THREAD and CPU), which fills the file `fd`, the store's from now
 * on, from `size` on, at least HYB_VIEW_HEAD. NULL without memory. After the run, hyb_view_complete; after that, or
 * without, hyb_view_store_free.
 */
const struct hyb_sink_ops *hyb_view_sink(struct hyb_view_store *s, int fd, uint64_t size, uint32_t wanted,
					 struct hyb_view_sink **sink);
/*
 * Of a job that runs, before the run: what is held of its tracks, and with which store it goes on, in whose file, as it is
 * then (NULL: it begins). The run has the tail of the merge's (merge/tail.h) that belongs to it. Nothing is held of more
 * than HYB_VIEW_HELD tracks.
 */
void hyb_view_sink_goes_on(struct hyb_view_sink *sink, struct hyb_view_tail *tail, const struct hyb_view_store *before);
/* It can be read then. 0 or -errno. */
int hyb_view_complete(struct hyb_view_store *s);
/*
 * To a store of records the messages that another run has put into the same file, of which it was told the size; `from`
 * is of no use after that, and its file is not closed.
 */
void hyb_view_take_messages(struct hyb_view_store *s, struct hyb_view_store *from);
void hyb_view_store_free(struct hyb_view_store *s);
void hyb_view_sink_free(struct hyb_view_sink *sink);

#endif
