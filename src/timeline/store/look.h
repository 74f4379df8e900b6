/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions about the records of a timeline: where a region comes next, and which ones take the time. */
#ifndef HYB_TIMELINE_STORE_LOOK_H
#define HYB_TIMELINE_STORE_LOOK_H

#include "timeline/store/tile.h"

/* Regions by id, a bit each. */
struct hyb_view_wish {
	const uint8_t *bits;
	uint32_t count; /* of regions */
};

struct hyb_view_found {
	double begin;
	double end; /* less than begin: it has none */
	uint32_t track;
	uint32_t what; /* as in struct hyb_view_record; 0 with track UINT32_MAX: there is none */
	uint32_t detail;
	uint32_t pad;
};

/*
 * The region that begins first after `time` on any of the tracks, or last before it. On each no more than some ten
 * million records are looked at. Thread-safe, as is the next one.
 */
struct hyb_view_found hyb_view_find(const struct hyb_view_store *s, const uint32_t *tracks,
				    size_t count, uint64_t time, bool before,
				    const struct hyb_view_wish *wish);

struct hyb_view_share {
	uint32_t region; /* its id; UINT32_MAX: in none */
	uint32_t visits; /* that begin there */
	double ns;	 /* in it, and not in one inside of it; all tracks together */
};

/*
 * Appends a struct hyb_view_share for each region that tracks are in between from and until, the longest first. 0 or
 * -errno; -E2BIG: there are too many records to look at.
 */
int hyb_view_shares(const struct hyb_view_store *s, const uint32_t *tracks, size_t count,
		    uint64_t from, uint64_t until, struct hyb_view_bytes *to);

#endif
