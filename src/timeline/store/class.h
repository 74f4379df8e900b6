/* SPDX-License-Identifier: BSD-3-Clause */
/* Of which class the time in a region is. For this folder only. */
#ifndef HYB_TIMELINE_STORE_CLASS_H
#define HYB_TIMELINE_STORE_CLASS_H

#include "timeline/store/store.h"

enum hyb_view_class hyb_view_class_of(const struct hyb_merge *m, const struct hyb_gregion *region);

#endif
