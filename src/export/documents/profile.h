/* SPDX-License-Identifier: BSD-3-Clause */
/* A job's call tree as one JSON document: hybmon-print(1) has what is in it. */
#ifndef HYB_EXPORT_DOCUMENTS_PROFILE_H
#define HYB_EXPORT_DOCUMENTS_PROFILE_H

#include <stdio.h>

struct hyb_calltree;
struct hyb_model;

/* 0 or -ENOMEM; errors of the file are left to who closes it. */
int hyb_json_profile(const struct hyb_calltree *tree, const struct hyb_model *model, FILE *to);

#endif
