/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened. A program that spins on one makes millions that found
 * nothing; those that follow each other from one place in the program become one HYB_POLL record, which is
 * brought up to date in place. The row ends with whatever else the thread records. Part of the adapter.
 */
#ifndef HYB_PMPI_POLL_H
#define HYB_PMPI_POLL_H

#include "core/config.h"
#include "core/record.h"

#define HYB_POLL_WORDS (1 + sizeof(struct hyb_poll) / sizeof(uint64_t))

/*
 * A call begun with hyb_enter, whose Enter was not published, found nothing: it joins the row or begins one. site:
 * where the program called from.
 */
static inline void hyb_poll_failed(uint32_t region, const void *site)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();
	uint64_t *p = t->pos;
	uint64_t begin = t->epoch << HYB_TIME_BITS | (*p & HYB_TIME_MASK);
	struct hyb_poll *row = (struct hyb_poll *)(t->fold + 1);

	t->frame = NULL;
	if (hyb_likely(p == t->fold_end && site == t->fold_site && t->chunk->seq == t->fold_seq &&
		       row->region == region)) {
		__atomic_store_n(&row->inside, row->inside + (now - begin), __ATOMIC_RELAXED);
		__atomic_store_n(&row->last, now, __ATOMIC_RELAXED);
		__atomic_store_n(&row->count, row->count + 1, __ATOMIC_RELEASE);
		return;
	}
	row = (struct hyb_poll *)(p + 1);
	*p = hyb_head(HYB_POLL, HYB_POLL_WORDS, begin);
	row->region = region;
	row->count = 1;
	row->inside = now - begin;
	row->last = now;
	hyb_publish(p + HYB_POLL_WORDS);
	t->fold = p;
	t->fold_end = p + HYB_POLL_WORDS;
	t->fold_seq = t->chunk->seq;
	t->fold_site = site;
}

#endif
