/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened. A program that spins on them makes millions that found
 * nothing; those that follow each other from one place in the program become one HYB_POLL record, which is
 * brought up to date in place. A program that asks for several things in turn has a row for each, side by side. They
 * end with whatever else the thread records. Part of the adapter.
 */
#ifndef HYB_PMPI_POLL_H
#define HYB_PMPI_POLL_H

#include "core/config.h"
#include "core/record.h"

#define HYB_POLL_WORDS (1 + sizeof(struct hyb_poll) / sizeof(uint64_t))

/* The row of those at hand that such a call joins, or NULL; *rows: how many there are. */
static inline struct hyb_poll *hyb_poll_row(const struct hyb_thread *t, uint32_t region, const void *site,
					    size_t *rows)
{
	*rows = 0;
	if (t->pos != t->fold_end || t->chunk->seq != t->fold_seq)
		return NULL;
	*rows = (size_t)(t->fold_end - t->fold) / HYB_POLL_WORDS;
	for (size_t i = 0; i < *rows; i++) {
		struct hyb_poll *row = (struct hyb_poll *)(t->fold + i * HYB_POLL_WORDS + 1);

		if (site == t->fold_sites[i] && row->region == region)
			return row;
	}
	return NULL;
}

/*
 * A call begun with hyb_enter, whose Enter was not published, found nothing: it joins its row or begins one. site:
 * where the program called from.
 */
static inline void hyb_poll_failed(uint32_t region, const void *site)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t now = hyb_counter();
	uint64_t *p = t->pos;
	uint64_t begin = t->epoch << HYB_TIME_BITS | (*p & HYB_TIME_MASK);
	size_t rows;
	struct hyb_poll *row = hyb_poll_row(t, region, site, &rows);

	t->frame = NULL;
	if (hyb_likely(row != NULL)) {
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
	if (!rows || rows == HYB_FOLD_ROWS) {
		rows = 0;
		t->fold = p;
		t->fold_seq = t->chunk->seq;
	}
	t->fold_sites[rows] = site;
	t->fold_end = p + HYB_POLL_WORDS;
}

#endif
