/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks that other threads give up than those that got them: each release gets the number of what was had. */
#include "merge/openmp/locks.h"
#include "../lib/tap.h"

static bool had(struct hyb_locks *l, uint32_t lock, uint32_t order, int64_t time)
{
	return !hyb_locks_had(l, lock, order, time);
}

static bool released(struct hyb_locks *l, uint32_t stream, uint32_t lock, uint32_t order, int64_t time)
{
	return !hyb_locks_released(l, stream, lock, order, time);
}

/* A thread that gives up what it had, and one thing that it had not. */
static void own(void)
{
	struct hyb_locks l = { 0 };

	tap(had(&l, 1, 1, 10) && had(&l, 2, 1, 11) && released(&l, 0, 1, 1, 12) && released(&l, 0, 2, 1, 13) &&
		    released(&l, 0, 3, 0, 14) && !hyb_locks_thread_end(&l) && !hyb_locks_settle(&l),
	    "a thread that gives up its own");
	tap(!l.had.count && l.released.count == 1, "nothing is kept of that");
	tap(!hyb_locks_order(&l, 0, 3) && !hyb_locks_order(&l, 0, 3), "what nobody had is not known");
	hyb_locks_free(&l);
}

static void others(void)
{
	struct hyb_locks l = { 0 };
	bool ok;

	/*
	 * Lock 1 is had at 10, 20, 30; the last before the second release is told of. Number 2 of lock 4 is never given
	 * up.
	 */
	ok = had(&l, 1, 1, 10) && had(&l, 4, 2, 15) && had(&l, 1, 2, 20) && had(&l, 1, 3, 30) && had(&l, 4, 7, 40) &&
	     !hyb_locks_thread_end(&l);
	ok = ok && released(&l, 5, 1, 0, 12) && released(&l, 5, 4, 0, 50) && !hyb_locks_thread_end(&l);
	ok = ok && released(&l, 6, 1, 0, 31) && released(&l, 6, 1, 0, 35) && released(&l, 6, 4, 0, 14) &&
	     !hyb_locks_thread_end(&l);
	tap(ok && !hyb_locks_settle(&l), "locks that others give up");
	tap(hyb_locks_order(&l, 5, 1) == 1, "the one that was had");
	tap(hyb_locks_order(&l, 5, 4) == 7, "not one that is long gone");
	tap(hyb_locks_order(&l, 6, 1) == 2 && hyb_locks_order(&l, 6, 1) == 3, "the one before, where the next has it already");
	tap(!hyb_locks_order(&l, 6, 4) && !hyb_locks_order(&l, 6, 1), "none before it was had");
	hyb_locks_free(&l);
}

int main(void)
{
	own();
	others();
	return tap_done();
}
