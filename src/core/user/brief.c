/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of which a filter leaves out short visits. Their Enter is not written when they begin, so that nothing has to
 * be taken back that readers may have seen: it waits on the thread's own stack until something else is recorded in the
 * region, or the region ends and was long enough. Nothing else is to be asked whether there is such an Enter: while one
 * waits the thread has no room in its chunk (hyb_thread.end), so whoever writes next comes to hyb_thread_make_room, which
 * has what waits written first. What waits when the process is killed is not recorded.
 */
#include "core/user/user.h"

#include "core/sys/clock.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"

static uint64_t times[HYB_USER_TIMES];	/* ns; 0: free */
static int lock;

/* The number of a time; one too many takes the last one's place, which is said. */
static uint32_t number_of(uint64_t shortest)
{
	uint32_t i;

	for (i = 0; i < HYB_USER_TIMES - 1 && times[i] && times[i] != shortest; i++)
		;
	if (times[i] && times[i] != shortest)
		hyb_log_once(HYB_LOG_WARNING, "HYBMON_FILTER has more than %u different times: for the others %u ns is taken",
			     HYB_USER_TIMES, (unsigned int)times[i]);
	else
		__atomic_store_n(&times[i], shortest, __ATOMIC_RELAXED);
	return i;
}

uint32_t hyb_user_brief_id(uint32_t region, uint64_t shortest)
{
	uint64_t signals;
	uint32_t number;

	if (!shortest || region > HYB_USER_REGION_MASK)
		return region;
	hyb_sys_lock(&lock, &signals);
	number = number_of(shortest);
	hyb_sys_unlock(&lock, &signals);
	return HYB_USER_BRIEF_ID | number << HYB_USER_TIME_SHIFT | region;
}

static uint64_t ticks_of(uint32_t id)
{
	const uint64_t ns = __atomic_load_n(&times[id >> HYB_USER_TIME_SHIFT & 0x7f], __ATOMIC_RELAXED);

	return (uint64_t)((double)ns * 1e-9 * (double)hyb_clock_second());
}

/* Nothing waits any more: the thread has its room again. */
static void settle(struct hyb_user_thread *u, struct hyb_thread *t)
{
	t->end = u->end;
	t->before = NULL;
	u->brief = 0;
}

/* Writes what waits, the outermost first, each with the time when it began. */
static void write_waiting(struct hyb_thread *t)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_user_open *open = u->base + u->brief - 1;

	settle(u, t);
	for (; open < u->top; open++) {
		if (open->state != HYB_USER_BRIEF)
			continue;
		open->region &= HYB_USER_REGION_MASK;
		open->end = NULL;
		open->state = hyb_user_write_slow(true, open->region, open->begin) ? HYB_USER_RECORDED : HYB_USER_SILENT;
	}
}

/* Of the present top, which waits. */
static void wait(struct hyb_user_thread *u, struct hyb_thread *t)
{
	const uint32_t depth = (uint32_t)(u->top - u->base);

	/* One that was further in may be gone without a word. */
	if (u->brief && u->brief <= depth)
		return;
	if (!u->brief) {
		u->end = t->end;
		t->end = NULL;
		t->before = write_waiting;
		t->tail = NULL;
	}
	u->brief = depth;
}

void hyb_user_enter_brief(uint64_t what, uint32_t id)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_user_open *open;
	struct hyb_frame frame;

	if (HYB_USER_NESTED(t))
		return;
	hyb_guard(t, &frame);
	if (hyb_unlikely(u->top == u->limit) && !hyb_user_grow(u))
		goto out;
	/* What the kernel did before is none of the region's. */
	if (hyb_kernel_told(t))
		hyb_sums_enter(t);
	open = u->top++;
	*open = (struct hyb_user_open){ .what = what, .word = ticks_of(id), .region = id, .begin = hyb_counter() };
	/* What counters are read at is read when it happens. */
	if (t->counted & HYB_COUNTED_USER) {
		hyb_counted_enter(t);
		open->region &= HYB_USER_REGION_MASK;
		open->state = hyb_user_write_slow(true, open->region, hyb_counter()) ? HYB_USER_RECORDED : HYB_USER_SILENT;
		goto out;
	}
	if (!u->brief && (t->pos >= t->end || open->begin >> HYB_TIME_BITS != t->epoch) &&
	    !hyb_thread_make_room(t, open->begin))
		goto out;
	open->state = HYB_USER_BRIEF;
	wait(u, t);
out:
	hyb_unguard(t);
}

void hyb_user_leave_brief(struct hyb_user_open *open)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	const uint64_t now = hyb_counter();

	open->state = HYB_USER_SILENT;
	if (now - open->begin >= open->word && hyb_user_may_end(t)) {
		u->top = open + 1;
		open->state = HYB_USER_BRIEF;
		write_waiting(t);
		u->top = open;
		if (hyb_kernel_told(t))
			hyb_sums_leave(t, now);
		if (open->state == HYB_USER_RECORDED)
			hyb_user_write_slow(false, open->region, now);
	} else if (u->brief == (uint32_t)(open - u->base) + 1) {
		settle(u, t);
	}
}
