/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile of samples as text. */
#ifndef HYB_EXPORT_SAMPLES_PRINT_H
#define HYB_EXPORT_SAMPLES_PRINT_H

#include <stdio.h>

#include "merge/merge.h"
#include "export/samples/tally.h"

/* 0 or -ENOMEM. Errors of the file are the caller's. */
int hyb_samples_print(const struct hyb_merge *m, const struct hyb_samples_tally *tally, FILE *to);

#endif
