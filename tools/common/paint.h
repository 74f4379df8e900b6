/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours of text, where a person reads it: on a terminal, and where NO_COLOR is not set. */
#ifndef HYB_TOOLS_COMMON_PAINT_H
#define HYB_TOOLS_COMMON_PAINT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether what is written there may have colours. */
bool hyb_paint_may(FILE *to);
/*
 * Calls `write` for text that goes to `to`. Where that may have colours, headings are bold: the first line, and lines
 * after an empty one. 0; -ENOMEM; or what `write` returned.
 */
int hyb_paint_headings(FILE *to, int (*write)(const void *what, FILE *to), const void *what);

#endif
