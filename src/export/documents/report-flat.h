/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles in a report's document. For this folder only. */
#ifndef HYB_EXPORT_DOCUMENTS_REPORT_FLAT_H
#define HYB_EXPORT_DOCUMENTS_REPORT_FLAT_H

#include <jansson.h>

#include "analysis/report/report.h"

/* Adds who it is: an index into the model's processes. */
json_t *hyb_json_with_process(const struct hyb_report *r, uint32_t process, json_t *object);
/* What the task is that a label names: idle, unknown or task. NULL for no label, or without memory. */
json_t *hyb_json_holder(const char *label);
/* HYB_PARTS times by name; NULL without memory. */
json_t *hyb_json_parts(const int64_t *part);
/* report-lines.c: the profile by line; NULL without memory. */
json_t *hyb_json_lines(const struct hyb_report *r);
/* The flat profile; NULL without memory. */
json_t *hyb_json_flat(const struct hyb_report *r);
/* What might be done; NULL without memory. */
json_t *hyb_json_advice(const struct hyb_report *r);

#endif
