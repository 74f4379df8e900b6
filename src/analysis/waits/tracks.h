/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread as its steps are made (walk.c, of the events of steps.c), and what of MPI it meets others in (meet.c). */
#ifndef HYB_ANALYSIS_WAITS_TRACKS_H
#define HYB_ANALYSIS_WAITS_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/stack.h"
#include "analysis/waits/steps.h"
#include "reader/containers/keymap.h"

struct hyb_merge_event;

struct hyb_walk_spot { /* what is known of a spot of the thread */
	int64_t ns;    /* in this step */
	uint32_t count;
	uint32_t shared; /* the spot's number in the job; HYB_SPOT_NONE: none yet */
	bool listed;	 /* among those of this step */
};

struct hyb_walk_piece { /* of a call */
	int64_t from;
	int64_t to;
	uint32_t spot;
	uint32_t count;
};

enum hyb_walk_place { /* where it may wait */
	HYB_WALK_MPI = 0,
	HYB_WALK_BARRIER,
	HYB_WALK_TASKS,
	HYB_WALK_LOCK,
	HYB_WALK_NOWHERE, /* of regions: none of these */
};

#define HYB_WALK_NO_WINDOW UINT32_MAX

struct hyb_walk_call { /* the outermost call of MPI, or OpenMP's waiting */
	bool in;
	enum hyb_walk_place place;
	bool meets; /* others: a step ends here */
	bool looks; /* for a message, or for the end of what was begun, which the next call then takes */
	bool finds; /* what calls before may have looked for */
	uint32_t window; /* that it synchronises; HYB_WALK_NO_WINDOW: none */
	bool file;	 /* it is no window, but what a collective operation on a file has opened */
	uint32_t what;	 /* enum hyb_rma_what */
	uint32_t group;	 /* with whom, but for fences and locks */
	uint32_t target; /* of a lock: rank in the window, UINT32_MAX: all */
	bool shared;
	uint32_t spot;
	size_t depth;
	int64_t enter;
	int64_t until; /* when the last of those came that it waited for */
	enum hyb_wait_kind wait;
	uint32_t other; /* who that was */
	uint32_t receiver; /* of what it sends: who had not begun to receive; UINT32_MAX: nobody */
	int64_t received;  /* and when that began */
	struct hyb_walk_piece *pieces;
	size_t piece_count;
	size_t room;
	struct hyb_step *met; /* steps to be put down when it is left */
	size_t met_count;
	size_t met_room;
};

#define HYB_WALK_LOOKS 16

struct hyb_walk_look { /* a call that looked for something, until it is known for what */
	uint32_t spot;
	int64_t enter;
	int64_t leave;
	struct hyb_walk_piece *pieces;
	size_t piece_count;
	size_t room;
};

struct hyb_walk_team {
	uint64_t team; /* HYB_STEP_ALONE: none */
	bool forked;   /* by this thread */
};

struct hyb_walk_barrier { /* that was left, until it is known what comes next */
	bool left;
	struct hyb_step arrive;
	struct hyb_step depart;
	struct hyb_step_item *items; /* of that */
	size_t item_room;
};

struct hyb_walk {
	struct hyb_steps *steps;
	struct hyb_step_sums *sums;
	struct hyb_track_windows windows;
	uint32_t track;
	struct hyb_step_lanes lanes;
	struct hyb_spots spots; /* its own */
	struct hyb_walk_spot *known; /* by spot */
	size_t known_count;
	size_t known_room;
	uint32_t *touched; /* spots of this step */
	size_t touched_count;
	size_t touched_room;
	struct hyb_stack stack; /* of these spots */
	struct hyb_table rivals; /* for the flat profile */
	struct hyb_walk_call call;
	struct hyb_walk_look looks[HYB_WALK_LOOKS]; /* the oldest first */
	size_t look_count;
	/* Sends under way whose receive was begun later than they: when, and by which track; by request. */
	struct hyb_key_map posted;
	struct hyb_key_map posted_by;
	uint32_t process;
	bool first_thread; /* of it */
	const struct hyb_model *model;
	struct hyb_walk_team *teams; /* that it is in, the innermost last */
	size_t team_depth;
	size_t team_room;
	bool forks; /* a region is entered next */
	uint64_t fork_team;
	uint64_t next_task; /* that it executes in the region that is entered next */
	struct hyb_walk_barrier barrier;
	struct hyb_step_item *items; /* of the step that is made */
	size_t item_room;
	int64_t since; /* when this step began */
};

/* It was so for that time. */
static inline void hyb_walk_spend(struct hyb_walk *w, enum hyb_time_class class, int64_t from, int64_t to)
{
	w->sums->in[class] += to - from;
	hyb_phases_spend(&w->steps->phases, &w->windows, class, from, to);
}
/* The call under way waits until that time for another thread, or for one that comes later still. */
void hyb_walk_waits(struct hyb_walk *w, enum hyb_wait_kind wait, int64_t until, uint32_t other);
/* When the call is left this thread is in step with others; the step's time is set then. 0 or -ENOMEM. */
int hyb_walk_meets(struct hyb_walk *w, const struct hyb_step *step);
/* The thread was at the spot for so long. 0 or -ENOMEM. */
int hyb_walk_add(struct hyb_walk *w, uint32_t spot, int64_t ns, uint32_t count);
/* Puts a step of the thread down, with those of its items. */
int hyb_walk_put(struct hyb_walk *w, struct hyb_step *step);
/* Puts down what the thread did up to now, which may be a call. */
int hyb_walk_work(struct hyb_walk *w, int64_t time, const struct hyb_spot *call);
/*
 * What the call under way did up to now becomes a step's items, in order; it ends now. The step is not put down. 0 or
 * -errno.
 */
int hyb_walk_stay(struct hyb_walk *w, struct hyb_step *step, int64_t now);
/* Of a call: from `until` on it did what belongs to the next step, or to this one if nothing ends here. 0 or -ENOMEM. */
int hyb_walk_add_pieces(struct hyb_walk *w, const struct hyb_walk_piece *pieces, size_t count, int64_t until);
/* Of a call that ends no step: what it did. */
int hyb_walk_pieces(struct hyb_walk *w);
/* Of a spot of the thread's the number that all threads know it by; HYB_SPOT_NONE without memory. */
uint32_t hyb_walk_shared(struct hyb_walk *w, uint32_t spot);
/* Begins a call, or waiting, at the innermost region. */
void hyb_walk_begin(struct hyb_walk *w, enum hyb_walk_place place, int64_t now);
/* windows.c: ends a call that synchronises a window; what was before is put down already. 0 or -errno. */
int hyb_walk_window(struct hyb_walk *w, int64_t now);
/* sync.c: OpenMP's waiting. A region has been entered; one has been left; something else. 0 or -errno. */
int hyb_walk_sync_enter(struct hyb_walk *w, int64_t now);
int hyb_walk_sync_leave(struct hyb_walk *w, int64_t now);
int hyb_walk_sync_event(struct hyb_walk *w, const struct hyb_merge_event *e);
/* Before each event: a barrier that was left is put down when it is known what came next. */
int hyb_walk_sync_next(struct hyb_walk *w, const struct hyb_merge_event *e);
/* What is still open when the thread ends. */
int hyb_walk_sync_close(struct hyb_walk *w);
/* Room for so many items of the next step that is put down; NULL without memory. */
struct hyb_step_item *hyb_walk_items(struct hyb_walk *w, size_t count);
/* meet.c: an event in a call. 0 or -errno. */
int hyb_walk_meet(struct hyb_walk *w, const struct hyb_merge_event *e);

#endif
