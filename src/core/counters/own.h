/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that need nobody's library: what the kernel tells a thread of itself by getrusage, and its CPU clock. */
#ifndef HYB_CORE_COUNTERS_OWN_H
#define HYB_CORE_COUNTERS_OWN_H

#include "core/counters/counter.h"

/* Fills in *counter where the name is one of these; false otherwise. Letters are compared without case. */
bool hyb_own_find(const char *name, struct hyb_counter *counter);
/* Number n, in order; NULL: there are not so many. */
const char *hyb_own_name(unsigned int n);

/* What is read for those that are marked with hyb_own_need. */
struct hyb_own {
	bool rusage;
	bool clock;
};

void hyb_own_need(struct hyb_own *own, const struct hyb_counter *counter);

/* One reading; then each counter's value of it. Keeps errno. */
struct hyb_own_reading {
	uint64_t words[20];
	uint64_t clock;
};

void hyb_own_read(const struct hyb_own *own, struct hyb_own_reading *reading);
uint64_t hyb_own_value(const struct hyb_own_reading *reading, const struct hyb_counter *counter);

#endif
