/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a run: what each thread could not know by itself, in streams of the kind ORDER, order-N.hyb beside
 * thread-N.hyb. Their chunks hold bytes, 8 in a word, the first lowest. The last word may have bytes that are 0 and
 * become something else later; no byte of an entry is 0.
 *
 * An entry is a number, in LEB128: enum hyb_order_kind in its low bits, a detail above. Some have further numbers after
 * it. A receive that names any source or any tag is an open one from when it is posted (or started, if it is
 * persistent) until it is matched, cancelled or given up; a thread numbers its own from 0. An entry says which one by
 * how many older ones of the same thread are still open.
 */
#ifndef HYB_FORMAT_ORDER_H
#define HYB_FORMAT_ORDER_H

#include <stdint.h>

#define HYB_ORDER_KIND_BITS 3
#define HYB_ORDER_KIND_MASK ((UINT64_C(1) << HYB_ORDER_KIND_BITS) - 1)

enum hyb_order_kind {
	/* the oldest open receive got a message; detail: its source. Its tag: what it named, or the last TAGGED's */
	HYB_ORDER_MATCHED = 1,
	HYB_ORDER_TAGGED = 2,	/* the same; then tag + 1 */
	HYB_ORDER_LATER = 3,	/* one that is not the oldest; detail: how many older ones; then source + 1, tag + 1 */
	HYB_ORDER_NO = 4,	/* tests and probes in a row that found nothing; detail: how many, less 1 */
	HYB_ORDER_INDEX = 5,	/* which request of several is complete; detail: index + 1, 0: MPI_UNDEFINED */
	HYB_ORDER_SOME = 6,	/* which ones are; detail: how many + 1, 0: MPI_UNDEFINED; then index + 1 of each */
	HYB_ORDER_OTHER = 7,	/* detail: enum hyb_order_other */
};

enum hyb_order_other {
	HYB_ORDER_YES,		/* a test was true */
	HYB_ORDER_FOUND,	/* a probe that names any source or tag found a message; then source + 1, tag + 1 */
	HYB_ORDER_CANCELLED,	/* an open receive was cancelled; then how many older ones + 1 */
	HYB_ORDER_GIVEN_UP,	/* one was freed, or failed; the same */
	/* another thread's receive got a message; then that thread + 1, its number + 1, source + 1, tag + 1 */
	HYB_ORDER_FOREIGN,
	HYB_ORDER_FAILED,	/* a call returned an error instead of an outcome */
	/* MPI_Wtime was called; then how much greater its value is as a 64-bit number than the last, or 0, zigzag, + 1 */
	HYB_ORDER_TIME,
	/*
	 * A call that is not the expected one: then how many expected ones came since the last such entry, + 1, and numbers
	 * as in struct hyb_replay_thread's calls. Expected is the call that came last time after the same two.
	 */
	HYB_ORDER_CALL,
	/* The thread made no more calls; then how many expected ones since the last HYB_ORDER_CALL, + 1 */
	HYB_ORDER_CALLS_END,
	/*
	 * Of a thread but the main one: what tells it from others in each run; above 0. Odd: by its numbers in OpenMP's
	 * teams; even: which of the others it is, in the order in which they first had something to tell
	 */
	HYB_ORDER_THREAD,
	/*
	 * Turns of the thread begin, after those of another one. Where several threads may call MPI at once, each
	 * message that is sent or asked for is one; with GCC's OpenMP each lock that a thread got, and each time it
	 * asked for a chunk, a section, or whether it is the single one. Then how many turns of all threads there were
	 * since those of its last such entry began, or before this one, + 1
	 */
	HYB_ORDER_TURN,
	/* The process took no more; then how many there were in all, + 1 */
	HYB_ORDER_TURNS_END,
	/* A test of a lock of OpenMP's was true; then how many there were since the last that was, with it */
	HYB_ORDER_TRIED,
	/*
	 * The main thread read a clock between MPI_Init and MPI_Finalize; then enum hyb_order_clock, and how much
	 * greater its value is than that of the last one, or 0, zigzag, + 1. It counts what its function does, or
	 * nanoseconds
	 */
	HYB_ORDER_CLOCK,
	HYB_ORDER_OTHERS
};

enum hyb_order_clock {
	HYB_ORDER_CLOCK_TIME = 1,
	HYB_ORDER_CLOCK_TIMEOFDAY,	/* microseconds */
	HYB_ORDER_CLOCK_CPU,		/* clock() */
	HYB_ORDER_CLOCK_SYSTEM,		/* std::chrono's */
	HYB_ORDER_CLOCK_STEADY,
	HYB_ORDER_CLOCK_OTHERS = 16,	/* clock_gettime: and from there on, the clock's number, zigzag */
};

/*
 * The outcome of a call that may never come back: a message's error is fatal by default, and whoever has it ends in the
 * call. So MPI itself writes into the file, in the page of its header, what such a call gets: the statuses that it fills
 * lie there while the call is under way. After a call that came back there is nothing. Beside it stands how many tests
 * found nothing: those since the last entry become one only with the next, and a process may be killed before.
 */
#define HYB_ORDER_PENDING_AT 512	/* bytes from the file's begin */
#define HYB_ORDER_PENDING_REQUESTS 64	/* of a call that has more nothing is known */
#define HYB_ORDER_PENDING_STATUSES 2560	/* bytes */
#define HYB_ORDER_PENDING_NONE (-0x686d) /* the source in a status that is not filled: no rank, nor a number of any MPI's */

enum hyb_order_pending_way {
	HYB_ORDER_PENDING_NOT = 0,
	HYB_ORDER_PENDING_ALL,	/* requests, or the one receive: each has a status */
	HYB_ORDER_PENDING_TEST,	/* the same, and it is a test of them */
	HYB_ORDER_PENDING_ANY,	/* the first status is of that request whose index is the first one */
	HYB_ORDER_PENDING_SOME,	/* as many statuses and indices as `done` says */
};

struct hyb_order_pending {
	uint32_t way;		/* enum hyb_order_pending_way; all but nos belongs to it */
	uint32_t requests;
	uint32_t status_size;	/* bytes */
	uint32_t source_at;	/* in a status: int32_t */
	uint32_t tag_at;
	int32_t done;		/* MPI fills these */
	/* Tests and probes that found nothing, of the whole thread: those that no entry has came after the last one. */
	uint64_t nos;
	uint64_t posts[HYB_ORDER_PENDING_REQUESTS]; /* numbers + 1 of open receives of this thread; 0: it is none */
	int32_t indices[HYB_ORDER_PENDING_REQUESTS];
	unsigned char statuses[HYB_ORDER_PENDING_STATUSES];
};

_Static_assert(HYB_ORDER_PENDING_AT + sizeof(struct hyb_order_pending) <= 4096, "it lies in the page of the file's header");

/* Each number of an entry after its first is above 0. */
#define HYB_ORDER_NUMBER_BYTES 10
/* Values that tell one call of a function from others: ranks, tags, counts, bytes of an element. */
#define HYB_ORDER_VALUES 8

/*
 * A call is told apart from others by a hash of its function and values. The one that came last time after the same two
 * calls is expected; only others are written down. Writer and readers keep a table of hashes for that.
 */
#define HYB_ORDER_EXPECTED_BITS 12

/* A call's values one by one, so that none lies in memory where the call is expected; those after the last are 0. */
#define HYB_ORDER_CALL_VALUES \
	int64_t v0, int64_t v1, int64_t v2, int64_t v3, int64_t v4, int64_t v5, int64_t v6, int64_t v7
#define HYB_ORDER_THESE_VALUES v0, v1, v2, v3, v4, v5, v6, v7

/* Odd numbers with bits all over, so that the upper bits of the sum depend on all values. */
static inline uint64_t hyb_order_call_hash(uint64_t function, HYB_ORDER_CALL_VALUES)
{
	return (function + 1) * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)v0 * UINT64_C(0x9e3779b97f4a7c15) +
	       (uint64_t)v1 * UINT64_C(0xc2b2ae3d27d4eb4f) + (uint64_t)v2 * UINT64_C(0xff51afd7ed558ccd) +
	       (uint64_t)v3 * UINT64_C(0xd6e8feb86659fd93) + (uint64_t)v4 * UINT64_C(0xa0761d6478bd642f) +
	       (uint64_t)v5 * UINT64_C(0xe7037ed1a0b428db) + (uint64_t)v6 * UINT64_C(0x8ebc6af09c88c6e3) +
	       (uint64_t)v7 * UINT64_C(0x589965cc75374cc3);
}

/* Where the expected call's hash stands, by the hashes of the last call and the one before it. */
static inline uint64_t hyb_order_expected_place(uint64_t last, uint64_t before)
{
	return (last + (before << 1)) >> (64 - HYB_ORDER_EXPECTED_BITS);
}

/*
 * What `hybmon replay` makes of the streams of a whole run, for its processes to read: struct hyb_replay_header, then
 * as many struct hyb_replay_thread, by rank and thread, then a struct hyb_replay_rank for each rank, then for each
 * thread its matches, its outcomes, its calls and its tests of locks, and for each rank its turns.
 */
#define HYB_REPLAY_MAGIC "hybrepl\n"
#define HYB_REPLAY_VERSION 5

struct hyb_replay_header {
	char magic[8];
	uint32_t version;
	uint32_t ranks;
	uint64_t threads;
	uint64_t size;		/* of the file */
};

struct hyb_replay_thread {
	uint32_t rank;
	uint32_t thread;	/* N of order-N.hyb */
	uint64_t identity;	/* what tells it from others in each run; 0: not known, or the main thread */
	uint64_t matches_at;	/* bytes from the file's begin, a multiple of 8 */
	uint64_t matches;	/* struct hyb_replay_match for each receive that was open, by number */
	uint64_t outcomes_at;
	uint64_t outcomes;	/* bytes: the entries from HYB_ORDER_NO on which are outcomes of calls, as they were */
	uint64_t calls_at;
	/*
	 * bytes: of each HYB_ORDER_CALL how many expected calls came before it, + 1; the function + 1; how many values, + 1;
	 * the values, zigzag, + 1. Of HYB_ORDER_CALLS_END the first, and 1: no function. All in LEB128.
	 */
	uint64_t calls;
	uint64_t tries_at;
	uint64_t tries;		/* bytes: the numbers of each HYB_ORDER_TRIED, in LEB128 */
};

/* Turns of a thread from one on, up to those of the next one. */
struct hyb_replay_turn {
	uint64_t first;
	uint32_t thread;	/* N of order-N.hyb */
	uint32_t reserved;
};

struct hyb_replay_rank {
	uint64_t turns_at;	/* a multiple of 8 */
	uint64_t turns;		/* struct hyb_replay_turn, rising; the first begins with turn 0 */
	uint64_t all;		/* turns there were; after them threads run freely */
	uint64_t openmp;	/* 1: OpenMP's constructs took turns, too */
	uint64_t clocks;	/* 1: HYB_ORDER_CLOCK is among the main thread's outcomes wherever it read one */
};

enum hyb_replay_source {	/* below all ranks and all that an MPI has for them */
	HYB_REPLAY_OPEN = -0x40000000,	/* it was still open in the end */
	HYB_REPLAY_CANCELLED,
	HYB_REPLAY_GIVEN_UP,
};

struct hyb_replay_match {
	int32_t source;		/* or enum hyb_replay_source */
	int32_t tag;		/* for a receive that names any */
};

#endif
