/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The controlled logical clock (Rabenseifner 1997; Becker, Rabenseifner, Wolf, Linford 2009): what offsets leave of
 * messages that are received before they were sent is repaired by moving events of one node, as little as that
 * needs.
 *
 * - A receipt that is too early is moved to when the message can have come (a jump). What follows on its node is
 *   moved along, by a 128th of the time gone by less each time, until it is where it was (forward amortisation).
 * - What comes before the jump is moved towards it, so that the time missing there does not open at once (backward
 *   amortisation), but no send to after its receipt.
 * - Events are never moved to before their input, and those of a node keep their order. An interval becomes shorter
 *   by a 128th at most, and one that is not 0 does not become 0.
 *
 * How it is fed (order.c does): one of these for each node, since all threads of a node have one clock and stay in
 * step; its events in order, in times corrected by offsets. For a receipt `bound` is the sender's time as
 * hyb_logical_push gave it back, plus the least latency. For a send `limit` is the receipt's input time less the least latency: events
 * only move to later, so it holds whatever becomes of the receipt, and nodes need not be told of each other's backward
 * amortisation. So a receipt is pushed after its send, and the order is otherwise of no account.
 *
 * Memory: `window` events a node. Backward amortisation reaches as far as these.
 */
#ifndef HYB_MERGE_CLOCK_LOGICAL_H
#define HYB_MERGE_CLOCK_LOGICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_NO_BOUND INT64_MIN
#define HYB_NO_LIMIT INT64_MAX
#define HYB_LOGICAL_DECAY 128	/* a shift goes back by 1/128 of the time */
#define HYB_LOGICAL_WINDOW 1024 /* events: enough to take in a jump of 10 us where events are 1 us apart */

struct hyb_logical;

struct hyb_logical_totals {
	uint64_t bounds;    /* events that had one */
	uint64_t early;	    /* of them, such as came before it by their input */
	int64_t worst;	    /* by how much at most, ns */
	uint64_t moved;	    /* events whose time is another one now, so far as they have been popped */
	int64_t most_moved; /* ns */
};

/* 0 or -ENOMEM. */
int hyb_logical_new(uint32_t window, struct hyb_logical **logical);
void hyb_logical_free(struct hyb_logical *l);

/* The node's window is full: one event has to be popped before the next is pushed. */
bool hyb_logical_full(const struct hyb_logical *l);

/*
 * The node's next event. Gives back its time as far as receipts are concerned: what is popped may be later, but not
 * than `limit`. A send whose receipt is not known: limit is its own time, it stays.
 */
int64_t hyb_logical_push(struct hyb_logical *l, int64_t time, int64_t bound, int64_t limit);

/* The oldest event's time and its final time; false: there is none. At the end until that. */
bool hyb_logical_pop(struct hyb_logical *l, int64_t *input, int64_t *time);

const struct hyb_logical_totals *hyb_logical_totals(const struct hyb_logical *l);

#endif
