/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a picture, as the page gets them: little-endian, times as doubles in ns since the recording's begin.
 *
 * A tile is HYB_VIEW_COLUMNS columns of one track; of level n each is 2^n ns wide, and tile i begins at i times its
 * width. Where it has few records it has them all (exact), and whoever wants to see more of it needs no other tile.
 * Otherwise it has for each column what part of it was of which class, and how many records lie in it.
 */
#ifndef HYB_TIMELINE_STORE_TILE_H
#define HYB_TIMELINE_STORE_TILE_H

#include "timeline/store/store.h"

#define HYB_VIEW_COLUMNS 512u
#define HYB_VIEW_EXACT 1024u /* records */
#define HYB_VIEW_LEVEL_MAX 48u

enum hyb_view_tile_kind { HYB_VIEW_TILE_EXACT = 0, HYB_VIEW_TILE_DENSITY = 1 };

struct hyb_view_tile_head {
	uint32_t kind;
	uint32_t count; /* of slices or columns that follow */
	double begin;	/* of the tile */
	double records; /* in it */
};

struct hyb_view_slice { /* of an exact tile; outer ones come before inner ones */
	double begin;
	double end;    /* less than begin: it has none; of a point: its begin */
	uint32_t what; /* as in struct hyb_view_record */
	uint32_t detail;
	uint32_t depth; /* 0: the outermost */
	uint32_t pad;
};

struct hyb_view_column {
	uint8_t shares
		[HYB_VIEW_CLASSES]; /* 255ths of the column; what is missing lies before or after the track */
	uint32_t records;
};

struct hyb_view_level { /* of a curve in a column; not a number: nothing is known there */
	float least;
	float most;
	float mean;
};

struct hyb_view_line { /* a message */
	double sent;
	double received;
	uint32_t from;
	uint32_t to;
	uint32_t comm;
	uint32_t tag;
	double bytes;
};

struct hyb_view_lines_head {
	uint32_t count; /* of lines that follow */
	uint32_t pad;
	double total; /* about so many lie there; more than `count`: they are a sample */
};

/* Bytes that grow; zeroes at first. To be freed: data. */
struct hyb_view_bytes {
	char *data;
	size_t size;
	size_t room;
};

/* Appends the ns of each class in that time, as doubles. 0 or -errno. Thread-safe, as are the next two. */
int hyb_view_sums(const struct hyb_view_store *s, const uint32_t *tracks, size_t count,
		  uint64_t from, uint64_t until, struct hyb_view_bytes *to);
/* Appends the tile. 0 or -errno; *kind is what it is. */
int hyb_view_tile(const struct hyb_view_store *s, size_t track, uint32_t level, uint64_t index,
		  struct hyb_view_bytes *to, enum hyb_view_tile_kind *kind);
/*
 * The same of a curve (curve.c): after the head come HYB_VIEW_COLUMNS struct hyb_view_level; or, if it is exact, times and
 * values as two doubles each, the first of which holds when the tile begins. 0 or -errno. Thread-safe.
 */
int hyb_view_curve_tile(const struct hyb_view_store *s, size_t curve, uint32_t level, uint64_t index,
			struct hyb_view_bytes *to, enum hyb_view_tile_kind *kind);
/* Appends messages that overlap the time from..until and have an end on one of the tracks; at most so many. */
int hyb_view_lines(const struct hyb_view_store *s, uint64_t from, uint64_t until,
		   const uint32_t *tracks, size_t count, uint32_t most, struct hyb_view_bytes *to);
/* The least level of which one tile has all. */
uint32_t hyb_view_top_level(const struct hyb_view_store *s);
int hyb_view_put(struct hyb_view_bytes *to, const void *data, size_t size);

#endif
