/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened. A program that spins on them makes millions that found
 * nothing; those that follow each other from one place in the program become one HYB_POLL record, which is
 * brought up to date in place. A program that asks for several things in turn has a row for each, side by side. They
 * end with whatever else the thread records. Part of the adapter.
 *
 * The counter is read once a call, when it begins; a spinning program makes tens of millions of them. When it came back is
 * read of the first calls of a row and of every 31st: the share of the time that these take is taken for that of all.
 */
#ifndef HYB_PMPI_POLL_H
#define HYB_PMPI_POLL_H

#include "core/config.h"
#include "core/record.h"

#define HYB_POLL_WORDS (1 + sizeof(struct hyb_poll) / sizeof(uint64_t))
/* So many calls of a row are, and then one of so many. A prime: an MPI may do more in every 8th, say. */
#define HYB_POLL_MEASURED 31

/*
 * Nothing was recorded inside of the call, which would have published its Enter: a callback in it may have switched
 * recording.
 */
static HYB_HOT bool hyb_poll_unpublished(void)
{
	return hyb_likely(hyb_self.region & HYB_UNPUBLISHED);
}

/* The Enter of a poll that found something; not where the thread has since been in another call. */
static HYB_HOT void hyb_poll_publish(const struct hyb_frame *frame, uint64_t *pos)
{
	if (hyb_poll_unpublished() && hyb_likely(hyb_self.frame == frame))
		hyb_publish(pos);
}

/* Another thread may have switched recording off and on, of which this one's stream has nothing. */
static HYB_HOT uint64_t hyb_poll_turn(void)
{
	return __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED);
}

/* A call of the row, the count-th, began and has just come back; returns when. */
static inline uint64_t hyb_poll_measure(const struct hyb_thread *t, struct hyb_fold *fold, uint64_t count,
					uint64_t begin)
{
	struct hyb_poll *row = fold->row;
	uint64_t now = hyb_counter();
	uint64_t first = t->epoch << HYB_TIME_BITS | (*((uint64_t *)row - 1) & HYB_TIME_MASK);
	uint64_t inside = row->inside + (now - begin);

	/* The call before this one was measured among the first, else not: from its end to this one's, or begin. */
	fold->inside += now - begin;
	fold->span += (count > HYB_POLL_MEASURED ? begin : now) - row->last;
	if (count > HYB_POLL_MEASURED) {
		inside = now - first;
		if (fold->inside < fold->span)
			inside = (uint64_t)((double)inside * (double)fold->inside / (double)fold->span);
	}
	fold->left = count < HYB_POLL_MEASURED ? 1 : HYB_POLL_MEASURED;
	__atomic_store_n(&row->inside, inside, __ATOMIC_RELAXED);
	return now;
}

/* Such a call joins a row. */
static HYB_HOT void hyb_poll_join(struct hyb_thread *t, struct hyb_fold *fold, uint64_t begin)
{
	struct hyb_poll *row = fold->row;
	uint64_t count = row->count + 1;

	if (hyb_unlikely(!--fold->left))
		begin = hyb_poll_measure(t, fold, count, begin);
	__atomic_store_n(&row->last, begin, __ATOMIC_RELAXED);
	__atomic_store_n(&row->count, count, __ATOMIC_RELEASE);
}

/* Such a call begins a row, beside the `rows` that there are. */
static inline void hyb_poll_begin(struct hyb_thread *t, uint32_t region, const void *site, uint64_t begin,
				  uint32_t rows)
{
	uint64_t *p = t->pos;
	struct hyb_poll *row = (struct hyb_poll *)(p + 1);

	*p = hyb_head(HYB_POLL, HYB_POLL_WORDS, begin);
	row->region = region;
	row->count = 1;
	row->last = hyb_counter();
	row->inside = row->last - begin;
	hyb_publish(p + HYB_POLL_WORDS);
	if (!rows || rows == HYB_FOLD_ROWS) {
		rows = 0;
		t->fold_turn = hyb_poll_turn();
	}
	t->folds[rows] = (struct hyb_fold){ .site = site, .row = row, .region = region, .left = 1 };
	t->fold_rows = rows + 1;
	t->fold_end = p + HYB_POLL_WORDS;
}

/*
 * A call begun with hyb_enter, whose Enter was not published, found nothing: it joins its row or begins one. site:
 * where the program called from.
 */
static HYB_HOT void hyb_poll_failed(uint32_t region, const void *site)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t begin = t->epoch << HYB_TIME_BITS | (*t->pos & HYB_TIME_MASK);
	uint32_t rows = 0;

	if (hyb_likely(t->pos == t->fold_end && t->fold_turn == hyb_poll_turn())) {
		struct hyb_fold *fold = t->folds;

		for (rows = 0; rows < t->fold_rows; rows++, fold++) {
			if (hyb_likely(site == fold->site && region == fold->region)) {
				hyb_poll_join(t, fold, begin);
				t->frame = NULL;
				return;
			}
		}
	}
	hyb_poll_begin(t, region, site, begin, rows);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
}

#endif
