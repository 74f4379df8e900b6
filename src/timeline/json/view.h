/* SPDX-License-Identifier: BSD-3-Clause */
/* What the numbers in tiles stand for (timeline/store/tile.h), as one JSON document. */
#ifndef HYB_TIMELINE_JSON_VIEW_H
#define HYB_TIMELINE_JSON_VIEW_H

#include <stdio.h>

#include "timeline/store/store.h"

/* The part of it that stays, of a store that the merge has filled: its `about`. 0 or -ENOMEM. */
int hyb_json_about(struct hyb_view_store *s);
/* Writes it all, of a store that has that. 0 or -ENOMEM; errors of the file are the caller's to find. */
int hyb_json_view(const struct hyb_view_store *s, const char *title, FILE *to);

#endif
