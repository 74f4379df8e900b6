/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI 7, which is loaded when a name is looked up that is its own. What is perf's it only translates: presets into
 * events of the processor. Counters of its other components it reads.
 *
 * The program may use PAPI, too: that is the same library with the same state. So hybmon has event sets of its own there
 * only for such components, and leaves PAPI as it was where it needs none.
 */
#ifndef HYB_CORE_COUNTERS_PAPI_H
#define HYB_CORE_COUNTERS_PAPI_H

#include "core/counters/counter.h"

#define HYB_PAPI_TERMS 12

/* What PAPI says of a name. */
struct hyb_papi_event {
	/* a preset: it is made of so many events of perf; 0: PAPI counts it */
	uint32_t terms;
	const char *names[HYB_PAPI_TERMS];
	enum hyb_counter_derived derived;
	const char *postfix;
	int component;
};

/* Components' events; each component has a set of its own in each thread. */
struct hyb_papi_plan {
	struct {
		const char *name;
		int component;
	} *events;
	uint32_t count;
	uint32_t room;
};

/* NULL and what it is, with counter's texts and metric; or why it cannot be counted, "": PAPI does not know it. */
const char *hyb_papi_find(const char *name, struct hyb_counter *counter, struct hyb_papi_event *event);
/* Tries to count one of a component beside those that the plan has. NULL, or why not; *excluded: because of those. */
const char *hyb_papi_add(struct hyb_papi_plan *plan, const char *name, int component, bool *excluded);
/* The plan is made: PAPI is left as it was where it is not needed any more. */
void hyb_papi_settle(const struct hyb_papi_plan *plan);
/* While it is held, PAPI is not given up. */
void hyb_papi_hold(bool held);
/* Calls visit for each event that PAPI has here, but perf's native ones; why there are none, or NULL. */
const char *hyb_papi_each(void (*visit)(const struct hyb_counter *counter, const char *lacks, void *context),
			  void *context);
/* Calls visit for each component; lacks: why it has nothing, NULL: it works. */
const char *hyb_papi_components(void (*visit)(const char *name, const char *description, const char *lacks,
					      void *context), void *context);
/* "7.0.0.0", and NULL; or why it is not there. */
const char *hyb_papi_version(char *text, size_t size);

/* What a thread has of a plan: memory as for perf.h. */
struct hyb_papi;
size_t hyb_papi_size(const struct hyb_papi_plan *plan);
/* PAPI's error, 0: none. Where it failed nothing is open. */
int hyb_papi_open(const struct hyb_papi_plan *plan, struct hyb_papi *papi);
int hyb_papi_read(const struct hyb_papi_plan *plan, struct hyb_papi *papi);
/* Of the last reading, by the order of the plan. */
uint64_t hyb_papi_value(const struct hyb_papi *papi, uint32_t place);
void hyb_papi_close(const struct hyb_papi_plan *plan, struct hyb_papi *papi);
const char *hyb_papi_error(int err);

#endif
