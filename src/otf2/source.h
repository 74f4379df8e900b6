/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in the source an address of the program is: from debug information, else from the symbol it lies in, else its
 * place in the object. Thread-safe.
 */
#ifndef HYB_OTF2_SOURCE_H
#define HYB_OTF2_SOURCE_H

#include <stdio.h>

#include "otf2/region.h"
#include "trace/diag.h"

struct hyb_sources;

/* NULL without memory. */
struct hyb_sources *hyb_sources_new(const struct hyb_diag *diag);
void hyb_sources_free(struct hyb_sources *s);
/*
 * The archive's region of one that a process defined, named after where it is, if that is known. NULL without
 * memory.
 */
struct hyb_gregion *hyb_sources_region(struct hyb_sources *s, struct hyb_regions *regions,
				       const struct hyb_defs *defs, const struct hyb_region *region);
/*
 * Writes what is at an offset in a file that was mapped as code since some time (ns of system time), for a call chain:
 * functions that are inlined there, too, the innermost first: "g (a.h:3) < f (a.c:7)"; without debug information
 * "f+0x1f (libf.so)". behind: it follows a call, which is what is meant. False: nothing is known of it, and nothing
 * was written.
 */
bool hyb_sources_frame(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind, FILE *to);

#endif
