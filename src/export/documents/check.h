/* SPDX-License-Identifier: BSD-3-Clause */
/* What `hybmon check` found, as one JSON document: hybmon(1) has what is in it. */
#ifndef HYB_EXPORT_DOCUMENTS_CHECK_H
#define HYB_EXPORT_DOCUMENTS_CHECK_H

#include <stdio.h>

struct hyb_check;

/* 0 or -ENOMEM; errors of the file are left to who closes it. */
int hyb_json_check(const struct hyb_check *check, FILE *to);

#endif
