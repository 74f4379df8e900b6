/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From CLOCK_MONOTONIC, which programs in the kernel can read, to CLOCK_MONOTONIC_RAW, which streams have. NTP changes
 * the rate of the first, by parts in a million and at most once a second. Between two readings some tenths of a second
 * apart a line is right to some nanoseconds.
 */
#ifndef HYB_COLLECTOR_BPF_TIME_H
#define HYB_COLLECTOR_BPF_TIME_H

#include <stdint.h>

struct hyb_bpf_reading {
	uint64_t mono, raw;	/* at the same moment, nanoseconds */
};

struct hyb_bpf_time {
	struct hyb_bpf_reading from, to;
	double gain;		/* how much more raw gains for each nanosecond of mono */
};

/* Takes the first reading. */
void hyb_bpf_time_start(struct hyb_bpf_time *t);
/* Takes another one, after the records that are converted next. */
void hyb_bpf_time_update(struct hyb_bpf_time *t);

/* By the line through the last two readings, also for times before and after them. */
static inline uint64_t hyb_bpf_time_raw(const struct hyb_bpf_time *t, uint64_t mono)
{
	int64_t since = (int64_t)(mono - t->from.mono);

	return t->from.raw + (uint64_t)(since + (int64_t)((double)since * t->gain));
}

#endif
