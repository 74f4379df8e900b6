/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of calls that had no effect, but for what each call of one does itself; see pmpi/adapter/requests/poll.h.
 *
 * To read the counter takes as long as all else that is done for a call of a row. So it is read about once in two
 * microseconds only, by counting calls: of all rows together, one in fold_every, with a chance of one more so that rows
 * side by side all have their turn. A reading that came too late halves that at least, some that came early double it:
 * a program that has something to do between its polls has each of them read.
 */
#include "base/clock.h"
#include "record/record.h"

#define EVERY_MOST	32	/* calls */
#define CALM		3	/* readings in time before there are fewer of them */
#define EACH_MEASURED	2	/* calls at the beginning of a row */
#define SPAN_SHIFT	19	/* of a second: 1.9 us */
#define KNOWN_SPANS	2	/* so well the begin of a call is known that is not said to be less */

static uint64_t span(void)
{
	return hyb_clock_second() >> SPAN_SHIFT;
}

/* Pseudo-random bits, so that a program's own rhythm is none of ours. */
static uint32_t mix(struct hyb_thread *t)
{
	t->fold_mix = t->fold_mix * 1664525 + 1013904223;
	return t->fold_mix >> 24;
}

/* How many calls from the last one that was read when it began to the one that is under way. */
static uint32_t calls_since(const struct hyb_thread *t)
{
	return t->fold_due - t->fold_left + 1;
}

/* When the counter is read next. */
static void plan(struct hyb_thread *t, uint32_t every)
{
	t->fold_left = t->fold_due = every > 1 ? every + mix(t) % 2 : 1;
}

/* A call began, and the counter was read. */
static void take_reading(struct hyb_thread *t, uint64_t begin)
{
	uint32_t calls = calls_since(t);
	uint64_t ticks = begin - t->fold_read;
	uint64_t aim = span();

	t->fold_read = t->fold_last = begin;
	t->fold_ticks = ticks;
	t->fold_calls = calls;
	if (!t->fold_every)
		t->fold_every = 1;
	if (ticks > aim) {
		t->fold_calm = 0;
		t->fold_every = ticks > 4 * aim || calls == 1 ? 1 : (t->fold_every + 1) / 2;
	} else if (ticks > aim / 2) {
		t->fold_calm = 0;
	} else if (calls >= t->fold_every && t->fold_every < EVERY_MOST && ++t->fold_calm >= CALM) {
		t->fold_calm = 0;
		t->fold_every *= 2;
	}
	plan(t, t->fold_every);
}

/* Not before all is as it should be, for a signal handler, too. */
static void leave(struct hyb_thread *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->frame = NULL;
}

static void store(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/*
 * Such a call, which was read when it began, has come back. Some are measured then, too, and stand for those since the
 * last that was: together they took no longer than has gone by.
 */
static void measure(struct hyb_thread *t, struct hyb_fold *fold, uint64_t count, uint64_t begin)
{
	struct hyb_poll *row = fold->row;
	uint64_t now, inside;

	if (count > EACH_MEASURED && t->fold_every > 1 && mix(t) % 4) {
		store(&row->last, begin);
		return;
	}
	now = hyb_counter();
	inside = (now - begin) * (count - fold->seen);
	if (inside > now - fold->until)
		inside = now - fold->until;
	store(&row->inside, row->inside + inside);
	store(&row->last, now);
	fold->until = now;
	fold->seen = count;
	t->fold_last = now;
}

/* The other rows have come so far meanwhile. */
static void bring_up(struct hyb_thread *t, uint64_t begin)
{
	for (uint32_t i = 0; i < t->fold_rows; i++)
		if (t->folds[i].row->count != t->folds[i].seen)
			store(&t->folds[i].row->last, begin);
}

static void join(struct hyb_thread *t, struct hyb_fold *fold, uint64_t begin, bool untimed)
{
	uint64_t count = fold->row->count + 1;

	*t->fold_link = fold;
	t->fold_link = &fold->next;
	if (untimed) {
		t->fold_left--;
	} else {
		take_reading(t, begin);
		bring_up(t, begin);
		measure(t, fold, count, begin);
		if (count <= EACH_MEASURED)
			t->fold_left = t->fold_due = 1;
	}
	__atomic_store_n(&fold->row->count, count, __ATOMIC_RELEASE);
	leave(t);
}

/* When a call that was not read began: `from`, or, if that is 0, as long after the last one that was as others took. */
static uint64_t estimate(const struct hyb_thread *t, uint64_t from, uint64_t now)
{
	uint64_t begin = t->fold_read;

	if (from)
		begin = from;
	else if (t->fold_calls)
		begin += t->fold_ticks * calls_since(t) / t->fold_calls;
	if (begin < t->fold_last)
		begin = t->fold_last;
	if (begin > now)
		begin = now;
	/* A new epoch is told of by the next record. */
	return begin >> HYB_TIME_BITS == t->epoch ? begin : t->epoch << HYB_TIME_BITS | HYB_TIME_MASK;
}

uint64_t *hyb_poll_date(struct hyb_thread *t, bool begins)
{
	uint64_t now = hyb_counter();
	uint64_t begin = estimate(t, begins ? now : 0, now);
	uint64_t *p = t->pos;

	*p = hyb_head(HYB_ENTER, t->region & HYB_ID_MASK, begin);
	t->open = p++;
	t->region &= ~HYB_UNTIMED;
	if (!begins && now - t->fold_last > KNOWN_SPANS * span()) {
		*p++ = (uint64_t)HYB_BEGAN << HYB_TYPE_SHIFT | (now - begin);
		t->open = NULL;	/* it has a Leave of its own */
	}
	return p;
}

/* Such a call begins a row, beside the `rows` that there are. */
static void begin_row(struct hyb_thread *t, uint32_t what, const void *site, uint64_t begin, uint32_t rows)
{
	enum hyb_poll_kind kind = what >> 24;
	unsigned int words = HYB_POLL_WORDS + (kind != HYB_POLL_VAIN);
	uint64_t *p = t->pos;
	struct hyb_poll *row = (struct hyb_poll *)(p + 1);

	*p = hyb_head(HYB_POLL, words, begin);
	row->region = what & HYB_ID_MASK;
	row->count = 1;
	row->last = hyb_counter();
	row->inside = row->last - begin;
	if (kind != HYB_POLL_VAIN)
		p[words - 1] = kind;
	hyb_publish(p + words);
	if (!rows || rows == HYB_FOLD_ROWS) {
		rows = 0;
		t->fold_turn = __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED);
	}
	if (rows)
		*t->fold_link = &t->folds[rows];
	t->folds[rows] = (struct hyb_fold){
		.site = site, .row = row, .what = what, .next = t->folds, .until = row->last, .seen = 1,
	};
	t->fold_link = &t->folds[rows].next;
	t->fold_rows = rows + 1;
	t->fold_read = begin;
	t->fold_last = row->last;
	t->fold_left = t->fold_due = 1;
	/* Without room for another Enter there is no telling of one that was not read. */
	t->fold_end = t->pos < t->end ? t->pos + 1 : NULL;
	leave(t);
}

bool hyb_poll_fold(uint32_t region, const void *site, enum hyb_poll_kind kind)
{
	struct hyb_thread *t = &hyb_self;
	uint32_t what = HYB_FOLD_WHAT(region, kind);
	bool untimed = t->region & HYB_UNTIMED;
	uint64_t begin;
	uint32_t rows = 0;

	if (!hyb_fold_polls || !(t->region & HYB_UNPUBLISHED))
		return false;
	begin = untimed ? 0 : t->epoch << HYB_TIME_BITS | (*t->pos & HYB_TIME_MASK);
	/* Another thread may have switched recording off and on, of which this one's stream has nothing. */
	if (t->pos + 1 == t->fold_end && t->fold_turn == __atomic_load_n(&hyb_recording_turns, __ATOMIC_RELAXED)) {
		for (rows = 0; rows < t->fold_rows; rows++) {
			if (site == t->folds[rows].site && what == t->folds[rows].what) {
				join(t, &t->folds[rows], begin, untimed);
				return true;
			}
		}
	} else if (kind != HYB_POLL_VAIN && t->pos != t->settled) {
		return false;
	}
	if (untimed)
		begin = estimate(t, 0, hyb_counter());
	begin_row(t, what, site, begin, rows);
	return true;
}
