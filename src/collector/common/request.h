/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be recorded of a job, and where: a request for a recording, once it is checked (job/request.h). */
#ifndef HYB_COLLECTOR_COMMON_REQUEST_H
#define HYB_COLLECTOR_COMMON_REQUEST_H

#include "format/collector.h"

struct hyb_request {
	struct hyb_collect_request wish;
	const char *text[HYB_COLLECT_TEXTS];
	int listener;		/* the socket that processes of the job come to */
	const char *limited;	/* why the buffer is smaller than it was asked for, NULL: it is not */
};

#endif
