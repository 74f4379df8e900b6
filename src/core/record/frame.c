/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The frames of calls, as far as that is no matter of the hot path: whether a call is inside of another one, and what
 * becomes of a call that was left without coming back.
 */
#include <string.h>

#include "core/sys/log.h"
#include "core/record/nesting.h"
#include "core/record/record.h"
#include "core/record/scratch.h"
#include "core/record/stack.h"
#include "core/record/thread.h"

/* Who defers Enters; NULL: nobody does. */
static uint64_t *(*late_enter)(struct hyb_thread *t);

void hyb_frame_defers(uint64_t *(*write)(struct hyb_thread *t))
{
	late_enter = write;
}

static void say_switched(void)
{
	hyb_log_once(HYB_LOG_WARNING, "this program goes from one stack to another inside of an MPI call (fibers, "
		     "callbacks without unwind tables); such calls are recorded in parts, all but the last marked as "
		     "abandoned");
}

/* An Enter that ends at p, of which it is not told where its thread stands: see format/standing.h. */
static void publish_untold(uint64_t *p)
{
	*p = 0;
	hyb_publish(p);
}

/* Whether the stream says that a call is under way; a handler may have left it before its Enter, or after its end. */
static bool is_open(struct hyb_thread *t, uint32_t region)
{
	const uint64_t *p = t->open;
	uint32_t words;

	if (!p)
		return true;
	if (p > t->pos || *p >> HYB_ID_SHIFT != hyb_head(HYB_ENTER, region, 0) >> HYB_ID_SHIFT)
		return false;
	if (p == t->pos) {
		publish_untold(hyb_site(t, region, t->pos + 1));	/* one that waits to be published */
		return true;
	}
	for (; p < t->pos; p += words) {
		if (*p >> HYB_TYPE_SHIFT == HYB_LEAVE)
			return false;
		words = *p >> (HYB_TYPE_SHIFT + 5) & 3;
		words = words == HYB_SIZE_VAR ? *p >> HYB_ID_SHIFT & HYB_ID_MASK : words + 1;
		if (!words)
			break;
	}
	return true;
}

/* The call that the thread is in ends here, as far as anybody can tell. */
static void abandon(struct hyb_thread *t)
{
	uint32_t region = t->region & HYB_ID_MASK;
	uint64_t *p;

	t->frame = NULL;
	if (t->region & HYB_GUARDING)
		return;
	hyb_scratch_keep(t);
	if (!t->pos || !t->chunk)
		return;
	/* Its site was noted, but what is noted may never have been published. */
	if (region < HYB_STANDING_REGIONS)
		__atomic_store_n(&t->sites->last[region], 0, __ATOMIC_RELAXED);
	hyb_stack_untold(region);
	if (t->region & HYB_UNTIMED) {
		/* It has no Enter yet; none that can be placed where something else was recorded since. */
		if (t->pos + 1 != t->tail)
			return;
		publish_untold(late_enter(t));
	} else if (!is_open(t, region)) {
		return;
	}
	p = hyb_leave_at(t, region, hyb_counter());
	*p++ = (uint64_t)HYB_ABANDONED << HYB_TYPE_SHIFT;
	hyb_publish(p);
}

/* A live outer frame begins where ours ends if what its function called came to us by a jump. */
bool hyb_frame_nested(struct hyb_thread *t, uintptr_t inner, const void *site)
{
	const uintptr_t outer = (uintptr_t)t->frame;
	enum hyb_nesting nesting = HYB_NESTING_NOT;

	if (outer >= inner) {
		if (hyb_nesting_is_called(site))
			return true;
		nesting = hyb_nesting_find(outer, inner, site);
	}
	if (nesting == HYB_NESTING_INSIDE)
		return true;
	if (nesting != HYB_NESTING_NOT)
		say_switched();
	abandon(t);
	return false;
}

/* Where a thread writes that has no space for what must be written: nobody reads it. */
static uint64_t *nowhere(struct hyb_thread *t)
{
	static struct {
		struct hyb_chunk_header header;
		uint64_t words[4 * HYB_CHUNK_SLACK];
	} words;

	/* The stream ends here; another one begins when there is space. */
	t->stream = NULL;
	t->chunk = &words.header;
	t->pos = words.words;
	t->end = NULL;
	t->tail = NULL;
	return t->pos;
}

uint64_t *hyb_frame_returned(struct hyb_thread *t, struct hyb_frame *frame, uint32_t region, uint64_t site,
			     uint64_t now)
{
	bool ok = true;

	say_switched();
	if (t->frame)
		abandon(t);
	if (t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch)
		ok = hyb_thread_make_room(t, now);
	t->frame = frame;
	t->region = region;
	if (!ok)
		return nowhere(t);
	t->site = site;
	*t->pos = hyb_head(HYB_ENTER, region, now);
	publish_untold(hyb_site(t, region, t->pos + 1));
	t->open = NULL;
	return hyb_leave_at(t, region, now);
}

/*
 * What its CALL would have had goes behind a head of its own. Room for that and for the Leave there is wherever an
 * Enter was; only for more than these a new chunk may be needed.
 */
uint64_t *hyb_leave_more(uint32_t region, uint64_t *p, bool *ok)
{
	struct hyb_thread *t = &hyb_self;
	struct hyb_frame *frame = t->frame;
	uint64_t *first = t->pos;
	uint64_t now;

	if (frame->call) {
		size_t words = (size_t)(p - first), heads;

		now = (t->epoch << HYB_TIME_BITS | (*t->open & HYB_TIME_MASK)) +
		      (frame->call >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
		frame->call = 0;
		heads = now >> HYB_TIME_BITS == t->epoch ? 1 : 2;
		memmove(first + heads, first, words * sizeof(*p));
		p = first + heads + words;
		if (heads == 2)
			first = hyb_thread_new_epoch(t, now);
	} else {
		first += *first >> HYB_TYPE_SHIFT == HYB_EPOCH;
		now = t->epoch << HYB_TIME_BITS | (*first & HYB_TIME_MASK);
	}
	*first = hyb_head(HYB_MORE, region, now);
	hyb_publish(p);
	*ok = t->pos < t->end || hyb_thread_make_room(t, now);
	return hyb_leave_at(t, region, now);
}

void hyb_frame_publish(void)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t *p;

	if (!(t->region & HYB_UNPUBLISHED))
		return;
	p = t->region & HYB_UNTIMED ? late_enter(t) : hyb_site(t, t->region, t->pos + 1);
	t->region &= ~HYB_UNPUBLISHED;
	publish_untold(p);
}

void hyb_frame_publish_outer(uintptr_t inner, const void *site)
{
	struct hyb_thread *t = &hyb_self;

	if (t->frame && hyb_frame_nested(t, inner, site))
		hyb_frame_publish();
}

