/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of a track as curves, for sinks that draw them: of a counter that adds up how fast it grows, of others their
 * values, both as floating-point numbers of the counter's unit. A rate holds from one reading to the next one, so that
 * what is told is always a reading behind.
 */
#ifndef HYB_MERGE_SINK_RATES_H
#define HYB_MERGE_SINK_RATES_H

#include "merge/sink/event.h"
#include "merge/model/metric.h"

/* Of a track; all zero at first. */
struct hyb_rates {
	struct hyb_rate *counters; /* each once, whatever classes it is in */
	struct hyb_rate_class *classes;
};

struct hyb_rates_to {
	/* There is a curve; before its first value. 0 or -errno, as of the others. */
	int (*begin)(void *arg, const struct hyb_gmetric *metric);
	/* It has that value from then on. */
	int (*value)(void *arg, const struct hyb_gmetric *metric, int64_t time, double value);
	void *arg;
};

/* An event of HYB_KIND_METRIC. 0 or -errno. */
int hyb_rates_event(struct hyb_rates *r, const struct hyb_merge_event *e, const struct hyb_rates_to *to);
/* The track ends: the last values, and the memory. After an error, too. */
int hyb_rates_end(struct hyb_rates *r, const struct hyb_rates_to *to);
/* "PAPI_TOT_INS per second" and "#/s", in UTF-8, the caller's. 0 or -ENOMEM. */
int hyb_rate_names(const struct hyb_gmetric *metric, char **name, char **unit);

#endif
