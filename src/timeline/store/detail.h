/* SPDX-License-Identifier: BSD-3-Clause */
/* What a timeline tells of an event besides its region: lists of details, of which equal ones are there once. */
#ifndef HYB_TIMELINE_STORE_DETAIL_H
#define HYB_TIMELINE_STORE_DETAIL_H

#include <pthread.h>

#include "merge/sink/event.h"
#include "timeline/store/store.h"

/* 0 or -ENOMEM. */
int hyb_view_details_begin(struct hyb_view_store *s);
/* The number of a list: what the event adds to the list `detail`. `lock` guards the store's details. */
uint32_t hyb_view_detail_of(struct hyb_view_store *s, pthread_mutex_t *lock, const struct hyb_merge_event *e,
			    uint32_t detail);

#endif
