/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where threads compete, who comes first decides what the program does: who has a lock or a critical section, which
 * chunk of a loop a thread gets, which section, who executes a single. So where the order of a run is recorded, each of
 * these takes a turn (core/outcomes/turns.h), which a replay keeps to: libgomp gives out the same again if it is asked in the
 * same order. These functions stand between the wrappers and libgomp. Words are passed on, as the wrappers do it; what
 * comes back is passed back as it is.
 */
#include <sched.h>

#include "ompt/gomp/runtime.h"
#include "core/record/copied.h"
#include "core/outcomes/order.h"
#include "core/outcomes/turns.h"

/* No function has more than ten arguments; two that a later libgomp may have given it. */
#define ARGUMENTS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l
typedef long (*any_t)(ARGUMENTS);

/* The calling thread's order; NULL: there are no turns, as before MPI has started, and in a child made by fork. */
static struct hyb_order *mine(void)
{
	struct hyb_order *order;

	if (!__atomic_load_n(&hyb_turns_openmp, __ATOMIC_ACQUIRE) || hyb_copied())
		return NULL;
	order = hyb_order_mine();
	if (hyb_unlikely(order->replays && !order->replay))
		hyb_turns_join();
	return order;
}

/* What never waits for another thread is done while nobody else has a turn. */
static long draw(any_t next, ARGUMENTS)
{
	struct hyb_order *order = mine();
	long result;

	if (!order)
		return next(PASSED);
	hyb_turn_begin(order);
	result = next(PASSED);
	hyb_turn_end(order, true);
	return result;
}

/* Of an ordered loop the next chunk: libgomp first waits until the threads before are done. */
static long draw_ordered(any_t next, ARGUMENTS)
{
	if (hyb_gomp_ask.ordered)
		hyb_gomp_ask.ordered();
	return draw(next, PASSED);
}

/*
 * A lock. Its turn is taken when the thread has it, so those of one lock are in the order in which it went round; in a
 * replay the thread asks for it when its turn has come: whoever has it needs no further turn to give it up.
 */
static long take(any_t next, ARGUMENTS)
{
	struct hyb_order *order = mine();
	long result;

	if (!order)
		return next(PASSED);
	hyb_turn_await(order);
	result = next(PASSED);
	hyb_turn_take(order);
	return result;
}

/* A lock that nobody had when this was recorded: who has it now gives it up. */
static int take_tried(any_t next, struct hyb_order *order, ARGUMENTS)
{
	int times;

	hyb_turn_await(order);
	while (!(times = (int)next(PASSED)))
		sched_yield();
	hyb_turn_take(order);
	return times;
}

/* A lock, if nobody has it: the times that the thread has it now, or 0. */
static int try(any_t next, ARGUMENTS)
{
	struct hyb_order *order = mine();
	int times;

	if (!order)
		return (int)next(PASSED);
	if (order->replays) {
		switch (hyb_turn_tried(order)) {
		case HYB_TURN_TRIED_NO:
			return 0;
		case HYB_TURN_TRIED_YES:
			return take_tried(next, order, PASSED);
		case HYB_TURN_TRIED_FREELY:
			return (int)next(PASSED);
		}
	}
	times = (int)next(PASSED);
	hyb_turn_try(order, times != 0);
	if (times)
		hyb_turn_take(order);
	return times;
}

/* libgomp's function: stored before the entry that leads here. */
#define BENEATH(id) ((any_t)__atomic_load_n(&hyb_gomp_beneath[HYB_GOMP_F_##id], __ATOMIC_RELAXED))

#define TURN(id, does) \
	long hyb_gomp_turn_##id(ARGUMENTS); \
	long hyb_gomp_turn_##id(ARGUMENTS) \
	{ \
		return does(BENEATH(id), PASSED); \
	}
#define HYB_GOMP_TURN_DRAW(id) TURN(id, draw)
#define HYB_GOMP_TURN_ORDERED(id) TURN(id, draw_ordered)
#define HYB_GOMP_TURN_TAKE(id) TURN(id, take)
#define HYB_GOMP_TURN_TRY(id) \
	int hyb_gomp_turn_##id(ARGUMENTS); \
	int hyb_gomp_turn_##id(ARGUMENTS) \
	{ \
		return try(BENEATH(id), PASSED); \
	}
#include "ompt/gomp/turns.h"
