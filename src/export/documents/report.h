/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as one JSON document: hybmon(1) has what is in it. */
#ifndef HYB_EXPORT_DOCUMENTS_REPORT_H
#define HYB_EXPORT_DOCUMENTS_REPORT_H

#include <stdio.h>

struct hyb_report;

/* 0 or -ENOMEM; errors of the file are left to who closes it. */
int hyb_json_report(const struct hyb_report *report, FILE *to);

#endif
