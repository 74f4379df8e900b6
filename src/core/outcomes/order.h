/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a run as each thread writes it: format/order.h. A thread has a stream for it from its first entry on,
 * which is never a ring. What is lost makes it useless for a replay: from there on nothing is written, and the
 * manifest says so.
 */
#ifndef HYB_CORE_OUTCOMES_ORDER_H
#define HYB_CORE_OUTCOMES_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "format/order.h"
#include "core/record/stream.h"

#define HYB_ORDER_NOBODY UINT32_MAX

/* The calls of one thread: format/order.h says which are written down. */
struct hyb_order_calls {
	unsigned int within;	/* in calls that may make others; those are not looked at, nor is any if it began above 0 */
	unsigned int unseen;	/* as much of `within` is no call */
	uint64_t *expected;	/* 1 << HYB_ORDER_EXPECTED_BITS hashes, by those of the last two calls */
	uint64_t last;
	uint64_t before;
	uint64_t count;
	uint64_t written;	/* count at the last entry */
	uint64_t next;		/* in a replay: the next call that is not the expected one; 0: not known */
	void *follows;		/* in a replay: others' */
	uint64_t noise;		/* what delays are drawn from; 0: there are none */
	bool drawn;		/* the first was */
};

/* Of one thread, which alone changes it. */
struct hyb_order {
	struct hyb_thread writer;
	struct hyb_stream stream;
	unsigned int number;	/* 0: the main thread, otherwise as they came to the first call that matters here */
	unsigned int filled;	/* bytes of entries in the word before writer.pos; a multiple of 8: it has no room */
	bool lost;
	bool replays;		/* the run is replayed */
	/* Where MPI is to put what a call gets: format/order.h; NULL: nowhere, in a replay, without a file, or lost. */
	struct hyb_order_pending *pending;
	bool pending_keeps;	/* posts are there which may be used again: pmpi/adapter/order/set.h */
	uint64_t nos;		/* tests that found nothing since the last entry, which are one */
	uint64_t all_nos;	/* and of all */
	int64_t tag;		/* of the last HYB_ORDER_TAGGED, or -1 */
	uint64_t time;		/* of the last HYB_ORDER_TIME, as bits */
	uint64_t clock;		/* of the last HYB_ORDER_CLOCK */
	uint64_t posts;		/* receives that were open once */
	bool inside;		/* in a function of Fortran's that may call C's */
	struct {
		uint64_t *numbers;	/* in order, from `first` on */
		uint64_t first;
		uint64_t end;
		uint64_t room;
	} open;
	uint64_t identity;	/* of a thread but the main one: tells it from others in each run */
	uint64_t turn;		/* its last HYB_ORDER_TURN began with that turn */
	uint64_t turns_end;	/* number of its last turn + 1; 0: it took none */
	uint64_t tried;		/* tests of a lock since the last that was true; in a replay how many are left up to one */
	uint32_t recorded_as;	/* in a replay: the number it had then; HYB_ORDER_NOBODY: not known */
	int tid;
	const unsigned char *tries;	/* in a replay: what struct hyb_replay_thread has of them */
	const unsigned char *tries_end;
	bool waits;		/* in a replay: it is among those that take turns, with the next one: core/outcomes/turns.c */
	struct hyb_order *next;	/* of these, or of those whose threads have ended */
	void *replay;		/* what the thread has come to in a replay; others' */
	struct hyb_order_calls calls;
};

/* The calling thread's; NULL before its first call that matters here. */
extern HYB_EXPORT __thread struct hyb_order *hyb_order_self __attribute__((tls_model("initial-exec")));
/* Something of it cannot be recorded: nothing more is, and the manifest says why, -errno. */
HYB_EXPORT void hyb_order_lose(struct hyb_order *order, int err) HYB_COLD;
/* Makes it; one that is lost where there is no memory. */
HYB_EXPORT struct hyb_order *hyb_order_make(void) HYB_COLD;

static inline struct hyb_order *hyb_order_mine(void)
{
	struct hyb_order *order = hyb_order_self;

	return hyb_likely(order != NULL) ? order : hyb_order_make();
}

/* The first byte of a word: finds room for it. Once anything was lost, nothing more is written. */
HYB_EXPORT void hyb_order_new_word(struct hyb_order *order, uint64_t byte);
/* Tests that found nothing, as an entry. */
HYB_EXPORT void hyb_order_put_nos(struct hyb_order *order) HYB_COLD;

static inline void hyb_order_byte(struct hyb_order *order, uint64_t byte)
{
	uint64_t *word;

	if (hyb_unlikely(!(order->filled & 7))) {
		hyb_order_new_word(order, byte);
		return;
	}
	word = order->writer.pos - 1;
	/* One store, so that readers see all of a byte or nothing. */
	__atomic_store_n(word, *word | byte << 8 * order->filled, __ATOMIC_RELEASE);
	order->filled++;
}

/* A further number of an entry; above 0. */
static inline void hyb_order_number(struct hyb_order *order, uint64_t number)
{
	for (; hyb_unlikely(number >= 0x80); number >>= 7)
		hyb_order_byte(order, (number & 0x7f) | 0x80);
	hyb_order_byte(order, number);
}

/* An outcome of a call: an entry's first number. What tests found nothing before comes before it. */
static inline void hyb_order_outcome(struct hyb_order *order, enum hyb_order_kind kind, uint64_t detail)
{
	if (hyb_unlikely(order->nos))
		hyb_order_put_nos(order);
	hyb_order_number(order, detail << HYB_ORDER_KIND_BITS | kind);
}

/* A test or probe found nothing. The file has how many at once, since the program may do something for it. */
static inline void hyb_order_no(struct hyb_order *order)
{
	order->nos++;
	order->all_nos++;
	if (hyb_likely(order->pending != NULL))
		__atomic_store_n(&order->pending->nos, order->all_nos, __ATOMIC_RELEASE);
}

/* Room for another number among the open ones; false: there is no memory, and the order is lost. */
HYB_EXPORT bool hyb_order_hold(struct hyb_order *order) HYB_COLD;

/* A receive that names any source or any tag is posted: its number. */
static inline uint64_t hyb_order_opened(struct hyb_order *order)
{
	if (hyb_likely(order->open.end < order->open.room) || hyb_order_hold(order))
		order->open.numbers[order->open.end++] = order->posts;
	return order->posts++;
}

/* One that is not the oldest open one, or whose tag is to be told, got a message. */
HYB_EXPORT void hyb_order_matched_late(struct hyb_order *order, uint64_t post, int source, int tag, bool any_tag);

/* It got a message. any_tag: it named none. */
static inline void hyb_order_matched(struct hyb_order *order, uint64_t post, int source, int tag, bool any_tag)
{
	if (hyb_unlikely(order->open.first >= order->open.end || order->open.numbers[order->open.first] != post ||
			 (any_tag && tag != order->tag))) {
		hyb_order_matched_late(order, post, source, tag, any_tag);
		return;
	}
	/* Where none is left, the next one takes the first place again, which is in the cache. */
	if (hyb_likely(++order->open.first == order->open.end))
		order->open.first = order->open.end = 0;
	hyb_order_outcome(order, HYB_ORDER_MATCHED, (uint64_t)source);
}

/* It will get none: HYB_ORDER_CANCELLED or HYB_ORDER_GIVEN_UP. */
HYB_EXPORT void hyb_order_ended(struct hyb_order *order, uint64_t post, enum hyb_order_other how);
/* One of the thread `owner` got a message. */
HYB_EXPORT void hyb_order_foreign(struct hyb_order *order, unsigned int owner, uint64_t post, int source, int tag);

/* The call that the thread makes now is not the expected one. values: at most HYB_ORDER_VALUES. */
HYB_EXPORT void hyb_order_call(struct hyb_order *order, unsigned int function, unsigned int count, const int64_t *values)
	HYB_COLD;

/* The process ends, after so many turns: the calling thread's stream is complete. Streams of other threads end with them. */
void hyb_orders_end(uint64_t turns);

#endif
