/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages between two nodes say about their clocks, in bounded memory. Let `ahead` be what the second node's
 * clock shows more than the first one's. A message to the second node shows at least that (received less sent: an
 * upper bound), one to the first node at most that (sent less received: a lower bound). Of many bounds few matter:
 * those that the others do not imply. They lie on two envelopes, between which `ahead` has to pass.
 *
 * Time is cut into windows. A window keeps some points of each envelope. Windows begin narrow; where they become too
 * many, each two become one.
 *
 * A bound follows from others because clocks are known to be steady: they differ by at most HYB_DRIFT_MAX in rate,
 * and the difference changes by at most HYB_WANDER a second. So each point's bound widens with the distance in time
 * by a parabola, and a point matters only if it lies below what its neighbours leave.
 */
#ifndef HYB_MERGE_CLOCK_ENVELOPE_H
#define HYB_MERGE_CLOCK_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HYB_DRIFT_MAX 1e-3 /* two clocks run apart by at most so much, ns a ns */
/*
 * Quartz clocks change their rate by about 0.1 to 1 ppm a degree: so this is some degrees a minute. 1e-8 a second, here
 * in 1/ns. After 10 s it makes 0.5 us.
 */
#define HYB_WANDER 1e-17
#define HYB_ENVELOPE_POINTS 6		  /* of a window, on each side */
#define HYB_TIME_LIMIT (INT64_C(1) << 60) /* times and bounds within an envelope stay within this */

enum hyb_side { HYB_UPPER, HYB_LOWER };

/*
 * Both as differences from the first ones of the pair. On the lower side `ahead` is negated: so below is better on
 * both.
 */
struct hyb_point {
	int64_t at;
	int64_t ahead;
};

struct hyb_window {
	int64_t index; /* at >> shift of all of its points */
	uint32_t count[2];
	struct hyb_point points[2][HYB_ENVELOPE_POINTS]; /* by `at`, which rises strictly */
};

struct hyb_envelope {
	struct hyb_window *windows; /* by index */
	uint32_t count;
	uint32_t last; /* used last */
	size_t room;
	uint32_t shift; /* log2 of a window's width in ns */
};

void hyb_envelope_init(struct hyb_envelope *e);
void hyb_envelope_free(struct hyb_envelope *e);
/* A bound, negated on the lower side, in at most `windows` windows (8 or more). 0 or -ENOMEM. */
int hyb_envelope_add(struct hyb_envelope *e, enum hyb_side side, int64_t at, int64_t ahead, uint32_t windows);
/* Forgets the bounds of one side. */
void hyb_envelope_clear(struct hyb_envelope *e, enum hyb_side side);
/* The first window that has points at or after this time, or e->count. */
uint32_t hyb_envelope_find(const struct hyb_envelope *e, int64_t at);
/* The first and the last time there is a bound for; false: there is none. */
bool hyb_envelope_span(const struct hyb_envelope *e, int64_t *first, int64_t *last);

#endif
