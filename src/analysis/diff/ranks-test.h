/* SPDX-License-Identifier: BSD-3-Clause */
/* The rank test of Mann and Whitney (Wilcoxon's rank sum). For this folder only. */
#ifndef HYB_ANALYSIS_DIFF_RANKS_TEST_H
#define HYB_ANALYSIS_DIFF_RANKS_TEST_H

#include <stddef.h>

/*
 * How likely values of b are at least as large beside those of a as they are here, if all come from the same
 * distribution. Exact, equal values included, up to 64 values; of more by the normal approximation. -1 without memory.
 */
double hyb_ranks_test(const double *a, size_t a_count, const double *b, size_t b_count);

#endif
