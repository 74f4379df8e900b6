/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for causes at work: what it knows when it has read all steps up to a moment (causes.c), and OpenMP's part of
 * it (team-waits.c, lock-waits.c, task-waits.c), where a thread's waiting is known only when others have done
 * something. For this folder only.
 */
#ifndef HYB_ANALYSIS_WAITS_FINDER_H
#define HYB_ANALYSIS_WAITS_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/waits/causes.h"
#include "analysis/waits/history.h"
#include "reader/containers/table.h"

enum hyb_met_with { /* whom a thread was in step with */
	HYB_MET_THREAD = 0,
	HYB_MET_COMM,
	HYB_MET_TEAM,
	HYB_MET_WINDOW,
	HYB_MET_FILE,
};

struct hyb_met_group {
	uint32_t id;
	enum hyb_met_with with;
};

struct hyb_finder_track {
	struct hyb_history history;
	int64_t last; /* where its last part ends */
	struct hyb_met_group *groups; /* in which it was in step with all others */
	size_t group_count;
	size_t group_room;
	/* Of posts and completions that its call needs, the last one that came: */
	bool awaits;
	int64_t await_until;
	uint32_t await_by;
	/* At a barrier: */
	bool in;
	bool open;	   /* up to when it waits there is not known yet */
	bool idle;	   /* it is among those that have nothing to do until the region's first thread forks again */
	int64_t arrived;
	int64_t until;
	int64_t idle_since;
	uint32_t first;	   /* that thread */
	uint32_t spot;
	uint32_t *idles; /* those threads for which this one is that first one */
	size_t idle_count;
	size_t idle_room;
};

struct hyb_finder {
	struct hyb_causes *causes;
	struct hyb_steps *steps;
	struct hyb_finder_track *tracks;
	struct hyb_paths paths;
	struct hyb_table met;
	struct hyb_table sums;
	struct hyb_table teams; /* struct team */
	struct hyb_table locks; /* struct lock */
	struct hyb_table tasks; /* struct tasks */
	struct hyb_table fences; /* struct fences */
	struct hyb_table epochs; /* struct epochs */
	struct hyb_table window_locks; /* struct window */
	struct hyb_step *late_idle; /* waits that are told when all steps are read */
	size_t late_count;
	size_t late_room;
	struct hyb_share *shares; /* room */
	size_t share_room;
	int64_t begin; /* the first event of all */
};

/* With `causes`, `steps` and `begin` (INT64_MAX) filled in. 0 or -ENOMEM; to be freed in either case. */
int hyb_finder_init(struct hyb_finder *f);
void hyb_finder_free(struct hyb_finder *f);
/* Work, a wait of MPI's, a message, a meeting of a communicator's members. 0 or -ENOMEM. */
int hyb_finder_step(struct hyb_finder *f, const struct hyb_step *s);
/* A wait of OpenMP's, with what it goes back to: what took longer in the other since both were in step. 0 or -ENOMEM. */
int hyb_finder_wait(struct hyb_finder *f, const struct hyb_step *wait);
/* The same: what the other did from one time to another. */
int hyb_finder_wait_for(struct hyb_finder *f, const struct hyb_step *wait, int64_t from, int64_t to);
/* At that time both are in step. 0 or -ENOMEM. */
int hyb_finder_met(struct hyb_finder *f, uint32_t track, uint32_t other, int64_t time);
/* At that time the thread is in step with all of a team, or of a window, that have the same number. 0 or -ENOMEM. */
int hyb_finder_meet(struct hyb_finder *f, uint32_t track, struct hyb_met_group group, int64_t time, uint64_t number);
/* Of a step's items in the order of time: from then on they were no waiting. 0 or -ENOMEM. */
int hyb_finder_rest(struct hyb_finder *f, const struct hyb_step *s, int64_t from);

/* team-waits.c: 0 or -ENOMEM. */
int hyb_team_waits_step(struct hyb_finder *f, const struct hyb_step *s);
/* After the last step. */
int hyb_team_waits_end(struct hyb_finder *f);
void hyb_team_waits_init(struct hyb_finder *f);
void hyb_team_waits_free(struct hyb_finder *f);
/* lock-waits.c, the same. */
int hyb_lock_waits_step(struct hyb_finder *f, const struct hyb_step *s);
int hyb_lock_waits_end(struct hyb_finder *f);
void hyb_lock_waits_init(struct hyb_finder *f);
void hyb_lock_waits_free(struct hyb_finder *f);
/* task-waits.c, the same. */
int hyb_task_waits_step(struct hyb_finder *f, const struct hyb_step *s);
void hyb_task_waits_init(struct hyb_finder *f);
void hyb_task_waits_free(struct hyb_finder *f);
/* A thread that waited executes a task then: it waited for that to be created. *until is when that was. 0 or -ENOMEM. */
int hyb_task_waits_begin(struct hyb_finder *f, const struct hyb_step *s, int64_t *until);
/* fence-waits.c, the same. */
int hyb_fence_waits_step(struct hyb_finder *f, const struct hyb_step *s);
void hyb_fence_waits_init(struct hyb_finder *f);
void hyb_fence_waits_free(struct hyb_finder *f);
/* epoch-waits.c, the same. */
int hyb_epoch_waits_step(struct hyb_finder *f, const struct hyb_step *s);
void hyb_epoch_waits_init(struct hyb_finder *f);
void hyb_epoch_waits_free(struct hyb_finder *f);
/* window-lock-waits.c, the same. */
int hyb_window_locks_step(struct hyb_finder *f, const struct hyb_step *s);
void hyb_window_locks_init(struct hyb_finder *f);
void hyb_window_locks_free(struct hyb_finder *f);

#endif
