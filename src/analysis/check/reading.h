/* SPDX-License-Identifier: BSD-3-Clause */
/* One process's streams as they are read: what read.c, count.c and stand.c share. */
#ifndef HYB_ANALYSIS_CHECK_READING_H
#define HYB_ANALYSIS_CHECK_READING_H

#include "analysis/check/check.h"
#include "reader/containers/keymap.h"
#include "merge/model/ids.h"
#include "reader/streams/reader.h"
#include "reader/streams/standing.h"

/* What a function's name says. */
enum hyb_known_flag {
	HYB_KNOWN_MPI = 1,
	HYB_KNOWN_SYNCHRONOUS = 2, /* sends that wait for their receiver, whatever their size */
	HYB_KNOWN_BUFFERED = 4,
	HYB_KNOWN_STARTS = 8, /* persistent requests */
	HYB_KNOWN_FINALIZE = 16,
	HYB_KNOWN_CREATE =
		32, /* collective, without a record; nobody comes back before all have come */
	HYB_KNOWN_ANY = 64,	    /* waits for one of several requests */
	HYB_KNOWN_UNRECORDED = 128, /* makes requests that are not recorded */
	HYB_KNOWN = 256,	    /* it was looked up */
};

struct hyb_known {
	const struct hyb_gregion *region;
	uint32_t flags;
	uint64_t last; /* raw: when it was left last */
	uint64_t stack; /* that the thread told last, in the chunk of `seq`; 0: not known */
	uint64_t seq;
};

/* A request that is under way. */
struct hyb_under_way {
	uint64_t number; /* 0: free */
	struct hyb_need need;
};

struct hyb_check_reading {
	struct hyb_check *c;
	struct hyb_check_process *p;
	const struct hyb_model_process *mp;
	const struct hyb_clock *clock;
	struct hyb_probe *probe; /* NULL: all is counted */
	struct hyb_ids ids;
	struct hyb_known
		*known; /* by region; the last place is for those that are defined nowhere */
	size_t known_count;
	struct hyb_key_map
		requests; /* number to place in under_way plus 1, or 0: it was complete before it was seen to begin */
	struct hyb_under_way *under_way;
	size_t way_count, way_room;
	size_t way_free; /* place plus 1 of the first free one: need.nth has the next */
	struct hyb_check_thread *t;
	/* Of each thread, where it stands at its stream's end: what requests it waits for is known when all are read. */
	struct hyb_check_reading_end {
		const struct hyb_known *known; /* NULL: it waits for nothing that is known */
		struct hyb_standing standing;
	} * ends;
	struct {
		const struct hyb_known *known;
		uint64_t id;
		uint64_t time;
		uint64_t path; /* the frame it was called from; 0: not known */
	} * stack;
	size_t depth, room;
	struct hyb_metric_reader metrics; /* of the thread */
	uint64_t now; /* raw */
	int err;
};

/* What is known of a region; NULL without memory. */
const struct hyb_known *hyb_check_known(struct hyb_check_reading *r, uint64_t id);

/* count.c: what is attached to an event of a region, except a blocking collective operation. */
void hyb_count_attached(struct hyb_check_reading *r, const struct hyb_event *event,
			const struct hyb_known *known);
/* The request with that number as it is under way, or NULL. */
const struct hyb_need *hyb_count_under_way(struct hyb_check_reading *r, uint64_t request);
/* The place of a rank in a communicator; HYB_COMM_NONE: not known. */
uint32_t hyb_count_place(const struct hyb_check_reading *r, const struct hyb_ids_comm *comm,
			 int32_t rank);
/* The index of a window, HYB_COMM_NONE: not known; and the place of a rank in it. */
uint32_t hyb_count_win(const struct hyb_check_reading *r, uint32_t id);
uint32_t hyb_count_win_place(const struct hyb_check_reading *r, uint32_t win, int32_t rank);

/* stand.c: what threads wait for, once all are read. 0 or -ENOMEM. */
int hyb_stand_settle(struct hyb_check_reading *r);

#endif
