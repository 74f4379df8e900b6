/* SPDX-License-Identifier: BSD-3-Clause */
/* How a thread of a profile comes to know what the kernel did to it: from the collector, or by looking itself. */
#ifndef HYB_CORE_COLLECTOR_SLOT_H
#define HYB_CORE_COLLECTOR_SLOT_H

#include <stdint.h>

#include "format/kernel-slot.h"

/* Whether that is wanted (HYBMON_KERNEL_PROFILE, HYBMON_MODE), and what the collector is to do then. */
void hyb_slot_settle(void);
/* Hands record what it needs for it. */
void hyb_slot_start(void);

/* own-sums.c: what every thread may know of itself; as `look` in struct hyb_sums_way. */
void hyb_own_sums(struct hyb_kernel_slot *slot, uint64_t more[8]);

#endif
