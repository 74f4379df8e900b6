/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forward pass of the controlled logical clock (Rabenseifner 1997; Becker, Rabenseifner, Wolf, Linford 2009): it
 * repairs what offsets leave of messages that are received before they were sent, by moving events of one node.
 *
 * - A receive that is too early moves to when the message can have come (a jump). What follows on its node moves
 *   along, by a 128th of the time gone by less each time, until it is where it was (forward amortisation).
 * - Events never move to before their input, and those of a node keep their order. An interval becomes shorter by a
 *   128th at most, and one that is not 0 does not become 0.
 *
 * Each node has one of these (order.c), since all threads of a node have one clock. Its events come in order, in times
 * corrected by offsets. The original method also draws the events before a jump near to it (backward amortisation),
 * which moves them away from times that are as good as the offsets are.
 */
#ifndef HYB_MERGE_CLOCK_LOGICAL_H
#define HYB_MERGE_CLOCK_LOGICAL_H

#include <stdbool.h>
#include <stdint.h>

#define HYB_NO_BOUND INT64_MIN
#define HYB_LOGICAL_DECAY 128 /* a shift goes back by 1/128 of the time */

/* All zero: nothing has happened yet. */
struct hyb_logical {
	int64_t shift; /* of the last event */
	int64_t owed;  /* time gone by that has not made up for a nanosecond of it */
	int64_t input; /* time of the last event */
	int64_t last;  /* and its final time */
	bool begun;
};

/*
 * Returns the final time of the node's next event. `bound` of a receive is the final time of its send plus the least
 * latency, so a receive comes after its send; otherwise the order between nodes does not matter.
 */
int64_t hyb_logical_time(struct hyb_logical *l, int64_t time, int64_t bound);

#endif
