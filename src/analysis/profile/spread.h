/* SPDX-License-Identifier: BSD-3-Clause */
/* How a time is spread over processes. */
#ifndef HYB_ANALYSIS_PROFILE_SPREAD_H
#define HYB_ANALYSIS_PROFILE_SPREAD_H

#include <stddef.h>
#include <stdint.h>

/* Over all processes, also those that were never there. */
struct hyb_spread {
	int64_t least;
	int64_t most;
	double mean;
	uint32_t least_in; /* index into hyb_flat.processes */
	uint32_t most_in;
	uint32_t *outliers; /* the same; the furthest first */
	uint32_t outlier_count;
};

/* Of one time (ns) of each process. 0 or -ENOMEM; after either, hyb_spread_free. */
int hyb_spread_find(struct hyb_spread *spread, const int64_t *times, size_t count);
void hyb_spread_free(struct hyb_spread *spread);

#endif
