/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an MPI call did, gathered until it ends: for sinks that show it at the call. The first deed of each kind, and
 * HYB_DEEDS kinds at most, since MPI_Waitall may complete thousands.
 */
#ifndef HYB_MERGE_SINK_DEEDS_H
#define HYB_MERGE_SINK_DEEDS_H

#include "merge/sink/field.h"

#define HYB_DEEDS 4u

struct hyb_deed {
	enum hyb_kind kind;
	size_t count;
	struct hyb_field fields[HYB_FIELDS_MAX];
};

struct hyb_deeds {
	size_t depth; /* of the call among its track's regions, 0: in no call */
	size_t count;
	struct hyb_deed list[HYB_DEEDS];
};

static inline void hyb_deeds_begin(struct hyb_deeds *d, size_t depth)
{
	d->depth = depth;
	d->count = 0;
}

static inline void hyb_deeds_end(struct hyb_deeds *d)
{
	d->depth = 0;
}

/* Of an event in the call, its fields. */
void hyb_deeds_add(struct hyb_deeds *d, enum hyb_kind kind, const struct hyb_field *fields, size_t count);

#endif
