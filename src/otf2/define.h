/* SPDX-License-Identifier: BSD-3-Clause */
/* The writing of definitions, for those that do not lie in define.c. */
#ifndef HYB_OTF2_DEFINE_H
#define HYB_OTF2_DEFINE_H

#include "otf2/merge.h"

struct define;

const struct hyb_merge *hyb_define_merge(const struct define *d);
/* NULL once something has failed. */
OTF2_GlobalDefWriter *hyb_define_writer(const struct define *d);
/* Takes in what a write returned. */
void hyb_define_check(struct define *d, OTF2_ErrorCode code);
void hyb_define_no_memory(struct define *d);
/* The string's number; it is written if it is new. */
uint32_t hyb_define_name(struct define *d, const char *text);

/* topology.c: the shapes of communicators, after these and the location groups. */
void hyb_define_topologies(struct define *d);

#endif
