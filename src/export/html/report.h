/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon report --html: one page that needs nothing but a browser. */
#ifndef HYB_EXPORT_HTML_REPORT_H
#define HYB_EXPORT_HTML_REPORT_H

#include <stdio.h>

#include "analysis/report/report.h"

/*
 * Writes the page, with links into a page of hybmon view at that address, if it is not NULL. 0 or -ENOMEM; what could not
 * be written, the stream knows.
 */
int hyb_html_report(const struct hyb_report *r, const char *timeline, FILE *to);

#endif
