/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How what is packed is read: segments are unpacked when somebody looks into them, and stay until others need the
 * space. A reader is one question's, of one thread: what it has looked at stays until it has looked at some others.
 */
#ifndef HYB_TIMELINE_STORE_READ_H
#define HYB_TIMELINE_STORE_READ_H

#include "timeline/store/pack.h"

#define HYB_VIEW_PINS 4u

struct hyb_view_pin;

struct hyb_view_reader {
	const struct hyb_view_store *store;
	struct hyb_view_packer *packer;
	struct hyb_view_pin *pins[HYB_VIEW_PINS]; /* the one looked at last comes first */
	int err; /* -ENOMEM; -EIO: the file is damaged. What was read then may be all zeroes. */
};

struct hyb_view_parts *hyb_view_parts_new(void);
void hyb_view_parts_free(struct hyb_view_parts *p);

void hyb_view_reader_begin(struct hyb_view_reader *r, const struct hyb_view_store *s);
/* What it met: 0 or -errno. */
int hyb_view_reader_end(struct hyb_view_reader *r);

/* The segment that has the track's record i, which there is. */
const struct hyb_view_part *hyb_view_part_at(struct hyb_view_reader *r,
					     const struct hyb_view_track *t, uint64_t i);

static inline const struct hyb_view_record *
hyb_view_record_at(struct hyb_view_reader *r, const struct hyb_view_track *t, uint64_t i)
{
	return &hyb_view_part_at(r, t, i)->records[i % HYB_VIEW_SEGMENT];
}

/* Number of the record's detail. */
static inline uint32_t hyb_view_detail_at(struct hyb_view_reader *r, const struct hyb_view_track *t,
					  uint64_t i)
{
	return hyb_view_part_at(r, t, i)->details[i % HYB_VIEW_SEGMENT];
}

/* The messages of a batch, in `to`, which has space for HYB_VIEW_BATCH. 0 or -errno. */
int hyb_view_read_batch(struct hyb_view_reader *r, const struct hyb_view_batch *b,
			struct hyb_view_message *to);

/* One part of the track as a whole, HYB_VIEW_PART columns; all 0 after an error. */
void hyb_view_read_part(struct hyb_view_reader *r, const struct hyb_view_track *t, uint32_t part,
			struct hyb_view_sums *sums);

/* ns of each class before that time, and how many records. */
uint64_t hyb_view_passed_at(struct hyb_view_reader *r, const struct hyb_view_track *t,
			    uint64_t time, uint64_t passed[HYB_VIEW_CLASSES]);
/* Numbers of the records of the regions that are open before record i, the outermost first; how many. */
size_t hyb_view_stack(struct hyb_view_reader *r, const struct hyb_view_track *t, uint64_t i,
		      uint64_t *stack);

#endif
