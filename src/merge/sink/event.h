/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the merge tells sinks (sink.h): what happened on one track, one event after the other, in final times and in
 * the model's numbers. Regions are balanced on each track, times never go back there, and messages and collective
 * operations have all their halves, or are not told at all.
 */
#ifndef HYB_MERGE_SINK_EVENT_H
#define HYB_MERGE_SINK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "merge/sink/attribute.h"

struct hyb_gregion;
struct hyb_gmetric_class;
struct hyb_kernel_node;

enum hyb_kind { /* and which member of struct hyb_merge_event holds what belongs to it */
	HYB_KIND_ENTER = 0, /* region */
	HYB_KIND_LEAVE,	    /* region: the innermost one that is open */
	HYB_KIND_OFF,	    /* nothing: what happens from here on is not recorded */
	HYB_KIND_ON,
	HYB_KIND_PROGRAM_BEGIN, /* program: on the first track of a process, its first event */
	HYB_KIND_PROGRAM_END,	/* status: its last one, where its end was seen */
	HYB_KIND_METRIC,	/* metric: before the ENTER or LEAVE that it was read at, of the same time, or anywhere */
	HYB_KIND_SAMPLE,	/* sample: the thread was there, below the regions that are open */

	HYB_KIND_SEND, /* message, all four */
	HYB_KIND_ISEND,
	HYB_KIND_RECV,
	HYB_KIND_IRECV,		    /* when the request is complete */
	HYB_KIND_IRECV_REQUEST,	    /* request: when the receive was begun */
	HYB_KIND_ISEND_COMPLETE,    /* request */
	HYB_KIND_REQUEST_TEST,	    /* request: was not complete */
	HYB_KIND_REQUEST_CANCELLED, /* request */

	HYB_KIND_COLLECTIVE_BEGIN,    /* collective, as its end: COLLECTIVE_END, before the region is left */
	HYB_KIND_COLLECTIVE_END,      /* collective */
	HYB_KIND_COLLECTIVE_REQUEST,  /* request: a non-blocking one begins */
	HYB_KIND_COLLECTIVE_COMPLETE, /* collective, with its request */

	HYB_KIND_RMA_OP,		/* rma: put, get, atomic, as `what` says */
	HYB_KIND_RMA_DONE_BLOCKING,	/* rma.win, rma.id: complete for its origin by what the call guarantees */
	HYB_KIND_RMA_DONE_REQUEST,	/* the same, by its request */
	HYB_KIND_RMA_DONE_REMOTE,	/* the same: complete at its target */
	HYB_KIND_RMA_COLLECTIVE_BEGIN,	/* nothing; RMA_COLLECTIVE_END follows */
	HYB_KIND_RMA_COLLECTIVE_END,	/* rma.win; what: CREATE, DESTROY, FENCE; flags */
	HYB_KIND_WIN_CREATE,		/* rma.win */
	HYB_KIND_WIN_DESTROY,		/* rma.win */
	HYB_KIND_RMA_GROUP_SYNC,	/* rma.win, rma.group; what: POST, START, COMPLETE, WAIT */
	HYB_KIND_RMA_LOCK_REQUEST,	/* rma.win, target (UINT32_MAX: all), flags (SHARED) */
	HYB_KIND_RMA_LOCK_ACQUIRED,	/* the same */
	HYB_KIND_RMA_LOCK_RELEASED,	/* rma.win, target */
	HYB_KIND_RMA_SYNC,		/* rma.win, target: the own rank */

	HYB_KIND_IO_CREATE,    /* io.handle; flags: HYB_IO_RDWR and so on */
	HYB_KIND_IO_DESTROY,   /* io.handle */
	HYB_KIND_IO_DELETE,    /* io.file */
	HYB_KIND_IO_SEEK,      /* io.handle, offset, reached; flags: from where */
	HYB_KIND_IO_BEGIN,     /* io.handle, what, flags, bytes (asked for), id */
	HYB_KIND_IO_ISSUED,    /* io.handle, id: the call that began it is over, the operation is not */
	HYB_KIND_IO_COMPLETE,  /* io.handle, bytes (moved), id */
	HYB_KIND_IO_CANCELLED, /* io.handle, id */
	HYB_KIND_IO_MEETING,   /* io.handle, what: a call of all that opened it, without data; beside IO_CREATE and others */

	HYB_KIND_FORK, /* threads: asked for */
	HYB_KIND_JOIN, /* nothing */
	HYB_KIND_TEAM_BEGIN, /* team */
	HYB_KIND_TEAM_END,
	HYB_KIND_TASK_CREATE, /* task */
	HYB_KIND_TASK_SWITCH,
	HYB_KIND_TASK_COMPLETE,
	HYB_KIND_LOCK_ACQUIRED, /* lock */
	HYB_KIND_LOCK_RELEASED,
	HYB_KINDS,
};

enum hyb_root { /* of a collective operation, where it is no rank */
	HYB_ROOT_NONE = -1,
	HYB_ROOT_SELF = -2,	  /* between two groups: this process is it (MPI_ROOT) */
	HYB_ROOT_THIS_GROUP = -3, /* another one of its group is (MPI_PROC_NULL) */
};

struct hyb_merge_event {
	enum hyb_kind kind;
	uint32_t attribute_count;
	const struct hyb_attribute *attributes; /* valid during the call */
	int64_t time;				/* ns */
	union {
		struct hyb_gregion *region;
		uint64_t request; /* unique in the process */
		struct {
			uint32_t comm; /* id of the communicator */
			uint32_t peer; /* rank in it; between two groups: in the other one */
			uint32_t tag;
			bool partitioned;
			uint64_t bytes;
			uint64_t request; /* 0: blocking */
			/* For sinks that need pairs, otherwise 0: */
			uint64_t number;     /* of the message, the same in both halves; 0: not known */
			int64_t other_begin; /* ns: when the other half was begun, */
			int64_t other_end;   /* and when its event is, */
			uint32_t other_track; /* on the track with this index */
		} message;
		struct {
			enum hyb_coll op;
			uint32_t comm;
			int32_t root; /* rank, or enum hyb_root */
			uint64_t sent; /* bytes */
			uint64_t received;
			uint64_t request; /* 0: blocking */
			/* For sinks that need pairs, otherwise 0: */
			uint64_t number;     /* of the operation, the same in all members; 0: not known, or alone */
			int64_t first_begin; /* ns: when the first member began it, */
			int64_t last_begin;  /* when the last one did, */
			int64_t last_end;    /* and when the last one's is complete; */
			/*
			 * when the last of those began it for whom this member waits: whose data it takes, or, of operations
			 * without data, all, if it ended after that. INT64_MIN: it waits for nobody,
			 */
			int64_t given;
			uint32_t giver;	     /* on the track with this index */
			bool alone;	     /* on MPI_COMM_SELF; then the times are its own */
		} collective;
		struct {
			uint32_t what; /* enum hyb_rma_what */
			uint32_t flags;
			uint32_t win;	 /* id of the window */
			uint32_t target; /* rank in its communicator */
			uint32_t group;	 /* index of the group */
			uint64_t sent;	 /* bytes */
			uint64_t received;
			uint64_t id; /* unique in the process */
		} rma;
		struct {
			uint32_t what; /* enum hyb_io_what */
			uint32_t flags;
			uint32_t file;	 /* id of the file */
			uint32_t handle; /* id of what was opened */
			bool begun;	 /* a later call ends it */
			uint64_t bytes;
			uint64_t offset;
			uint64_t reached;
			uint64_t id; /* unique in the process */
		} io;
		uint32_t threads;
		uint32_t team; /* index of the team's group; HYB_COMM_NONE: the thread alone */
		struct {
			uint32_t team;	  /* in which it was created */
			uint32_t creator; /* its number in that team */
			uint32_t number;  /* of the task, by that creator */
			uint64_t id;	  /* unique in the process; 0: an implicit task */
		} task;
		struct {
			uint32_t lock;
			uint32_t order; /* how often it had been acquired */
		} lock;
		struct {
			uint32_t name; /* number of a text, as are the arguments */
			uint32_t count;
			const uint32_t *args;
		} program;
		struct {
			bool known;
			int64_t code; /* exit status */
		} status;
		struct {
			const struct hyb_gmetric_class *class;
			const uint64_t *values; /* of its members, each in the member's type; valid during the call */
			uint32_t instance; /* of a class that is not of threads: unique for the thread and it */
		} metric;
		struct {
			const struct hyb_kernel_node *node; /* whose chains it is of */
			uint32_t chain; /* UINT32_MAX: not known */
			uint32_t metric; /* what was sampled: an index of the node's */
			uint64_t weight; /* how much of that it stands for */
		} sample;
	};
};

#endif
