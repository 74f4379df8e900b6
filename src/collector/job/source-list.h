/* SPDX-License-Identifier: BSD-3-Clause */
/* All sources of kernel events, and the choice of one. */
#ifndef HYB_COLLECTOR_JOB_SOURCE_LIST_H
#define HYB_COLLECTOR_JOB_SOURCE_LIST_H

#include "collector/common/source.h"

/*
 * Opens the source of that name; "auto": the first that can be had; "off": none of them. Gives up the rights that it
 * does not need. 0 or -errno, and why is told by hyb_source_missing.
 */
int hyb_source_open(const char *name, const struct hyb_collect_request *wish, int poll, const struct hyb_source **source);
/* For the service: prepares each source. */
void hyb_source_prepare_all(void);

#endif
