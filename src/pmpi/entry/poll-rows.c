/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of calls that had no effect, but for what each call of one does itself; see pmpi/adapter/requests/poll.h.
 *
 * To read the counter takes as long as all else that is done for a call of a row. So it is read about once in two
 * microseconds only, by counting calls: of all rows together, one in fold_every, with a chance of one more so that rows
 * side by side all have their turn. A reading that came too late halves that at least, some that came early double it:
 * a program that has something to do between its polls has each of them read.
 */
#include "core/sys/clock.h"
#include "core/config/config.h"
#include "format/standing.h"
#include "pmpi/entry/thread.h"

#define EVERY_MOST	32	/* calls */
#define CALM		3	/* readings in time before there are fewer of them */
#define EACH_MEASURED	2	/* calls at the beginning of a row */
#define SPAN_SHIFT	19	/* of a second: 1.9 us */
#define KNOWN_SPANS	2	/* so well the begin of a call is known that is not said to be less */

/* Said again, since GCC forgets it otherwise, and calls __tls_get_addr in this file. */
__thread struct hyb_mpi_thread hyb_mpi_self __attribute__((tls_model("initial-exec")));

static uint64_t span(void)
{
	return hyb_clock_second() >> SPAN_SHIFT;
}

/* Pseudo-random bits, so that a program's own rhythm is none of ours. */
static uint32_t mix(struct hyb_poll_rows *polls)
{
	polls->mix = polls->mix * 1664525 + 1013904223;
	return polls->mix >> 24;
}

/* How many calls from the last one that was read when it began to the one that is under way. */
static uint32_t calls_since(const struct hyb_poll_rows *polls)
{
	return polls->due - polls->left + 1;
}

/* When the counter is read next. */
static void plan(struct hyb_poll_rows *polls, uint32_t every)
{
	polls->left = polls->due = every > 1 ? every + mix(polls) % 2 : 1;
}

/* A call began, and the counter was read. */
static void take_reading(struct hyb_poll_rows *polls, uint64_t begin)
{
	uint32_t calls = calls_since(polls);
	uint64_t ticks = begin - polls->read;
	uint64_t aim = span();

	polls->read = polls->last = begin;
	polls->ticks = ticks;
	polls->calls = calls;
	if (!polls->every)
		polls->every = 1;
	if (ticks > aim) {
		polls->calm = 0;
		polls->every = ticks > 4 * aim || calls == 1 ? 1 : (polls->every + 1) / 2;
	} else if (ticks > aim / 2) {
		polls->calm = 0;
	} else if (calls >= polls->every && polls->every < EVERY_MOST && ++polls->calm >= CALM) {
		polls->calm = 0;
		polls->every *= 2;
	}
	plan(polls, polls->every);
}

static void store(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

/*
 * Such a call, which was read when it began, has come back. Some are measured then, too, and stand for those since the
 * last that was: together they took no longer than has gone by.
 */
static void measure(struct hyb_poll_rows *polls, struct hyb_poll_row *fold, uint64_t count, uint64_t begin)
{
	struct hyb_poll *row = fold->record;
	uint64_t now, inside;

	if (count > EACH_MEASURED && polls->every > 1 && mix(polls) % 4) {
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
	polls->last = now;
}

/* The other rows have come so far meanwhile. */
static void bring_up(struct hyb_poll_rows *polls, uint64_t begin)
{
	for (uint32_t i = 0; i < polls->count; i++)
		if (polls->rows[i].record->count != polls->rows[i].seen)
			store(&polls->rows[i].record->last, begin);
}

static void join(struct hyb_poll_row *fold, uint64_t begin, bool untimed)
{
	struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	uint64_t count = fold->record->count + 1;

	*polls->link = fold;
	polls->link = &fold->next;
	if (untimed) {
		polls->left--;
	} else {
		take_reading(polls, begin);
		bring_up(polls, begin);
		measure(polls, fold, count, begin);
		if (count <= EACH_MEASURED)
			polls->left = polls->due = 1;
	}
	__atomic_store_n(&fold->record->count, count, __ATOMIC_RELEASE);
}

/* When a call that was not read began: `from`, or, if that is 0, as long after the last one that was as others took. */
static uint64_t estimate(const struct hyb_thread *t, uint64_t from, uint64_t now)
{
	const struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	uint64_t begin = polls->read;

	if (from)
		begin = from;
	else if (polls->calls)
		begin += polls->ticks * calls_since(polls) / polls->calls;
	if (begin < polls->last)
		begin = polls->last;
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
	p = hyb_site(t, t->region, p);
	if (!begins && now - hyb_mpi_self.polls.last > KNOWN_SPANS * span()) {
		*p++ = (uint64_t)HYB_BEGAN << HYB_TYPE_SHIFT | (now - begin);
		t->open = NULL;	/* it has a Leave of its own */
	}
	return p;
}

/* Such a call begins a row, beside the `rows` that there are. */
static void begin_row(struct hyb_thread *t, uint32_t what, const void *site, uint64_t begin, uint32_t rows)
{
	struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
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
	p = hyb_site(t, what & HYB_ID_MASK, p + words);
	/* Where the last one of it stands is told by its wrapper. */
	p[HYB_STANDING_AFTER_POLL] = 0;
	hyb_publish(p);
	if (!rows || rows == HYB_POLL_ROWS) {
		rows = 0;
		polls->turn = __atomic_load_n(&hyb_folding_turns, __ATOMIC_RELAXED);
	}
	if (rows)
		*polls->link = &polls->rows[rows];
	polls->rows[rows] = (struct hyb_poll_row){
		.site = site, .record = row, .what = what, .next = polls->rows, .until = row->last, .seen = 1,
	};
	polls->link = &polls->rows[rows].next;
	polls->count = rows + 1;
	polls->read = begin;
	polls->last = row->last;
	polls->left = polls->due = 1;
	/* Without room for another Enter there is no telling of one that was not read. */
	t->tail = t->pos < t->end ? t->pos + 1 : NULL;
}

bool hyb_poll_fold(uint32_t region, const void *site, enum hyb_poll_kind kind)
{
	const struct hyb_poll_rows *polls = &hyb_mpi_self.polls;
	struct hyb_thread *t = &hyb_self;
	uint32_t what = HYB_POLL_WHAT(region, kind);
	bool untimed = t->region & HYB_UNTIMED;
	uint64_t begin;
	uint32_t rows = 0;

	if (hyb_config.mpi_poll != HYB_MPI_POLL_FOLD || !(t->region & HYB_UNPUBLISHED) || hyb_kernel_told(t))
		return false;
	begin = untimed ? 0 : t->epoch << HYB_TIME_BITS | (*t->pos & HYB_TIME_MASK);
	/* Another thread may have switched recording off and on, of which this one's stream has nothing. */
	if (t->pos + 1 == t->tail && polls->turn == __atomic_load_n(&hyb_folding_turns, __ATOMIC_RELAXED)) {
		for (rows = 0; rows < polls->count; rows++) {
			if (site == polls->rows[rows].site && what == polls->rows[rows].what) {
				join(&hyb_mpi_self.polls.rows[rows], begin, untimed);
				return true;
			}
		}
	} else if (kind != HYB_POLL_VAIN && t->pos != polls->settled) {
		return false;
	}
	if (untimed)
		begin = estimate(t, 0, hyb_counter());
	begin_row(t, what, site, begin, rows);
	return true;
}

static uint64_t *date_late(struct hyb_thread *t)
{
	return hyb_poll_date(t, false);
}

void hyb_poll_start(void)
{
	hyb_frame_defers(date_late);
}
