/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread has done lately: parts of time with what they were made of, the newest ones as they were, older ones
 * joined, so that memory does not grow with the run. An item's key is a spot, or with HYB_KEY_CAUSE a cause that it
 * waited for.
 */
#ifndef HYB_ANALYSIS_WAITS_HISTORY_H
#define HYB_ANALYSIS_WAITS_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define HYB_KEY_CAUSE (UINT32_C(1) << 31)

struct hyb_share {
	uint32_t key;
	int64_t ns;
};

struct hyb_part {
	int64_t begin;
	int64_t end;
	struct hyb_share *shares; /* by key, each once */
	uint32_t count;
};

#define HYB_HISTORY_PARTS 64

struct hyb_history {
	struct hyb_part parts[HYB_HISTORY_PARTS]; /* the oldest first */
	uint32_t count;
};

/* Adds a part, which is copied. 0 or -ENOMEM. */
int hyb_history_add(struct hyb_history *h, int64_t begin, int64_t end, const struct hyb_share *shares, uint32_t count);
void hyb_history_free(struct hyb_history *h);

#endif
