/* SPDX-License-Identifier: BSD-3-Clause */
/* What `hybmon filter` proposes, as one JSON document: hybmon(1) has what is in it. */
#ifndef HYB_EXPORT_DOCUMENTS_FILTER_H
#define HYB_EXPORT_DOCUMENTS_FILTER_H

#include <stdio.h>

struct hyb_proposal;

/* 0 or -ENOMEM; errors of the file are left to who closes it. */
int hyb_json_filter(const struct hyb_proposal *proposal, FILE *to);

#endif
