/* SPDX-License-Identifier: BSD-3-Clause */
/* Of a report's document: what waiting goes back to. */
#ifndef HYB_EXPORT_DOCUMENTS_REPORT_CAUSES_H
#define HYB_EXPORT_DOCUMENTS_REPORT_CAUSES_H

#include <jansson.h>

#include "analysis/report/report.h"

/* The weightiest first; at most so many. */
json_t *hyb_json_causes(const struct hyb_report *report, uint32_t most);
const char *hyb_json_wait_name(enum hyb_wait_kind wait);

#endif
