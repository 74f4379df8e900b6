/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder without jansson: nothing can be written as JSON. Commands refuse it before they come here. */
#include <errno.h>

#include "export/documents/check.h"
#include "export/documents/compare.h"
#include "export/documents/filter.h"
#include "export/documents/profile.h"
#include "export/documents/report.h"

int hyb_json_check(const struct hyb_check *check, FILE *to)
{
	(void)check;
	(void)to;
	return -ENOTSUP;
}

int hyb_json_compare(const struct hyb_compare *c, double allowed, FILE *to)
{
	(void)c;
	(void)allowed;
	(void)to;
	return -ENOTSUP;
}

int hyb_json_filter(const struct hyb_proposal *proposal, FILE *to)
{
	(void)proposal;
	(void)to;
	return -ENOTSUP;
}

int hyb_json_profile(const struct hyb_calltree *tree, const struct hyb_model *model, FILE *to)
{
	(void)tree;
	(void)model;
	(void)to;
	return -ENOTSUP;
}

int hyb_json_report(const struct hyb_report *report, FILE *to)
{
	(void)report;
	(void)to;
	return -ENOTSUP;
}
