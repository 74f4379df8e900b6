/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums and differences of times that end at the largest number there is. Times come from files: those of a damaged one
 * may be anything, and must neither overflow nor spoil the others.
 */
#ifndef HYB_MERGE_CLOCK_SATURATE_H
#define HYB_MERGE_CLOCK_SATURATE_H

#include <stdint.h>

static inline int64_t hyb_sat_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t hyb_sat_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (!__builtin_sub_overflow(a, b, &difference))
		return difference;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* To the nearest integer; what is no number is 0. */
static inline int64_t hyb_sat_round(double v)
{
	if (v >= 9.2e18)
		return INT64_MAX;
	if (v <= -9.2e18)
		return INT64_MIN;
	return v != v ? 0 : (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

/* Within +-limit. */
static inline int64_t hyb_sat_clamp(int64_t v, int64_t limit)
{
	if (v > limit)
		return limit;
	return v < -limit ? -limit : v;
}

#endif
