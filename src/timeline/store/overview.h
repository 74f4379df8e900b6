/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A track as a whole: in columns of 2^level ns, from the store's start on, how long it was in each class, and how many
 * records begin there. It is added up while the track is told, so that a picture of all of a long track need not unpack
 * it. As the track gets longer, two columns become one.
 */
#ifndef HYB_TIMELINE_STORE_OVERVIEW_H
#define HYB_TIMELINE_STORE_OVERVIEW_H

#include "timeline/store/store.h"

#define HYB_VIEW_PART (HYB_VIEW_WHOLE / HYB_VIEW_WHOLE_PARTS) /* columns that are packed as one */

/* Of a column: ns, and records. */
struct hyb_view_sums {
	uint64_t passed[HYB_VIEW_CLASSES];
	uint64_t records;
};

/* While it is added up. */
struct hyb_overview {
	uint32_t level;
	uint32_t used; /* columns; those after are not set to anything */
	struct hyb_view_sums columns[HYB_VIEW_WHOLE];
};

static inline void hyb_overview_begin(struct hyb_overview *o)
{
	o->level = 0;
	o->used = 0;
}

/* Columns up to that of `time` are there. */
void hyb_overview_reach(struct hyb_overview *o, uint64_t time);
/* From `from` until `until`, in more than one column, it was in that class. */
void hyb_overview_spread(struct hyb_overview *o, uint32_t class, uint64_t from, uint64_t until);

static inline void hyb_overview_pass(struct hyb_overview *o, uint32_t class, uint64_t from, uint64_t until)
{
	if (__builtin_expect(until >> o->level >= o->used, 0))
		hyb_overview_reach(o, until);
	if (__builtin_expect(from >> o->level == until >> o->level, 1))
		o->columns[from >> o->level].passed[class] += until - from;
	else
		hyb_overview_spread(o, class, from, until);
}

static inline void hyb_overview_record(struct hyb_overview *o, uint64_t time)
{
	if (__builtin_expect(time >> o->level >= o->used, 0))
		hyb_overview_reach(o, time);
	o->columns[time >> o->level].records++;
}

#endif
