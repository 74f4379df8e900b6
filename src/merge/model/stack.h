/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of calls as people read them. */
#ifndef HYB_MERGE_MODEL_STACK_H
#define HYB_MERGE_MODEL_STACK_H

#include <stdint.h>

#include "reader/symbols/source.h"
#include "reader/streams/defs.h"

/*
 * From the innermost function to main: "g (a.h:3) < f (a.c:7) < main (main.c:12)". Where there is more than was recorded
 * it ends with "...", where nobody knows who called with "[cut]". To be freed; NULL without memory, or where the stack
 * is not defined.
 */
char *hyb_stack_text(struct hyb_sources *sources, const struct hyb_defs *defs, uint64_t id);

#endif
