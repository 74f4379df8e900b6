/* SPDX-License-Identifier: BSD-3-Clause */
/* The two clocks; see time.h. */
#include "collector/bpf/time.h"

#include <time.h>

#include "core/sys/clock.h"

#define TRIES	16
#define SHORT	10000000	/* nanoseconds: within less, the readings' own error is too much of the rate */

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	/* Programs in the kernel know nothing of time namespaces. */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - (uint64_t)hyb_clock_offset();
}

/* Reads both at the same moment: the best of some tries. */
static struct hyb_bpf_reading read_both(void)
{
	struct hyb_bpf_reading best = { .mono = 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now(CLOCK_MONOTONIC_RAW);
		uint64_t mono = now(CLOCK_MONOTONIC);
		uint64_t after = now(CLOCK_MONOTONIC_RAW);

		if (after - before >= width)
			continue;
		width = after - before;
		best.mono = mono;
		best.raw = before + width / 2;
	}
	return best;
}

void hyb_bpf_time_start(struct hyb_bpf_time *t)
{
	t->from = read_both();
	t->to = t->from;
	t->gain = 0;
}

void hyb_bpf_time_update(struct hyb_bpf_time *t)
{
	struct hyb_bpf_reading r = read_both();
	int64_t span = (int64_t)(r.mono - t->to.mono);

	if (span < SHORT)
		return;
	t->from = t->to;
	t->to = r;
	t->gain = (double)((int64_t)(r.raw - t->from.raw) - span) / (double)span;
}
