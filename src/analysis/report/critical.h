/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report says of the critical path (critical-path.h): its time by spot and by thread, and what balance would
 * save.
 */
#ifndef HYB_ANALYSIS_REPORT_CRITICAL_H
#define HYB_ANALYSIS_REPORT_CRITICAL_H

#include "analysis/waits/causes.h"

struct hyb_critical_spot {
	uint32_t spot;
	int64_t ns; /* on the path */
	/* By so much that is more than a thread's mean there: what an even balance would save. It may be less than 0. */
	int64_t imbalance;
};

struct hyb_critical_thread {
	uint32_t track;
	int64_t ns;
};

struct hyb_critical {
	struct hyb_table spots;	  /* struct hyb_critical_spot; the longest first */
	struct hyb_table threads; /* struct hyb_critical_thread, the same */
	int64_t ns;
	int64_t imbalance; /* by so much it is more than a thread does in the mean */
};

/* 0 or -ENOMEM; after either, hyb_critical_free. The tables are for reading in order. */
int hyb_critical_order(struct hyb_critical *critical, const struct hyb_causes *causes,
		       uint64_t threads);
void hyb_critical_free(struct hyb_critical *critical);

#endif
