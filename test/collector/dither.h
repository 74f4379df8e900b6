/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of steps that differ from one time to the next, so that no program keeps in step with a sampling clock. */
#ifndef HYB_TEST_DITHER_H
#define HYB_TEST_DITHER_H

#include <stdint.h>

/* n to 2 * n - 1, any as likely; the same row of them in each thread. */
static inline long dithered(long n)
{
	static _Thread_local uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n + (long)(state % (uint64_t)n);
}

#endif
