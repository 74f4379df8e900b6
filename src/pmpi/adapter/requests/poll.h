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
 * One in which the kernel did something, where that is added up (core/record/sums.h), is a call of its own.
 *
 * The counter is read when the first call of a row begins and when one in several does after that;
 * pmpi/entry/poll-rows.c says which. If one finds something that was not read when it began, its begin is put where
 * those before it would have it.
 */
#ifndef HYB_PMPI_ADAPTER_REQUESTS_POLL_H
#define HYB_PMPI_ADAPTER_REQUESTS_POLL_H

#include "pmpi/entry/thread.h"
#include "core/record/standing.h"

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
	/* What the kernel did before is none of the call's. */
	if (hyb_kernel_told(t))
		hyb_sums_enter(t);
	if (hyb_unlikely(polls->left <= 1 || t->pos + 1 != t->tail ||
			 polls->turn != __atomic_load_n(&hyb_folding_turns, __ATOMIC_RELAXED))) {
		t->frame = NULL;
		return hyb_enter(frame, region);
	}
	t->region = region | HYB_UNTIMED;
	t->site = (uintptr_t)__builtin_return_address(0);
	return t->tail;
}

/* What became of a call that may be one of a row. */
enum hyb_poll_place {
	HYB_POLL_NONE = 0,	/* it is none */
	HYB_POLL_OVER,		/* it is, and over */
	HYB_POLL_READ,		/* the same but that hyb_poll_stand is to end it */
};

/*
 * Such a call succeeded and had no effect. A program that asks for several things mostly does so in the same order.
 */
static HYB_HOT enum hyb_poll_place hyb_poll_again(uint32_t region, const void *site, enum hyb_poll_kind kind)
{
	struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	struct hyb_thread *t = &hyb_self;
	struct hyb_poll_row *fold;

	if (hyb_unlikely(t->region != (region | HYB_UNPUBLISHED | HYB_UNTIMED) || t->pos + 1 != t->tail) ||
	    hyb_kernel_told(t))
		return hyb_poll_fold(region, site, kind) ? HYB_POLL_READ : HYB_POLL_NONE;
	fold = *polls->link;
	if (hyb_unlikely(site != fold->site || fold->what != HYB_POLL_WHAT(region, kind)))
		return hyb_poll_fold(region, site, kind) ? HYB_POLL_READ : HYB_POLL_NONE;
	polls->link = &fold->next;
	polls->left--;
	/* Release: who sees this count sees what was brought up to date before. */
	__atomic_store_n(&fold->record->count, fold->record->count + 1, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
	return HYB_POLL_OVER;
}

/* Where it is said what a call of a row asks for. */
static HYB_HOT uint64_t *hyb_poll_standing(void)
{
	return hyb_self.pos + HYB_STANDING_AFTER_POLL;
}

/*
 * The end of a call of a row that hyb_poll_fold was asked for, with what it asks for. For the calls of all rows since
 * that is what is known of them; the next that tells it comes in some microseconds.
 */
static HYB_HOT void hyb_poll_stand(uint32_t region, enum hyb_standing_form form)
{
	uint64_t *p = hyb_poll_standing();

	p[-1] = region;
	/* The row may have begun before the last object was unloaded. */
	hyb_site_known(hyb_self.sites, (uint64_t)(uintptr_t)__builtin_return_address(0));
	hyb_stand(p, form);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hyb_self.frame = NULL;
}

/*
 * Instead of hyb_publish after the call, where it is no part of a row: its Enter is due now, unless a callback inside
 * of it recorded something, which has published it; or the thread has since been in another call. Where its group ends.
 */
static HYB_HOT uint64_t *hyb_poll_found(const struct hyb_frame *frame, uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	if (hyb_likely(t->region & HYB_UNPUBLISHED && t->frame == frame)) {
		p = hyb_likely(t->region & HYB_UNTIMED) ? hyb_poll_date(t, false) : hyb_site(t, t->region, p);
		hyb_stand_untold(p);
		hyb_publish(p);
		/* What it counted is not known, but what there was at its end. */
		if (hyb_unlikely(t->counted & HYB_COUNTED_MPI))
			hyb_no_call(t);
	}
	return p;
}

/* Before the call, where it will have an effect and may take long: its Enter is there, and is about to be published. */
static inline uint64_t *hyb_poll_works(uint64_t *p)
{
	struct hyb_thread *t = &hyb_self;

	p = t->region & HYB_UNTIMED ? hyb_poll_date(t, true) : hyb_site(t, t->region, p);
	t->region &= ~HYB_UNPUBLISHED;
	if (hyb_unlikely(t->counted & HYB_COUNTED_MPI))
		p = hyb_counted_works(t, p);
	return p;
}

#endif
