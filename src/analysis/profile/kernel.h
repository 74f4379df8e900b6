/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel did, of a profile: the regions of its events, with the names that the node's collector has for them. */
#ifndef HYB_ANALYSIS_PROFILE_KERNEL_H
#define HYB_ANALYSIS_PROFILE_KERNEL_H

#include <stdint.h>

#include "merge/model/model.h"

struct hyb_kdefs;

struct hyb_call_kernel {
	struct hyb_model *model;
	struct hyb_kdefs *defs; /* of each node; NULL: none was read yet */
};

/* The region of an event (HYB_SUMS_EVENT) of a process; NULL without memory. */
const struct hyb_gregion *hyb_call_kernel_region(struct hyb_call_kernel *k, const struct hyb_model_process *process,
						 uint32_t event);
/* Also of one that has nothing but its model. */
void hyb_call_kernel_free(struct hyb_call_kernel *k);

#endif
