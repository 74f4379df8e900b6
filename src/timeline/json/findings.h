/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon report finds, for a timeline: what waiting goes back to, and where the longest waits are. */
#ifndef HYB_TIMELINE_JSON_FINDINGS_H
#define HYB_TIMELINE_JSON_FINDINGS_H

#include <stdio.h>

#include "timeline/store/waits.h"

/* The waits are in order. 0 or -ENOMEM; errors of the file are the caller's to find. */
int hyb_json_findings(const struct hyb_report *report, const struct hyb_view_waits *waits, FILE *to);

#endif
