/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread's operations that are not complete yet, in the order of their numbers. */
#ifndef HYB_OTF2_RMA_H
#define HYB_OTF2_RMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_rma_pending {
	uint64_t id;
	uint32_t win; /* in the archive */
	uint32_t target;
	bool puts;  /* data goes to the target, so that it is complete there later */
	bool local; /* complete here: that was written */
};

struct hyb_rma_queue {
	struct hyb_rma_pending *ops;
	size_t count;
	size_t room;
	size_t settled; /* so many at the beginning are complete here, and wait for their targets only */
};

#endif
