/* SPDX-License-Identifier: BSD-3-Clause */
/* An order stream, entry by entry: which receive got what, what calls told, what makes no sense. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/replay/replay.h"
#include "../lib/tap.h"

static int put(struct hyb_replay_order *order, uint64_t number)
{
	int err = 0;

	for (; number >= 0x80 && !err; number >>= 7)
		err = hyb_replay_order_byte(order, (unsigned char)(number | 0x80));
	return err ? err : hyb_replay_order_byte(order, (unsigned char)number);
}

static int entry(struct hyb_replay_order *order, enum hyb_order_kind kind, uint64_t detail)
{
	return put(order, detail << HYB_ORDER_KIND_BITS | kind);
}

static int source(const struct hyb_replay_order *order, size_t number)
{
	return number < order->match_count ? order->matches[number].source : -1;
}

static void matches(void)
{
	struct hyb_replay_order order = { 0 };

	entry(&order, HYB_ORDER_MATCHED, 3);		/* 0 */
	entry(&order, HYB_ORDER_LATER, 2);		/* 3, past 1 and 2 */
	put(&order, 5 + 1);
	put(&order, 70 + 1);
	entry(&order, HYB_ORDER_LATER, 1);		/* 2, past 1 */
	put(&order, 6 + 1);
	put(&order, 71 + 1);
	entry(&order, HYB_ORDER_TAGGED, 1000);		/* 1 */
	put(&order, 9 + 1);
	entry(&order, HYB_ORDER_MATCHED, 4);		/* 4, with the tag before */
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CANCELLED);
	put(&order, 1 + 1);				/* 6, past 5 */
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_GIVEN_UP);
	put(&order, 0 + 1);				/* 5 */
	tap(order.match_count == 7, "seven receives");
	tap(source(&order, 0) == 3 && source(&order, 1) == 1000 && source(&order, 2) == 6 && source(&order, 3) == 5 &&
	   source(&order, 4) == 4, "each has its source");
	tap(order.matches[1].tag == 9 && order.matches[2].tag == 71 && order.matches[3].tag == 70 && order.matches[4].tag == 9,
	   "each has its tag");
	tap(source(&order, 6) == HYB_REPLAY_CANCELLED && source(&order, 5) == HYB_REPLAY_GIVEN_UP, "those without a message");
	tap(order.outcome_bytes == 0 && order.open_count == 0, "nothing else");
	hyb_replay_order_free(&order);
}

static void outcomes(void)
{
	static const unsigned char expected[] = {
		2 << 3 | HYB_ORDER_NO, 1 << 3 | HYB_ORDER_INDEX, 3 << 3 | HYB_ORDER_SOME, 0x81, 0x01, 1,
		HYB_ORDER_FOUND << 3 | HYB_ORDER_OTHER, 3, 8, HYB_ORDER_YES << 3 | HYB_ORDER_OTHER,
	};
	struct hyb_replay_order order = { 0 };

	entry(&order, HYB_ORDER_NO, 2);
	entry(&order, HYB_ORDER_MATCHED, 1);
	entry(&order, HYB_ORDER_INDEX, 1);
	entry(&order, HYB_ORDER_SOME, 3);
	put(&order, 129);
	put(&order, 1);
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_FOUND);
	put(&order, 3);
	put(&order, 8);
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_YES);
	tap(order.outcome_bytes == sizeof(expected) && !memcmp(order.outcomes, expected, sizeof(expected)),
	   "outcomes stay as they are, without what receives got");
	tap(order.outcome_count == 5 && order.match_count == 1, "five outcomes, one receive");
	hyb_replay_order_free(&order);
}

static void calls(void)
{
	static const unsigned char expected[] = { 1, 0xc8, 1, 3, 5, 6, 41, 1 };
	struct hyb_replay_order order = { 0 };

	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CALL);
	put(&order, 1);
	put(&order, 200);
	put(&order, 2 + 1);
	put(&order, 5);
	put(&order, 6);
	entry(&order, HYB_ORDER_INDEX, 1);
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CALLS_END);
	put(&order, 41);
	tap(order.call_bytes == sizeof(expected) && !memcmp(order.calls, expected, sizeof(expected)), "calls are apart");
	tap(order.outcome_count == 1, "from outcomes");
	hyb_replay_order_free(&order);
	memset(&order, 0, sizeof(order));
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CALL);
	put(&order, 1);
	put(&order, 2);
	tap(put(&order, HYB_ORDER_VALUES + 2) == -EINVAL, "a call with more values than can be");
	hyb_replay_order_free(&order);
}

static void turns(void)
{
	struct hyb_replay_order one = { 0 }, other = { 0 };
	struct hyb_replay_turns turns = { 0 }, wrong = { 0 };

	entry(&one, HYB_ORDER_OTHER, HYB_ORDER_THREAD);
	put(&one, 4711);
	entry(&one, HYB_ORDER_OTHER, HYB_ORDER_TURN);
	put(&one, 5 + 1);
	entry(&other, HYB_ORDER_OTHER, HYB_ORDER_TURN);
	put(&other, 0 + 1);
	entry(&other, HYB_ORDER_OTHER, HYB_ORDER_TURN);
	put(&other, 9 + 1);
	tap(one.identity == 4711 && !other.identity, "a thread is told from others");
	hyb_replay_turns_add(&turns, 1, &one);
	hyb_replay_turns_add(&turns, 0, &other);
	tap(!hyb_replay_turns_settle(&turns) && turns.count == 3 && turns.all == 9 && turns.items[0].thread == 0 &&
	    turns.items[1].thread == 1 && turns.items[1].first == 5 && turns.items[2].first == 9,
	    "turns in order, known up to the last one's begin");
	entry(&other, HYB_ORDER_OTHER, HYB_ORDER_TURNS_END);
	put(&other, 12 + 1);
	turns.count = 0;
	hyb_replay_turns_add(&turns, 0, &other);
	tap(!hyb_replay_turns_settle(&turns) && turns.all == 12, "and how many there were, where that is told");
	turns.count = 0;
	turns.all = 0;
	other.turns_all = 9 + 1;
	hyb_replay_turns_add(&turns, 1, &one);
	hyb_replay_turns_add(&turns, 0, &other);
	tap(!hyb_replay_turns_settle(&turns) && turns.all == 9 && turns.count == 2, "those after the process's end are left out");
	other.turns_all = 0;
	hyb_replay_turns_add(&wrong, 1, &one);
	tap(hyb_replay_turns_settle(&wrong) == -EINVAL, "somebody has the first one");
	hyb_replay_turns_add(&wrong, 0, &other);
	hyb_replay_turns_add(&wrong, 2, &other);
	tap(hyb_replay_turns_settle(&wrong) == -EINVAL, "and nobody the same");
	free(turns.items);
	free(wrong.items);
	hyb_replay_order_free(&one);
	hyb_replay_order_free(&other);
}

static void open_ones(void)
{
	struct hyb_replay_order order = { 0 };

	entry(&order, HYB_ORDER_LATER, 1);
	put(&order, 1 + 1);
	put(&order, 1 + 1);
	tap(order.match_count == 2 && source(&order, 0) == HYB_REPLAY_OPEN, "what was passed over is open");
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_FOREIGN);
	put(&order, 7 + 1);
	put(&order, 9 + 1);
	put(&order, 2 + 1);
	put(&order, 4 + 1);
	tap(order.foreign_count == 1 && order.foreign[0].thread == 7 && order.foreign[0].number == 9 &&
	   order.foreign[0].match.source == 2 && order.foreign[0].match.tag == 4, "another thread's receive");
	tap(!hyb_replay_order_match(&order, 9, &order.foreign[0].match) && source(&order, 9) == 2 &&
	   source(&order, 8) == HYB_REPLAY_OPEN, "is told to that thread");
	hyb_replay_order_free(&order);
}

static void nonsense(void)
{
	struct hyb_replay_order order = { 0 };
	int err = 0;

	tap(entry(&order, 0, 5) == -EINVAL, "an unknown kind");
	hyb_replay_order_free(&order);
	memset(&order, 0, sizeof(order));
	tap(entry(&order, HYB_ORDER_OTHER, 99) == -EINVAL, "an unknown outcome");
	hyb_replay_order_free(&order);
	memset(&order, 0, sizeof(order));
	for (int i = 0; i < 11 && !err; i++)
		err = hyb_replay_order_byte(&order, 0xff);
	tap(err == -EINVAL, "a number without an end");
	hyb_replay_order_free(&order);
	memset(&order, 0, sizeof(order));
	entry(&order, HYB_ORDER_LATER, UINT64_C(1) << 40);
	put(&order, 1);
	tap(put(&order, 1) == -EINVAL, "more receives than can be");
	hyb_replay_order_free(&order);
	memset(&order, 0, sizeof(order));
	tap(entry(&order, HYB_ORDER_MATCHED, UINT64_C(1) << 40) == -EINVAL, "a source that is none");
	hyb_replay_order_free(&order);
}

/* The calls are those that were written down, and those that come as they did last time. */
static void sequence(void)
{
	static const unsigned int loop[] = { 3, 4, 4, 5 };
	struct hyb_replay_order order = { 0 };
	struct hyb_replay_calls *calls;
	struct hyb_replay_call call;
	unsigned int i = 0;
	int ret;

	/* 3 4 4 5 3 4 4 5, where all is new at first, and after "4 5" and "5 3" nothing was known the first time. */
	for (unsigned int k = 0; k < 6; k++) {
		entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CALL);
		put(&order, 1);
		put(&order, loop[k % 4] + 1);
		put(&order, 1 + 1);
		put(&order, loop[k % 4] * 2 + 1);
	}
	entry(&order, HYB_ORDER_OTHER, HYB_ORDER_CALLS_END);
	put(&order, 2 + 1);
	calls = hyb_replay_calls_open(&order);
	while ((ret = hyb_replay_calls_next(calls, &call)) > 0 && i < 100 && call.function == loop[i % 4] &&
	       call.values[0] == loop[i % 4])
		i++;
	tap(!ret && i == 8, "eight calls, of which six were written down");
	hyb_replay_calls_close(calls);
	hyb_replay_order_free(&order);
}

static uint64_t drawn(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Bytes by chance, most of them small: nothing but an answer comes of it. */
static void by_chance(uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	struct hyb_replay_order order = { 0 };
	struct hyb_replay_calls *calls;
	struct hyb_replay_call call;
	const char *function;
	int64_t source, tag;
	int err = 0;

	for (unsigned int i = 0; i < 200 && !err; i++) {
		const uint64_t x = drawn(&state);

		err = hyb_replay_order_byte(&order, (unsigned char)(x % 4 ? x >> 8 & 63 : x >> 8 & 255));
	}
	calls = hyb_replay_calls_open(&order);
	for (unsigned int i = 0; i < 1000 && hyb_replay_calls_next(calls, &call) > 0; i++)
		hyb_replay_call_posts(&call, &source, &tag, &function);
	hyb_replay_calls_close(calls);
	hyb_replay_order_free(&order);
}

/* A few entries that are damaged must not take all memory: so many receives are never open at once. */
static void too_many(void)
{
	const struct hyb_replay_match match = { .source = 1 };
	struct hyb_replay_order order = { 0 };
	const uint64_t most = UINT64_C(1) << 24;

	tap(!hyb_replay_order_match(&order, most - 1, &match), "millions of receives may be open");
	tap(hyb_replay_order_match(&order, 2 * most - 2, &match) == -EINVAL, "but not twice as many");
	tap(!hyb_replay_order_match(&order, most, &match), "of those that are not another one is");
	hyb_replay_order_free(&order);
}

/* Receives that get their messages from both ends of those that are open. */
static void ends(void)
{
	struct hyb_replay_order order = { 0 };
	bool good;

	entry(&order, HYB_ORDER_LATER, 1000);		/* 1000: 0 to 999 are open */
	put(&order, 7 + 1);
	put(&order, 0 + 1);
	for (int i = 0; i < 400; i++) {
		entry(&order, HYB_ORDER_MATCHED, 2);	/* i */
		entry(&order, HYB_ORDER_LATER, 999 - 2 * (uint64_t)i - 1);	/* 999 - i */
		put(&order, 3 + 1);
		put(&order, 0 + 1);
	}
	entry(&order, HYB_ORDER_LATER, 300);		/* 1101, past 200 that are open still and 100 more */
	put(&order, 4 + 1);
	put(&order, 0 + 1);
	good = order.open_count == 300 && source(&order, 1000) == 7 && source(&order, 1101) == 4 && source(&order, 1100) < 0;
	for (size_t i = 0; i < 1000 && good; i++)
		good = source(&order, i) == (i < 400 ? 2 : i < 600 ? HYB_REPLAY_OPEN : 3);
	tap(good, "the oldest and the newest open ones");
	hyb_replay_order_free(&order);
}

int main(void)
{
	matches();
	ends();
	too_many();
	outcomes();
	calls();
	turns();
	open_ones();
	nonsense();
	sequence();
	for (uint64_t seed = 0; seed < 5000; seed++)
		by_chance(seed);
	tap(true, "bytes by chance");
	return tap_done();
}
