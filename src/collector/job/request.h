/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The request for a recording (format/collector.h), as it comes by a socket: to the service, from another user, or to a
 * job's own collector, which may have rights that its user lacks. Nothing in it is trusted.
 */
#ifndef HYB_COLLECTOR_JOB_REQUEST_H
#define HYB_COLLECTOR_JOB_REQUEST_H

#include "collector/common/request.h"

/* Takes the request, and goes into the experiment's directory, which came with it. NULL, or what is wrong. */
const char *hyb_request_receive(int fd, struct hyb_request *request);
/* Collects for the job until it has ended, for this process's user. 0 or -errno. */
int hyb_request_run(const struct hyb_request *request);

#endif
