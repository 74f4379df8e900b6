/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program tells: the hot path of its regions. Each thread keeps a stack of what it has begun, so that an end
 * is recorded where its begin was, and what is said of a region is said of the right one. Events are guarded by a frame
 * (core/record/record.h): a handler that interrupts one leaves no record, so that none is torn.
 */
#ifndef HYB_CORE_USER_USER_H
#define HYB_CORE_USER_USER_H

#include "hybmon.h"

#include "core/config/config.h"
#include "core/process/process.h"
#include "core/record/record.h"
#include "core/record/stack.h"

/* A region that the thread has begun and not ended. */
struct hyb_user_open {
	uint64_t what;		/* of a function its address, otherwise the region with HYB_USER_TOLD */
	uint64_t word;		/* its Enter, if that may become a CALL; BRIEF: ticks that it has to take */
	const uint64_t *end;	/* and where that ended; NULL: it may not, or was not recorded */
	uint64_t begin;
	uint32_t region;
	uint32_t state;		/* enum hyb_user_state */
};

enum hyb_user_state {
	HYB_USER_SILENT = 0,	/* not recorded */
	HYB_USER_RECORDED,	/* its Enter was written, so its Leave will be */
	HYB_USER_BRIEF,		/* its Enter waits for something in it to be recorded, or for its end: brief.c */
};

#define HYB_USER_TOLD (UINT64_C(1) << 63)	/* no code lies so high */

/* The thread's last value of a counter, and the chunk in which it is. */
struct hyb_user_value {
	uint64_t value;
	uint64_t seq;
};

struct hyb_user_thread {
	struct hyb_user_open *top;	/* the next free one */
	struct hyb_user_open *base;
	struct hyb_user_open *limit;
	struct hyb_user_value *values;	/* of counters, by their number; counter.c */
	uint32_t value_room;
	uint32_t brief;			/* depth of the outermost BRIEF one; 0: there is none */
	uint64_t *end;			/* the thread's, while there is one */
};

extern __thread struct hyb_user_thread hyb_user_self __attribute__((tls_model("initial-exec")));

#define HYB_USER_LEFT_OUT UINT32_MAX	/* the id of what is not to be recorded */
/* Ids with this bit are of regions whose short visits are left out: below it the number of the time, and the region. */
#define HYB_USER_BRIEF_ID (UINT32_C(1) << 31)
#define HYB_USER_TIME_SHIFT 24
#define HYB_USER_TIMES 127		/* with the last one an id might be LEFT_OUT */
#define HYB_USER_REGION_MASK ((UINT32_C(1) << HYB_USER_TIME_SHIFT) - 1)

/* Also where the process has yet to begin to record: see hyb_user_starts. */
static HYB_HOT bool hyb_user_is_off(enum hyb_user_group group)
{
	return hyb_is_off(HYB_RECORDING_USER(group));
}

/*
 * Nothing of a group is recorded now. Begins to record, if that has not been done. True if the process is recorded, so
 * that what begins now may have to be known later.
 */
bool hyb_user_starts(void) HYB_COLD;
/* The same, and the group is to be recorded at once. */
bool hyb_user_turns_on(enum hyb_user_group group) HYB_COLD;
/* Room for one more open region; false without memory. */
bool hyb_user_grow(struct hyb_user_thread *u) HYB_COLD;
/* Puts a region on the stack that is not recorded. */
void hyb_user_push_silent(uint64_t what, uint32_t region) HYB_COLD;
/* The innermost open one that is `what`, not the top; NULL if there is none. */
struct hyb_user_open *hyb_user_find(const struct hyb_user_thread *u, uint64_t what) HYB_COLD;
/* An end without a begin, in a group that is not off; guarded. */
void hyb_user_stray(uint32_t region) HYB_COLD;
/* Writes an Enter or Leave of a region above 65535, or where there was no room; guarded. NULL if there is no space. */
uint64_t *hyb_user_write_slow(bool enter, uint32_t region, uint64_t now) HYB_COLD;

/* region.c: a new region's number, as small as there are. */
uint32_t hyb_user_region_id(void);
/*
 * parameter.c: the number of a text that records name. Defines it, if that has not been done; what is longer than a
 * definition takes is cut. 0 without memory.
 */
uint32_t hyb_user_text(const char *text);

/* brief.c: the id of a region of which visits below so many ns are left out, 0: none. */
uint32_t hyb_user_brief_id(uint32_t region, uint64_t shortest);
/* Begins one, in a group that is not off. */
void hyb_user_enter_brief(uint64_t what, uint32_t id) HYB_COLD;
/* Ends the one that is the top now; guarded. */
void hyb_user_leave_brief(struct hyb_user_open *open) HYB_COLD;

/* Whether the thread is inside of an MPI call, or of an event that is being recorded: nothing is to be written. */
#define HYB_USER_NESTED(t) \
	(hyb_unlikely((t)->frame != NULL) && \
	 hyb_frame_nested(t, (uintptr_t)__builtin_dwarf_cfa(), __builtin_return_address(0)))

/* Begins a region, in a function that is called by the program; its group is not off. */
static HYB_HOT void hyb_user_enter(uint64_t what, uint32_t region)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_user_open *open;
	struct hyb_frame frame;
	uint64_t now;
	uint64_t *p;

	if (HYB_USER_NESTED(t))
		return;
	hyb_guard(t, &frame);
	if (hyb_unlikely(u->top == u->limit) && !hyb_user_grow(u))
		goto out;
	open = u->top++;
	open->what = what;
	open->region = region;
	if (hyb_unlikely(t->counted & (HYB_COUNTED_USER | HYB_COUNTED_KERNEL))) {
		open->state = HYB_USER_SILENT;
		hyb_count_enter(t, HYB_COUNTED_USER);
	}
	now = hyb_counter();
	if (hyb_likely(t->pos < t->end && now >> HYB_TIME_BITS == t->epoch && region <= HYB_ID_MASK)) {
		p = t->pos;
		*p = hyb_head(HYB_ENTER, region, now);
		open->word = *p++;
		p = hyb_stack_attach(region, p, HYB_STACK_PROGRAM, NULL);
		open->end = p;
		open->begin = now;
		open->state = HYB_USER_RECORDED;
		hyb_publish(p);
	} else {
		open->state = HYB_USER_SILENT;
		p = hyb_user_write_slow(true, region, now);
		open->state = p ? HYB_USER_RECORDED : HYB_USER_SILENT;
		open->end = NULL;
	}
out:
	hyb_unguard(t);
}

/* Whether the end of what was recorded is: also while recording is switched off, but not after its end. */
static HYB_HOT bool hyb_user_may_end(const struct hyb_thread *t)
{
	return hyb_likely(!hyb_is_off(HYB_RECORDING_ON)) || (t->pos && hyb_process_is_recording());
}

/* Ends the region: what was begun in it and not ended is closed by readers. */
static HYB_HOT void hyb_user_leave(uint64_t what, uint32_t region, enum hyb_user_group group)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_user_open *open;
	struct hyb_frame frame;
	uint64_t now;
	uint64_t *p;

	if (HYB_USER_NESTED(t))
		return;
	hyb_guard(t, &frame);
	open = u->top - 1;
	if (hyb_unlikely(u->top == u->base || open->what != what)) {
		open = hyb_user_find(u, what);
		if (!open) {
			if (!hyb_user_is_off(group))
				hyb_user_stray(region);
			goto out;
		}
	}
	u->top = open;
	if (hyb_unlikely(open->state != HYB_USER_RECORDED || !hyb_user_may_end(t))) {
		if (open->state == HYB_USER_BRIEF)
			hyb_user_leave_brief(open);
		goto out;
	}
	now = hyb_counter();
	p = t->pos;
	if (hyb_likely(p == open->end && p[-1] == open->word) && hyb_fits_call(t, open->region, open->begin, now) &&
	    !hyb_kernel_moved(t)) {
		/* Readers that have seen the Enter look at it again: see format.h. */
		__atomic_store_n(p - 1, hyb_call(open->region, open->begin, now), __ATOMIC_RELEASE);
		goto out;
	}
	if (hyb_unlikely(t->counted & (HYB_COUNTED_USER | HYB_COUNTED_KERNEL))) {
		hyb_count_leave(t, HYB_COUNTED_USER, now);
		p = t->pos;
	}
	if (hyb_likely(p < t->end && now >> HYB_TIME_BITS == t->epoch && open->region <= HYB_ID_MASK)) {
		*p = hyb_head(HYB_LEAVE, open->region, now);
		hyb_publish(p + 1);
	} else {
		hyb_user_write_slow(false, open->region, now);
	}
out:
	hyb_unguard(t);
}

#endif
