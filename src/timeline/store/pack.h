/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records and messages, packed: by columns, of each column first all lowest bytes, then all that come next; then by
 * zstd where there is that. Of a record there is the time since the one before, and a number for what it is; what follows
 * from other records is left out. What is unpacked may be damaged: it is then -EIO, or something else than it was.
 */
#ifndef HYB_TIMELINE_STORE_PACK_H
#define HYB_TIMELINE_STORE_PACK_H

#include "timeline/store/overview.h"

#define HYB_VIEW_BLOCK 128u /* records */
#define HYB_VIEW_BLOCKS (HYB_VIEW_SEGMENT / HYB_VIEW_BLOCK)

/* As it is before the first record of the block, at that record's time. */
struct hyb_view_block {
	uint64_t time;
	uint64_t open; /* number of the innermost region's record + 1; 0: in none */
	uint64_t class;
	uint64_t passed[HYB_VIEW_CLASSES];
};

/* A segment, unpacked. */
struct hyb_view_part {
	struct hyb_view_record records[HYB_VIEW_SEGMENT];
	uint32_t details[HYB_VIEW_SEGMENT];
	struct hyb_view_block blocks[HYB_VIEW_BLOCKS];
};

/* What is open in a segment and began before it. */
struct hyb_view_outer {
	uint64_t left
		[HYB_VIEW_SEGMENT]; /* numbers of the records of those that are left in it, in that order */
	uint32_t count;
	uint64_t open; /* the innermost one that is not, + 1; 0: there is none */
};

struct hyb_view_packer;

/* For one thread at a time. NULL without memory. */
struct hyb_view_packer *hyb_view_packer_new(void);
void hyb_view_packer_free(struct hyb_view_packer *p);
/* Makes *bytes of it, which stay until the next. 0 or -errno; *size. */
int hyb_view_pack(struct hyb_view_packer *p, const struct hyb_view_segment *s,
		  const struct hyb_view_record *records, const uint32_t *details,
		  const struct hyb_view_outer *outer, const void **bytes, uint32_t *size);
int hyb_view_pack_messages(struct hyb_view_packer *p, const struct hyb_view_message *messages,
			   uint32_t count, const void **bytes, uint32_t *size);
int hyb_view_pack_values(struct hyb_view_packer *p, const struct hyb_view_value *values, uint32_t count,
			 const void **bytes, uint32_t *size);
/* HYB_VIEW_PART columns. */
int hyb_view_pack_sums(struct hyb_view_packer *p, const struct hyb_view_sums *sums, const void **bytes, uint32_t *size);
int hyb_view_unpack_sums(struct hyb_view_packer *p, const void *bytes, uint32_t size, struct hyb_view_sums *sums);
/* `first`: number of its first record; `regions`: all ids of regions are less. 0 or -errno. */
int hyb_view_unpack(struct hyb_view_packer *p, const void *bytes, const struct hyb_view_segment *s,
		    uint64_t first, uint32_t regions, struct hyb_view_part *part);
int hyb_view_unpack_messages(struct hyb_view_packer *p, const void *bytes,
			     const struct hyb_view_batch *b, struct hyb_view_message *messages);
/* Their times rise. */
int hyb_view_unpack_values(struct hyb_view_packer *p, const void *bytes,
			   const struct hyb_view_stretch *s, struct hyb_view_value *values);

#endif
