/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of a report's document. For this folder only. */
#ifndef HYB_EXPORT_DOCUMENTS_REPORT_TRAFFIC_H
#define HYB_EXPORT_DOCUMENTS_REPORT_TRAFFIC_H

#include <jansson.h>

#include "analysis/report/report.h"

/* What was moved; NULL without memory. */
json_t *hyb_json_traffic(const struct hyb_report *r);

#endif
