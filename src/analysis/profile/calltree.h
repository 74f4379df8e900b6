/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call tree of a job: the profiles of its threads, added up by call path. A call path is the same in two threads if
 * the regions have the same names and were called from the same lines, whatever their numbers and addresses are there.
 */
#ifndef HYB_ANALYSIS_PROFILE_CALLTREE_H
#define HYB_ANALYSIS_PROFILE_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/spots.h"
#include "format/profile.h"
#include "merge/model/model.h"

/* Times are nanoseconds of all threads together. Inclusive is exclusive and what is inclusive in the children. */
struct hyb_call_path {
	uint32_t parent; /* of the root itself: 0 */
	uint32_t depth;
	enum hyb_spot_kind kind;	  /* TOP: threads, from their first record to their last */
	const struct hyb_gregion *region; /* of HYB_SPOT_REGION */
	const char *site;		  /* where it is called, NULL: not known; set by hyb_calltree_sum */
	uint64_t visits;
	int64_t exclusive;
	int64_t inclusive;
	int64_t min; /* of one call */
	int64_t max;
	uint64_t sends;
	uint64_t sent; /* bytes, as received of collective operations, too */
	uint64_t receives;
	uint64_t received;
	uint64_t collectives;
	uint64_t errors;
	uint64_t bytes; /* of its records, where it was read from profiles; the root's: also what is no region's */
	uint64_t bins[HYB_PROFILE_BINS]; /* calls that took 2^i ns or more */
	/* Over the processes, also those that were never there. */
	int64_t least; /* inclusive */
	int64_t most;
	uint32_t least_in; /* index of the process in the model */
	uint32_t most_in;
	uint32_t processes; /* that were there */
};

/* A counter, of all threads that have it: by how much it grew. */
struct hyb_call_metric {
	const struct hyb_gmetric *metric;
	uint64_t *inclusive; /* by path, in the metric's own scale */
	uint64_t *exclusive; /* the same without its children; NULL before hyb_calltree_sum */
	uint32_t room;
};

struct hyb_calltree {
	struct hyb_spots spots;	     /* the paths as code locations, by the same numbers */
	struct hyb_call_path *paths; /* parents before their children; the first is the root */
	uint32_t count;
	uint32_t processes; /* that have a profile */
	uint32_t threads;
	uint32_t running;   /* threads that had not ended */
	uint32_t open;	    /* regions that had not */
	uint32_t torn;	    /* threads that were killed while they added up */
	uint32_t unreadable;
	uint64_t stray;
	int64_t lasted; /* threads, together */
	int64_t covered; /* of that it is known what the kernel did, where events of the kernel are not in a trace */
	uint32_t own;	  /* threads of which it is no more than what they may know of themselves */
	uint64_t crowded; /* of these, events that are not told apart from what they were in */
	uint64_t lost; /* records, for want of space */
	uint64_t gaps; /* places in traces where chunks are missing */
	struct hyb_call_metric *metrics;
	size_t metric_count;
	size_t metric_room;
	size_t room;
};

/* Of one process: exclusive times by path. All zero: of none. */
struct hyb_call_own {
	int64_t *ns;
	uint32_t room;
};

/* A tree with its root. 0 or -ENOMEM. */
int hyb_calltree_init(struct hyb_calltree *tree);
/* Makes the paths of all spots. 0 or -ENOMEM. */
int hyb_calltree_know(struct hyb_calltree *tree);
/* The number of the spot like this one, with its path, made if need be; HYB_SPOT_NONE without memory. */
uint32_t hyb_calltree_path(struct hyb_calltree *tree, const struct hyb_spot *like);
/* 0 or -ENOMEM. */
int hyb_call_own_room(struct hyb_call_own *own, uint32_t count);
/* Takes down what a process had of each path, and is all zero again. Each process once. */
void hyb_calltree_compare(struct hyb_calltree *tree, struct hyb_call_own *own, uint32_t process);
/* Whether a counter's values can be added up: what grows, and is a whole number. */
bool hyb_call_adds_up(const struct hyb_metric *m);
/* The place of a counter among those of the tree, made if need be; SIZE_MAX without memory. */
size_t hyb_calltree_metric(struct hyb_calltree *tree, const struct hyb_gmetric *metric);
/* It grew by so much in the path. 0 or -ENOMEM. */
int hyb_calltree_count(struct hyb_calltree *tree, size_t metric, uint32_t path, uint64_t value);
/* When all is in: inclusive times, exclusive counts, and the sites, which are among `names`. 0 or -ENOMEM. */
int hyb_calltree_sum(struct hyb_calltree *tree, const struct hyb_names *names);

struct hyb_ids;
struct hyb_thread_profile;

struct hyb_call_thread { /* that has been read */
	uint32_t process; /* index into the model's */
	uint32_t track;
	int64_t begin; /* ns */
	const struct hyb_thread_profile *profile;
	struct hyb_ids *ids;
	const uint32_t *nodes; /* its cells, children before their parents */
	uint32_t count;
	const uint32_t *path_of; /* by cell: the path in the tree; several may have the same */
	const int64_t *own;	 /* by cell: ns there and in nothing below */
};

/* 0, or -errno, which ends the reading. */
typedef int (*hyb_call_tell)(void *arg, const struct hyb_calltree *tree, const struct hyb_call_thread *thread);

/* Of which ranks and threads; -1: all. */
struct hyb_calltree_selection {
	int64_t rank;
	int64_t thread;
	hyb_call_tell tell; /* of each thread, process by process; may be NULL */
	void *tell_arg;
};

/*
 * Adds up what is recorded now. The model was surveyed, and stays as long as the tree is used. 0; -ENOENT: nothing was
 * recorded as a profile; -EINTR: the model's stop; -ENOMEM. What cannot be read is reported, and counted.
 */
int hyb_calltree_read(struct hyb_calltree *tree, struct hyb_model *model,
		      const struct hyb_calltree_selection *selection);
/* Also of one that is zero. */
void hyb_calltree_free(struct hyb_calltree *tree);

#endif
