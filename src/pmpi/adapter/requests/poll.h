/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened, and others that often have nothing to do. A program that spins
 * on them makes millions that found nothing; those that follow each other from one place in the program become one
 * HYB_POLL record, which is brought up to date in place. A program that asks for several things in turn has a row for
 * each, side by side; so has one whose calls find nothing for another reason. They end with whatever else the thread
 * records. Part of the adapter.
 *
 * What was in vain begins a row at once. What had nothing to do (null requests, a flush without operations) is a call
 * like others, which takes fewer bytes, unless it comes after its like.
 *
 * The counter is read when the first call of a row begins and when one in several does after that;
 * pmpi/entry/poll-rows.c says which. If one finds something that was not read when it began, its begin is put where
 * those before it would have it.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_POLL_H
#define HYB_PMPI_ADAPTER_REQUESTS_POLL_H

#include "pmpi/entry/thread.h"

/*
 * Instead of hyb_enter, with HYB_UNPUBLISHED: nothing is written yet where rows go on and the counter is not to be
 * read.
 */
static HYB_HOT uint64_t *hyb_poll_enter(struct hyb_frame *frame, uint32_t region)
{
	const struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	struct hyb_thread *t = &hyb_self;

	if (hyb_unlikely(t->frame != NULL))
		return hyb_enter(frame, region);
	t->frame = frame;
	/* As in hyb_enter: a handler may change the rest until then. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (hyb_unlikely(polls->left <= 1 || t->pos + 1 != t->tail ||
			 polls->turn != __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED))) {
		t->frame = NULL;
		return hyb_enter(frame, region);
	}
	t->region = region | HYB_UNTIMED;
	return t->tail;
}

/*
 * Such a call succeeded and had no effect: if true it is one of a row, and over. A program that asks for several things
 * mostly does so in the same order.
 */
static HYB_HOT bool hyb_poll_again(uint32_t region, const void *site, enum hyb_poll_kind kind)
{
	struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	struct hyb_thread *t = &hyb_self;
	struct hyb_poll_row *fold;

	if (hyb_unlikely(t->region != (region | HYB_UNPUBLISHED | HYB_UNTIMED) || t->pos + 1 != t->tail))
		return hyb_poll_fold(region, site, kind);
	fold = *polls->link;
	if (hyb_unlikely(site != fold->site || fold->what != HYB_POLL_WHAT(region, kind)))
		return hyb_poll_fold(region, site, kind);
	polls->link = &fold->next;
	polls->left--;
	/* Release: who sees this count sees what was brought up to date before. */
	__atomic_store_n(&fold->record->count, fold->record->count + 1, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
	return true;
}

/*
 * Instead of hyb_publish after the call, where it is no part of a row: its Enter is due now, unless a callback inside
 * of it recorded something, which has published it; or the thread has since been in another call. Where its group ends.
 */
static HYB_HOT uint64_t *hyb_poll_found(const struct hyb_frame *frame, uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	if (hyb_likely(t->region & HYB_UNPUBLISHED && t->frame == frame)) {
		if (hyb_likely(t->region & HYB_UNTIMED))
			p = hyb_poll_date(t, false);
		hyb_publish(p);
	}
	return p;
}

/* The same before the call, where it will have an effect: it may take long. */
static inline uint64_t *hyb_poll_works(uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	if (t->region & HYB_UNTIMED)
		p = hyb_poll_date(t, true);
	t->region &= ~HYB_UNPUBLISHED;
	hyb_publish(p);
	return p;
}

#endif
