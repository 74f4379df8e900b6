/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon diff finds, as one document. */
#ifndef HYB_EXPORT_DOCUMENTS_COMPARE_H
#define HYB_EXPORT_DOCUMENTS_COMPARE_H

#include <stdio.h>

struct hyb_compare;

/* allowed: as hyb_compare_end has it. 0 or -ENOMEM. */
int hyb_json_compare(const struct hyb_compare *c, double allowed, FILE *to);

#endif
