/* SPDX-License-Identifier: BSD-3-Clause */
/* A counter by its name: what it counts, in which unit, and the way it is read. */
#ifndef HYB_CORE_COUNTERS_COUNTER_H
#define HYB_CORE_COUNTERS_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

/* How a counter is read. */
enum hyb_counter_way {
	HYB_COUNTER_OWN,	/* getrusage and the thread's CPU clock: own.c */
	HYB_COUNTER_PERF,	/* an event of the kernel's perf, or several of which a value is made */
	HYB_COUNTER_PAPI,	/* by PAPI, whose component reads it */
};

/* How a value is made of several events; PAPI's names of it. */
enum hyb_counter_derived {
	HYB_DERIVED_NOT, HYB_DERIVED_ADD, HYB_DERIVED_SUB, HYB_DERIVED_POSTFIX,
};

struct hyb_counter {
	const char *name;	/* texts stay */
	const char *unit;
	const char *description;
	struct hyb_def_metric metric;
	enum hyb_counter_way way;
	/* OWN: its number there; PAPI: its place in the set's PAPI values */
	uint32_t place;
	/* PERF: its events in the plan, and what becomes of them */
	uint32_t first;
	uint32_t terms;
	enum hyb_counter_derived derived;
	const char *postfix;
};

/* A copy that stays; "" without memory. */
const char *hyb_counter_text(const char *text);

#endif
