/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of a report's document. Inside of the room only. */
#ifndef HYB_JSON_REPORT_FLAT_H
#define HYB_JSON_REPORT_FLAT_H

#include <jansson.h>

#include "analysis/report.h"

/* The flat profile; NULL without memory. */
json_t *hyb_json_flat(const struct hyb_report *r);
/* What might be done; NULL without memory. */
json_t *hyb_json_advice(const struct hyb_report *r);

#endif
