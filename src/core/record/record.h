/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hot path: how a thread puts records into its stream. Everything a producer does per event is in
 * this header, inline, so that an event is one counter read, a few plain stores and one release store.
 *
 * A wrapper does
 *
 *	struct hyb_frame frame;
 *	uint64_t *p;
 *	if (hyb_is_off(1u << GROUP))
 *		return next(...);
 *	p = hyb_enter(&frame, REGION);
 *	if (!p)
 *		return next(...);		// nested in another wrapper, or no space
 *	p = <attached records>(p, ...);		// at most HYB_GROUP_MAX - 2 words, sends only
 *	hyb_publish(p);
 *	ret = next(...);
 *	p = hyb_leave_call(&frame, REGION, p);
 *	p = <attached records>(p, ...);
 *	hyb_end_call(&frame, p);
 *
 * or the same with hyb_leave and hyb_end, which always write a record of its own for the Leave.
 *
 * Single producer: only the thread itself touches its struct hyb_thread. From hyb_enter on until the call's end is
 * published `frame` is set, in this order also for a signal handler of the same thread: one that calls MPI meanwhile is
 * inside of the call, and leaves no record; what is to be marked then goes elsewhere (api.c). OpenMP's events are not
 * so guarded: an MPI call in a handler that interrupts one of them may take its place.
 */
#ifndef HYB_CORE_RECORD_RECORD_H
#define HYB_CORE_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "core/sys/counter.h"
#include "format/format.h"
#include "format/standing.h"
#include "core/record/counted.h"
#include "core/record/sums.h"

struct hyb_counts;
struct hyb_stacks;
struct hyb_stream;

/* Lies in the stack frame of the outermost wrapper, whose place tells a nested call from one after a longjmp. */
struct hyb_frame {
	uint64_t call;			/* what becomes of its Enter, a CALL; 0: there is a Leave */
};

/* Memory that a thread keeps for what a call needs while it lasts; see hyb_thread_scratch. */
struct hyb_scratch {
	void *at;
	size_t size;
};

/*
 * Where a thread's calls came from, so that only what is new is told of it. Not in struct hyb_thread: threads may have
 * little room for that. Another thread may clear all but `on`, at any moment (hyb_threads_forget_sites): what is told
 * again does no harm.
 */
struct hyb_sites {
	/* the object in memory that the last new one lies in, which is defined */
	uint64_t begin;
	uint64_t size;
	uint64_t on;			/* enum hyb_sites_on */
	struct hyb_stacks *stacks;	/* NULL: no stacks are recorded; see stack.h */
	/*
	 * Told in this chunk, by region; 0: none, or that it is not known. With stacks all are 0, so that one comparison
	 * says that there is nothing to tell, and with_stacks, else NULL, has as many that take their place.
	 */
	uint64_t *with_stacks;
	uint64_t last[HYB_STANDING_REGIONS];
};

enum hyb_sites_on {		/* bits */
	HYB_SITES_TOLD = 1,	/* HYBMON_CALLSITE */
	HYB_SITES_STACKS = 2,	/* HYBMON_CALLSTACK */
};

#define HYB_SCRATCHES 2		/* uses of it at a time */
#define HYB_KEPT 8		/* of calls that were left */

struct hyb_thread {
	uint64_t *pos;			/* the next word to write; NULL: no stream yet */
	uint64_t *end;			/* an Enter group may start below this */
	struct hyb_chunk_header *chunk;
	uint64_t epoch;			/* high bits of the last time stamp */
	/* of the wrapper this thread is in, or NULL; may be gone, so nobody looks into it */
	struct hyb_frame *frame;
	/* its Enter, while that is in this chunk and has no MORE behind it; else NULL, or old */
	uint64_t *open;
	/* when the last call that could have been a CALL began; not after the last record */
	uint64_t near;
	struct hyb_stream *stream;	/* the slow path's */
	/* of that wrapper; HYB_UNPUBLISHED as well where its Enter is not published yet */
	uint32_t region;
	bool unguarded;			/* the thread has events outside of frames: OpenMP's */
	/* enum hyb_counted: with which Enters and Leaves counters are read; see counted.h */
	uint8_t counted;
	uint64_t site;			/* of the wrapper this thread is in: where the program called it */
	struct hyb_sites *sites;	/* the stream's; NULL: no stream yet */
	uint64_t last_id;		/* the last number given out to what outlives a call, such as a request */
	/* A word behind pos, while what was recorded last may still be extended in place; NULL: it may not. */
	uint64_t *tail;
	struct hyb_counts *counts;	/* NULL: nothing is counted */
	/* Of what the kernel did to this thread: whether there is more than what was written; see sums.h. */
	const unsigned long long *kernel_turn;
	unsigned long long kernel_seen;
	struct hyb_sums *sums;
	struct hyb_scratch scratch[HYB_SCRATCHES];
	struct hyb_scratch kept[HYB_KEPT];	/* of calls that were left, which may go on */
	uint32_t kept_next;
	/* What is written first, before whatever comes to hyb_thread_make_room next; NULL: nothing. Once. */
	void (*before)(struct hyb_thread *t);
};

extern HYB_EXPORT __thread struct hyb_thread hyb_self __attribute__((tls_model("initial-exec")));

/*
 * What is recorded now: a bit for each group of functions (enum hyb_group) and HYB_RECORDING_ON; 0 while
 * nothing is. Written by pause/resume and by whatever ends recording; read relaxed.
 */
#define HYB_RECORDING_ON	(UINT32_C(1) << 31)	/* set also where no group is wanted */
extern HYB_EXPORT uint32_t hyb_recording;

/* Above the groups of MPI functions those of what the program itself tells (enum hyb_user_group). */
#define HYB_RECORDING_USER(groups) ((uint32_t)(groups) << 24)

/*
 * How often recording was switched on, or found space again; requests that began before are not trusted. Read
 * relaxed.
 */
extern HYB_EXPORT uint64_t hyb_recording_turns;
/*
 * The same, and how often a library was unloaded: calls of another one may come from where its calls came from, so rows
 * of polls do not go on.
 */
extern HYB_EXPORT uint64_t hyb_folding_turns;

static inline void hyb_recording_turn(void)
{
	__atomic_add_fetch(&hyb_recording_turns, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&hyb_folding_turns, 1, __ATOMIC_RELAXED);
}

/*
 * The slow path: new stream, new chunk, more space, new epoch, a frame left by longjmp. Returns false if
 * the record cannot be written; it is then counted as lost. Keeps errno.
 */
HYB_EXPORT bool hyb_thread_make_room(struct hyb_thread *t, uint64_t now) HYB_COLD;
/* For a Leave whose epoch differs from its Enter's; there is always room for that. */
HYB_EXPORT uint64_t *hyb_thread_new_epoch(struct hyb_thread *t, uint64_t now) HYB_COLD;
/*
 * A Leave group that hyb_leave_call began and that reaches to p is full, or nearly: it becomes a group of its own
 * before the Leave, with the same time. Where the Leave group goes on; *ok is false where there is no space for more
 * than the Leave: it is then counted as lost.
 */
HYB_EXPORT uint64_t *hyb_leave_more(uint32_t region, uint64_t *p, bool *ok) HYB_COLD;
/*
 * True if t->frame is live, so that the wrapper whose own frame ends at address `inner`, and which was called from
 * `site`, is inside of another. If it is not (a longjmp or an exception passed it by, or it waits on another stack),
 * its region is closed and false returned.
 */
HYB_EXPORT bool hyb_frame_nested(struct hyb_thread *t, uintptr_t inner, const void *site) HYB_COLD;
/*
 * Instead of hyb_leave_at, for a call that comes back when its frame is no longer the thread's: what it was on is
 * another thread's stack now, or its region was closed. It gets an Enter and a Leave here.
 */
HYB_EXPORT uint64_t *hyb_frame_returned(struct hyb_thread *t, struct hyb_frame *frame, uint32_t region,
					uint64_t site, uint64_t now) HYB_COLD;

/*
 * At least size bytes, not cleared, which are the thread's until it asks for the same use again; NULL without memory.
 * They grow with the most that was asked for and are given back when the thread ends.
 */
HYB_EXPORT void *hyb_thread_scratch(unsigned int use, size_t size);

/*
 * The calling thread is in a recorded call, and records something else inside of it: if the call's Enter waits
 * (HYB_UNPUBLISHED), it is published now.
 */
HYB_EXPORT void hyb_frame_publish(void) HYB_COLD;
/* The same where it is not known whether it is in one: in a function whose frame is at `inner`, called from `site`. */
void hyb_frame_publish_outer(uintptr_t inner, const void *site);
/*
 * Some calls wait even with writing their Enter (HYB_UNTIMED). Where such a call has to end before its wrapper knows of
 * it, this writes the Enter at pos and returns where the record goes on. Set once, before the first such call.
 */
void hyb_frame_defers(uint64_t *(*write)(struct hyb_thread *t));

static HYB_HOT uint64_t hyb_head(unsigned int type, uint64_t id, uint64_t now)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | id << HYB_ID_SHIFT | (now & HYB_TIME_MASK);
}

/*
 * True while calls of these groups are not to be recorded. A wrapper that asks this first costs nothing but the
 * question.
 */
static HYB_HOT bool hyb_is_off(uint32_t groups)
{
	return hyb_unlikely(!(__atomic_load_n(&hyb_recording, __ATOMIC_RELAXED) & groups));
}

/* With the region of a wrapper that publishes its Enter only after the call; see hyb_end_brief. */
#define HYB_UNPUBLISHED	(UINT32_C(1) << 16)
/* As well: it did not even read the counter, and has no Enter yet; see hyb_frame_defers. */
#define HYB_UNTIMED	(UINT32_C(1) << 17)
/*
 * Instead of a region: the frame is of no call. It guards a group of records that a handler might tear, and leaves
 * nothing behind.
 */
#define HYB_GUARDING	(UINT32_C(1) << 18)

/* Begins and ends that, in a function where hyb_frame_nested has been asked. */
static HYB_HOT void hyb_guard(struct hyb_thread *t, struct hyb_frame *frame)
{
	t->region = HYB_GUARDING;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = frame;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static HYB_HOT void hyb_unguard(struct hyb_thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
}

/* Sees to it that the object is defined that an address of the program lies in, for the calling thread. Keeps errno. */
HYB_EXPORT void hyb_site_new(uint64_t site) HYB_COLD;

/* An address in that object is about to be told. Calls come from the one that the last one came from, but for few. */
static HYB_HOT void hyb_site_known(const struct hyb_sites *s, uint64_t site)
{
	if (hyb_unlikely(site - __atomic_load_n(&s->begin, __ATOMIC_RELAXED) >=
			 __atomic_load_n(&s->size, __ATOMIC_RELAXED)))
		hyb_site_new(site);
}

/* Whether the kernel did something to the thread since it looked last. */
static HYB_HOT bool hyb_kernel_moved(const struct hyb_thread *t)
{
	return hyb_unlikely(t->counted & HYB_COUNTED_KERNEL) &&
	       __atomic_load_n(t->kernel_turn, __ATOMIC_RELAXED) != t->kernel_seen;
}

/* The same where the thread need not ask itself, which takes long. */
static HYB_HOT bool hyb_kernel_told(const struct hyb_thread *t)
{
	return hyb_unlikely(t->counted & HYB_COUNTED_KERNEL) &&
	       __atomic_load_n(t->kernel_turn, __ATOMIC_RELAXED) > t->kernel_seen;
}

/* Before an Enter, whose time is read after this: counters, and what the kernel did before. with: enum hyb_counted */
static HYB_HOT void hyb_count_enter(struct hyb_thread *t, unsigned int with)
{
	if (hyb_likely(!(t->counted & (with | HYB_COUNTED_KERNEL))))
		return;
	if (hyb_kernel_moved(t))
		hyb_sums_enter(t);
	if (t->counted & with)
		hyb_counted_enter(t);
}

/* The same before a Leave at `now`. */
static HYB_HOT void hyb_count_leave(struct hyb_thread *t, unsigned int with, uint64_t now)
{
	if (hyb_likely(!(t->counted & (with | HYB_COUNTED_KERNEL))))
		return;
	if (hyb_kernel_moved(t))
		hyb_sums_leave(t, now);
	if (t->counted & with)
		hyb_counted_leave(t, now);
}

/* Instead of hyb_site_of, where stacks are recorded: what is to be told of both. */
HYB_EXPORT uint64_t *hyb_stack_site(struct hyb_thread *t, uint32_t region, uint64_t *p) __attribute__((noinline));

/*
 * Where the call under way came from, attached to its Enter or POLL that ends at p, before all else: where the last one
 * of its region came from is known, and mostly the same. The object it lies in is defined then. No program's address
 * has more bits.
 */
static HYB_HOT uint64_t *hyb_site_of(struct hyb_thread *t, uint32_t region, uint64_t site, uint64_t *p)
{
	struct hyb_sites *s = t->sites;
	uint64_t *last = &s->last[region & HYB_ID_MASK];
	const bool kept = (region & HYB_ID_MASK) < HYB_STANDING_REGIONS;

	if (kept && hyb_likely(__atomic_load_n(last, __ATOMIC_RELAXED) == site))
		return p;
	if (hyb_unlikely(s->on & HYB_SITES_STACKS))
		return hyb_stack_site(t, region & HYB_ID_MASK, p);
	if (!kept)
		return p;
	hyb_site_known(s, site);
	if (hyb_unlikely(!s->on))
		return p;
	__atomic_store_n(last, site, __ATOMIC_RELAXED);
	*p = (uint64_t)HYB_SITE << HYB_TYPE_SHIFT | site;
	return p + 1;
}

static HYB_HOT uint64_t *hyb_site(struct hyb_thread *t, uint32_t region, uint64_t *p)
{
	return hyb_site_of(t, region, t->site, p);
}

/*
 * Begins a call, when recording is on: writes an Enter of `region` (below 65536), unpublished. Returns where
 * its attached records go, or NULL if this call is not to be recorded. site: where it was called; inner: where the
 * wrapper's own frame ends.
 */
static HYB_HOT_PART uint64_t *hyb_enter_at(struct hyb_frame *frame, uint32_t region, const void *site, uintptr_t inner)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now;
	uint64_t *p;

	/* What is live is further up than all of this wrapper's own frame. */
	if (hyb_unlikely(t->frame != NULL) && hyb_frame_nested(t, HYB_PART_INNER(inner), site))
		return NULL;
	t->frame = frame;
	/* Nothing of the stream is looked at before that: a handler may still change it. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* Of a call that may come to nothing, or takes less than reading counters, they are not read. */
	if (!(region & HYB_UNPUBLISHED))
		hyb_count_enter(t, HYB_COUNTED_MPI);
	now = hyb_counter();
	if (hyb_unlikely(t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch)) {
		if (!hyb_thread_make_room(t, now)) {
			t->frame = NULL;
			return NULL;
		}
	}
	t->region = region;
	t->site = (uintptr_t)site;
	p = t->pos;
	t->open = p;
	*p = hyb_head(HYB_ENTER, region & HYB_ID_MASK, now);
	/* One that may come to nothing, or be half as long, has its site when that is known. */
	return region & HYB_UNPUBLISHED ? p + 1 : hyb_site_of(t, region, (uintptr_t)site, p + 1);
}

static HYB_HOT uint64_t *hyb_enter_from(struct hyb_frame *frame, uint32_t region, const void *site)
{
	return hyb_enter_at(frame, region, site, (uintptr_t)__builtin_dwarf_cfa());
}

static HYB_HOT uint64_t *hyb_enter(struct hyb_frame *frame, uint32_t region)
{
	return hyb_enter_from(frame, region, __builtin_return_address(0));
}

/* Makes everything below p visible to readers; pairs with their acquire load of `used`. */
static HYB_HOT_PART void hyb_publish(uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	t->pos = p;
	__atomic_store_n(&t->chunk->used, (uint64_t)(p - (uint64_t *)(t->chunk + 1)), __ATOMIC_RELEASE);
}

/*
 * Between Enter and Leave: begins one more group of attached records, to be published by itself. NULL
 * if there is no space for it; it is then counted as lost. The Leave has its room in any case.
 */
static HYB_HOT uint64_t *hyb_more(uint32_t region)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();

	if (hyb_unlikely(t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch)) {
		if (!hyb_thread_make_room(t, now))
			return NULL;
	}
	t->open = NULL;
	*t->pos = hyb_head(HYB_MORE, region, now);
	return t->pos + 1;
}

/* A number that no other thread's and no earlier one of this process is; 0 is never one. */
static HYB_HOT uint64_t hyb_new_id(void)
{
	return ++hyb_self.last_id;
}

static HYB_HOT uint64_t *hyb_leave_at(struct hyb_thread *t, uint32_t region, uint64_t now)
{
	uint64_t *p = t->pos;

	if (hyb_unlikely(now >> HYB_TIME_BITS != t->epoch))
		p = hyb_thread_new_epoch(t, now);
	*p = hyb_head(HYB_LEAVE, region, now);
	return p + 1;
}

/* The same, with counters where they are read. A call that has them never is a CALL. */
static HYB_HOT uint64_t *hyb_leave_counted(struct hyb_thread *t, uint32_t region, uint64_t now)
{
	hyb_count_leave(t, HYB_COUNTED_MPI, now);
	return hyb_leave_at(t, region, now);
}

/* Ends the call that hyb_enter began: writes its Leave, unpublished; returns where attached records go. */
static HYB_HOT uint64_t *hyb_leave(struct hyb_frame *frame, uint32_t region)
{
	(void)frame;
	return hyb_leave_counted(&hyb_self, region, hyb_counter());
}

/* Publishes the Leave group and gives the frame up. */
static HYB_HOT void hyb_end(struct hyb_frame *frame, uint64_t *p)
{
	(void)frame;
	hyb_publish(p);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hyb_self.frame = NULL;
}

static HYB_HOT uint64_t hyb_call(uint32_t region, uint64_t begin, uint64_t now)
{
	return (uint64_t)HYB_CALL << HYB_TYPE_SHIFT | (uint64_t)region << HYB_CALL_ID_SHIFT |
	       (now - begin) << HYB_CALL_SPAN_SHIFT | (uint32_t)begin;
}

/* Whether a call that began at `begin` and ends now can be one record; notes when it began, for the next one. */
static HYB_HOT bool hyb_fits_call(struct hyb_thread *t, uint32_t region, uint64_t begin, uint64_t now)
{
	bool near = begin - t->near < HYB_CALL_NEAR;

	t->near = begin;
	return hyb_likely(near && now - begin <= HYB_CALL_SPAN_MASK && region <= HYB_CALL_ID_MASK);
}

/* The call under way will be no CALL: this is near to no time that it can have begun. */
static HYB_HOT void hyb_no_call(struct hyb_thread *t)
{
	t->near = hyb_counter() + (UINT64_C(1) << 62);
}

/*
 * Instead of hyb_leave: a call that was short, in which nothing else was recorded, is one record in place of its Enter.
 * entered: where the Enter's group ended; site: as of hyb_enter_at.
 */
static HYB_HOT_PART uint64_t *hyb_leave_call_at(struct hyb_frame *frame, uint32_t region, const uint64_t *entered,
						const void *site)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();

	frame->call = 0;
	if (hyb_likely(t->pos == entered && t->open)) {
		uint64_t begin = t->epoch << HYB_TIME_BITS | (*t->open & HYB_TIME_MASK);

		if (hyb_fits_call(t, region, begin, now) && !hyb_kernel_moved(t)) {
			frame->call = hyb_call(region, begin, now);
			return t->pos;
		}
	}
	if (hyb_unlikely(t->frame != frame))
		return hyb_frame_returned(t, frame, region, (uintptr_t)HYB_PART_SITE(site), now);
	return hyb_leave_counted(t, region, now);
}

static HYB_HOT uint64_t *hyb_leave_call(struct hyb_frame *frame, uint32_t region, const uint64_t *entered)
{
	return hyb_leave_call_at(frame, region, entered, __builtin_return_address(0));
}

/* Instead of hyb_end, after hyb_leave_call. Readers that see the CALL see what is attached to it. */
static HYB_HOT_PART void hyb_end_call(struct hyb_frame *frame, uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	/* Otherwise nothing came after the Enter. */
	if (p != t->pos)
		hyb_publish(p);
	if (hyb_likely(frame->call))
		__atomic_store_n(t->open, frame->call, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
}

/*
 * Instead of hyb_leave and hyb_end, for a call that was begun with HYB_UNPUBLISHED, has nothing attached and is no more
 * than a few instructions: Enter and Leave are one record of half their size, where it was as short as it should.
 */
static HYB_HOT_PART void hyb_end_brief(struct hyb_frame *frame, uint32_t region)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();
	uint64_t *p = t->pos;
	uint64_t begin = t->epoch << HYB_TIME_BITS | (*p & HYB_TIME_MASK);

	/* What was recorded inside of it (a callback) has published the Enter. */
	if (hyb_likely(t->region & HYB_UNPUBLISHED)) {
		if (hyb_fits_call(t, region, begin, now)) {
			*p = hyb_call(region, begin, now);
			hyb_end(frame, hyb_site(t, region, p + 1));
			return;
		}
		p = hyb_site(t, region, p + 1);
		*p = 0;	/* not told where it stands: format/standing.h */
		hyb_publish(p);
	}
	hyb_end(frame, hyb_leave_at(t, region, now));
}

#endif
