/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector of a node, from its start to the end of the job. */
#ifndef HYB_COLLECTOR_JOB_COLLECT_H
#define HYB_COLLECTOR_JOB_COLLECT_H

#include <stdint.h>

#include "collector/common/request.h"

struct hyb_collect_result {
	const char *source;	/* "nothing" if none could be had */
	uint64_t lost;
};

/* Runs until the job's processes have ended. 0 or -errno. */
int hyb_collect_run(const struct hyb_request *request);
/* What came of it. */
void hyb_collect_result(struct hyb_collect_result *result);

/*
 * Says on the standard output what would be recorded: `source: NAME`, and a line `missing: WHAT: WHY` for each thing
 * that cannot be had; `samples: WHAT` if samples can be. hybmon doctor asks this, so it says what a run would say. 0 or -errno.
 */
int hyb_collect_try(const struct hyb_request *request);

#endif
