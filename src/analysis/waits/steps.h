/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of each thread, cut where it meets others: what it did between two such moments, for whom it waited there, and
 * which of them put it in step with whom. A sink of the merge; the steps of all threads are on disk, to be read in the
 * order of time.
 */
#ifndef HYB_ANALYSIS_WAITS_STEPS_H
#define HYB_ANALYSIS_WAITS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/phases.h"
#include "analysis/profile/spots.h"
#include "analysis/waits/step-log.h"
#include "merge/sink/sink.h"

enum hyb_wait_kind {
	HYB_WAIT_LATE_SENDER = 0,
	HYB_WAIT_LATE_RECEIVER,
	HYB_WAIT_BARRIER,
	HYB_WAIT_ALL,	     /* operations in which each needs something of all others */
	HYB_WAIT_LATE_ROOT,  /* broadcast, scatter */
	HYB_WAIT_EARLY_ROOT, /* reduce, gather */
	HYB_WAIT_FENCE,	     /* of one-sided communication */
	HYB_WAIT_LATE_POST,  /* of targets: in MPI_Win_start or MPI_Win_complete */
	HYB_WAIT_LATE_COMPLETE, /* of origins: in MPI_Win_wait */
	HYB_WAIT_WINDOW_LOCK, /* for who has a lock that excludes one's own: in MPI_Win_lock or MPI_Win_unlock */
	HYB_WAIT_FILE,	     /* in collective operations on files */
	HYB_WAIT_HANDLE,     /* where communicators and windows are created and freed, and in MPI_Finalize */
	HYB_WAITS_MPI,	     /* up to here */
	HYB_WAIT_OMP_BARRIER = HYB_WAITS_MPI, /* for the last thread of the team */
	HYB_WAIT_OMP_LOCK, /* for who has it, critical sections as well */
	HYB_WAIT_OMP_TASK, /* for a task's end, or for one to execute */
	HYB_WAIT_OMP_IDLE, /* between parallel regions, for the thread that forks the next one */
	HYB_WAITS,
};

enum hyb_step_kind { /* in this order where times are the same */
	HYB_STEP_WORK = 0, /* what the thread did since its last one: `count` items */
	HYB_STEP_WAIT,	   /* it waited from `since` to `end` for `other`, which came at `time` */
	HYB_STEP_MESSAGE,  /* it has a message of `other`, which was there at `since`: they are in step */
	HYB_STEP_MEETING,  /* it has done operation `number` of communicator `other`: all its members are in step */
	/* Of OpenMP, where only all threads together tell who waited (sync.c). `object` is the team, or the lock. */
	HYB_STEP_FORK,	   /* it begins a region; HYB_STEP_ALONE: without others */
	HYB_STEP_BEGIN,	   /* it has its part in a region that another one forked */
	HYB_STEP_ARRIVE,   /* it comes to a barrier */
	HYB_STEP_REQUEST,  /* it wants a lock */
	HYB_STEP_RELEASED, /* it gives one up */
	/* `object` is the task, `other` the process. */
	HYB_STEP_CREATE,
	HYB_STEP_COMPLETE,
	/* It comes to a fence of window `object`, as process `other`; HYB_STEP_OF_FILE: to an operation on a file. */
	HYB_STEP_FENCE,
	/* From process `other` of MPI to process `end` something has come that this one waits for, of window `object`. */
	HYB_STEP_SIGNAL,
	HYB_STEP_AWAIT, /* that it needed for the EPOCH that comes next */
	/* Process `other` begins to ask for a lock of window `object` at target `number`, or to give it up. */
	HYB_STEP_LOCK,
	HYB_STEP_UNLOCK,
	/* All end what it did from `since` on: `count` items in the order of time, which may be waiting. */
	HYB_STEP_DEPART,   /* it leaves the barrier, or does something else there */
	HYB_STEP_ACQUIRED, /* it has the lock */
	HYB_STEP_FENCED,   /* it is back from the fence */
	HYB_STEP_EPOCH,	   /* it has what it needed */
	HYB_STEP_LOCKED,   /* it is back from asking for the lock, or from giving it up */
	HYB_STEP_TASKS,	   /* it has waited for tasks; of that and of DEPART `end` is the task that it executes then, or 0 */
};

#define HYB_STEP_ALONE UINT64_MAX

enum hyb_step_flag {
	HYB_STEP_LAST = 1,    /* ARRIVE, DEPART: the region ends with this barrier */
	HYB_STEP_AGAIN = 2,   /* DEPART: and the thread has its part in another region at once */
	HYB_STEP_PARTIAL = 4, /* DEPART, TASKS: it goes on waiting later */
	HYB_STEP_ASKED = 8,   /* ACQUIRED: by a REQUEST */
	HYB_STEP_OF_TARGET = 16, /* SIGNAL, AWAIT: a post; otherwise a complete */
	HYB_STEP_NEXT = 32,   /* AWAIT: not the one that it had already */
	HYB_STEP_SHARED = 64, /* LOCK: others may have it, too, if they share it */
	HYB_STEP_OF_FILE = 128, /* FENCE, FENCED: a collective operation on what was opened with number `object` */
};

struct hyb_step {
	int64_t time; /* ns */
	int64_t since;
	int64_t end;
	uint64_t number;
	uint64_t object; /* a team, or process << 32 | lock */
	const struct hyb_step_item *items; /* when it is read */
	uint32_t count;
	uint32_t track;
	uint32_t other; /* track */
	uint32_t spot;	/* of a wait: the call */
	uint8_t kind;	/* enum hyb_step_kind */
	uint8_t wait;	/* enum hyb_wait_kind */
	uint8_t flags;	/* enum hyb_step_flag */
};

/* What a thread did: so long at a spot, and how often that came to an end. */
struct hyb_step_item {
	int64_t ns;
	uint32_t spot;
	uint32_t count;
};

/* Times of a thread, ns. */
struct hyb_step_sums {
	int64_t first;
	int64_t last;
	int64_t in[HYB_TIMES];
	int64_t waited[HYB_WAITS]; /* of that in MPI and OpenMP */
	/* MPI_Init and MPI_Finalize */
	struct hyb_step_edge {
		bool told;
		int64_t time; /* when MPI_Init ends, when MPI_Finalize begins */
		int64_t ns;
		int64_t waited;
	} start, stop;
	int64_t unfinished; /* of in[HYB_TIME_MPI]: in the call that the process was in when it came to a bad end */
	uint64_t calls;		   /* of MPI */
	uint64_t visits;	   /* of regions, the kernel's not among them */
	bool told;
};

struct hyb_flat;

struct hyb_steps { /* of a job */
	struct hyb_flat *flat; /* where what each thread spent is added up, too */
	struct hyb_spots spots;
	struct hyb_step_log log;
	struct hyb_phases phases;
	struct hyb_step_sums *tracks;
	size_t track_count;
	const struct hyb_model *model;
	struct hyb_sink_ops ops;
};

/*
 * The sink that fills it and the flat profile, for hyb_merge_run. After the run, hyb_steps_free, also after an error.
 */
const struct hyb_sink_ops *hyb_steps_sink(struct hyb_steps *steps, struct hyb_flat *flat);
/* What the sink begins with: nothing is known yet of so many threads; `dir` is for files. 0 or -errno. */
int hyb_steps_init(struct hyb_steps *steps, size_t track_count, const char *dir);
void hyb_steps_free(struct hyb_steps *steps);

#endif
