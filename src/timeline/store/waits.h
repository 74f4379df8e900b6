/* SPDX-License-Identifier: BSD-3-Clause */
/* Where threads waited for others, as marks on a timeline: the longest of what a report finds. */
#ifndef HYB_TIMELINE_STORE_WAITS_H
#define HYB_TIMELINE_STORE_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/report/report.h"
#include "reader/containers/heap.h"

#define HYB_VIEW_WAITS 10000u

struct hyb_view_wait {
	int64_t begin; /* ns; of the merge's clock */
	int64_t end;
	uint32_t track;
	uint32_t other; /* track that it waited for */
	uint32_t cause; /* what most of it goes back to, by its number */
	enum hyb_wait_kind kind;
};

struct hyb_view_waits {
	struct hyb_view_wait *list; /* in no order until hyb_view_waits_order */
	struct hyb_heap heap;	    /* the shortest of them first */
	uint64_t total;		    /* of all waits */
};

/* 0 or -ENOMEM; after either, hyb_view_waits_free. */
int hyb_view_waits_init(struct hyb_view_waits *w);
void hyb_view_waits_free(struct hyb_view_waits *w);
/* hyb_causes_tell of a report; arg: struct hyb_view_waits. */
void hyb_view_waits_take(void *arg, const struct hyb_step *wait, uint32_t cause);
/* After the last one: by track and time. How many there are. */
size_t hyb_view_waits_order(struct hyb_view_waits *w);

#endif
