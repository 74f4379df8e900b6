/* SPDX-License-Identifier: BSD-3-Clause */
/* What the numbers in tiles stand for (view/tile.h), as one JSON document. */
#ifndef HYB_JSON_VIEW_H
#define HYB_JSON_VIEW_H

#include <stdio.h>

#include "view/store.h"

/* Writes it. 0 or -ENOMEM; errors of the file are the caller's to find. */
int hyb_json_view(const struct hyb_view_store *s, const char *title, FILE *to);

#endif
