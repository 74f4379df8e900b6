/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder without jansson: nothing can be written as JSON. Commands refuse it before they come here. */
#include <errno.h>

#include "timeline/json/findings.h"
#include "timeline/json/view.h"

int hyb_json_findings(const struct hyb_report *report, const struct hyb_view_waits *waits, FILE *to)
{
	(void)report;
	(void)waits;
	(void)to;
	return -ENOTSUP;
}

int hyb_json_about(struct hyb_view_store *s)
{
	(void)s;
	return -ENOTSUP;
}

int hyb_json_view(const struct hyb_view_store *s, const char *title, FILE *to)
{
	(void)s;
	(void)title;
	(void)to;
	return -ENOTSUP;
}
