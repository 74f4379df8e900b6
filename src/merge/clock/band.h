/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What two envelopes leave for the difference of two clocks at one time: a linear program in two unknowns, the
 * difference and its rate. Each point allows what lies on its side, the more the further it is away (envelope.h).
 *
 * Where the difference may be at all is a sure bound as long as clocks are as steady as HYB_WANDER says (Poirier, Roy,
 * Dagenais: Accurate offline synchronization of distributed traces using kernel-level events, 2010). Its middle would
 * be wrong by the least at worst: Duda's bisector of the steepest and the flattest line. But both of these touch bounds at
 * both ends, as if messages had taken no time. So those lines are likely that leave nearly as much room as any does.
 */
#ifndef HYB_MERGE_CLOCK_BAND_H
#define HYB_MERGE_CLOCK_BAND_H

#include <stdbool.h>
#include <stdint.h>

#include "merge/clock/envelope.h"

struct hyb_band {
	bool sides[2]; /* there is a bound */
	double ahead;  /* the estimate, ns */
	double slope;  /* and its rate, ns a ns */
	double sure[2];	  /* between which it is */
	double likely[2]; /* and between which it is if it runs at about the rate that leaves messages most room */
	double rates[2]; /* between which the rate is, if there are bounds on both sides */
	double gap;	 /* room between the envelopes: the smallest round trip; negative: no line passes */
};

/* Memory to work in, for any number of calls, one at a time. */
struct hyb_band_room {
	double *x[2];
	double *y[2];
	uint32_t count[2];
	uint32_t room[2];
};

void hyb_band_room_free(struct hyb_band_room *room);

/*
 * Points after `from` and before `to` only (INT64_MIN, INT64_MAX: all). share: the part of the gap that belongs to
 * the upper side, 1/2 for halves.
 */
struct hyb_band_query {
	const struct hyb_envelope *envelope;
	int64_t from;
	int64_t to;
	double share;
	double rates[2]; /* between which the rate is to be, if that leaves room */
};

/* The difference at one time. 0 or -ENOMEM. */
int hyb_band_at(struct hyb_band_room *room, const struct hyb_band_query *q, int64_t at, struct hyb_band *band);

/*
 * The room for a straight line between the envelopes from one window to another, of the points of the query: negative
 * where none passes, HUGE_VAL where one side has no points. 0 or -ENOMEM.
 */
int hyb_band_gap(struct hyb_band_room *room, const struct hyb_band_query *q, uint32_t first, uint32_t last,
		 double *gap);

/* The rate at which the upper or the lower envelope alone rises about that time; 0: not known. 0 or -ENOMEM. */
int hyb_band_rate(struct hyb_band_room *room, const struct hyb_envelope *e, enum hyb_side side, int64_t at,
		  double *rate);

#endif
