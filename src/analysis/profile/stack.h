/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulator: a thread's stack of regions, kept up with the events of its track, and what the thread spent at each
 * code location. The flat profile, the call tree and the steps of the search for causes are made of it; they differ in
 * which rows locations belong to. A user tells the time of each event first (hyb_stack_pass), then what it is.
 */
#ifndef HYB_ANALYSIS_PROFILE_STACK_H
#define HYB_ANALYSIS_PROFILE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/spots.h"

struct hyb_merge_event;

struct hyb_spent { /* at a spot and in nothing below it */
	uint64_t visits;
	int64_t ns;
	int64_t paused; /* as ns, while recording was switched off */
};

struct hyb_stack_frame {
	uint32_t spot;
	int64_t enter;
	uint64_t calls; /* that it stands for */
	size_t mark;	/* the user's */
};

struct hyb_stack {
	struct hyb_spots *spots;
	bool tasks; /* who had the CPU makes two spots of one */
	struct hyb_spent *spent; /* by spot */
	size_t spent_count;
	size_t spent_room;
	struct hyb_stack_frame *frames; /* the first is the root, the thread itself */
	size_t depth;
	size_t room;
	int64_t last; /* event */
	uint64_t events;
	/*
	 * Recording is switched off. A pause has a frame, too, but it may begin in one region and end in another, or its
	 * end may be missing, so the frame alone does not say it.
	 */
	bool paused;
	uint64_t pauses;
};

/* Opens the frame of the thread itself, at its first event. 0 or -ENOMEM. */
int hyb_stack_begin(struct hyb_stack *s, int64_t now);
/* Frames that are still open end at the last event. */
void hyb_stack_end(struct hyb_stack *s);
/* Also of one that is zero. */
void hyb_stack_free(struct hyb_stack *s);
/* A region begins. 0 or -ENOMEM. */
int hyb_stack_enter(struct hyb_stack *s, const struct hyb_merge_event *e);
/* Recording is switched off: `first`, or a region was left meanwhile. 0 or -ENOMEM. */
int hyb_stack_pause(struct hyb_stack *s, bool first);
/* And on again, which ends the innermost frame if that is a pause. */
void hyb_stack_resume(struct hyb_stack *s);
/* The innermost frame ends. */
void hyb_stack_pop(struct hyb_stack *s);
/* Who had the CPU for longest while the thread was pre-empted is known when it comes back: e. 0 or -ENOMEM. */
int hyb_stack_blame(struct hyb_stack *s, const struct hyb_merge_event *e);

static inline struct hyb_stack_frame *hyb_stack_top(const struct hyb_stack *s)
{
	return &s->frames[s->depth - 1];
}

static inline const struct hyb_spot *hyb_stack_spot(const struct hyb_stack *s, size_t depth)
{
	return hyb_spots_at(s->spots, s->frames[depth - 1].spot);
}

/* The innermost frame is a pause. */
static inline bool hyb_stack_is_paused(const struct hyb_stack *s)
{
	return s->depth > 1 && hyb_stack_spot(s, s->depth)->kind == HYB_SPOT_PAUSED;
}

/* A region is open. A pause in it is left with it. */
static inline bool hyb_stack_can_leave(const struct hyb_stack *s)
{
	return s->depth > 1u + hyb_stack_is_paused(s);
}

/* The time since the last event, which it returns, is the innermost frame's. */
static inline int64_t hyb_stack_pass(struct hyb_stack *s, int64_t now)
{
	struct hyb_spent *spent = &s->spent[hyb_stack_top(s)->spot];
	int64_t ns = now - s->last;

	*(s->paused ? &spent->paused : &spent->ns) += ns;
	s->last = now;
	s->events++;
	return ns;
}

#endif
