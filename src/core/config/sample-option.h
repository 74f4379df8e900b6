/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What HYBMON_SAMPLE asks for: by which event a thread is sampled, and how often. The library looks at it, to say what
 * is wrong with it; the collector does it.
 */
#ifndef HYB_CORE_CONFIG_SAMPLE_OPTION_H
#define HYB_CORE_CONFIG_SAMPLE_OPTION_H

#include <stddef.h>
#include <stdint.h>

enum hyb_sample_event {
	HYB_SAMPLE_CPU_CLOCK,
	HYB_SAMPLE_TASK_CLOCK,
	HYB_SAMPLE_PAGE_FAULTS,
	HYB_SAMPLE_MINOR_FAULTS,
	HYB_SAMPLE_MAJOR_FAULTS,
	HYB_SAMPLE_CONTEXT_SWITCHES,
	HYB_SAMPLE_CPU_MIGRATIONS,
	HYB_SAMPLE_ALIGNMENT_FAULTS,
	HYB_SAMPLE_EMULATION_FAULTS,
	HYB_SAMPLE_CYCLES,
	HYB_SAMPLE_INSTRUCTIONS,
	HYB_SAMPLE_CACHE_REFERENCES,
	HYB_SAMPLE_CACHE_MISSES,
	HYB_SAMPLE_BRANCHES,
	HYB_SAMPLE_BRANCH_MISSES,
	HYB_SAMPLE_BUS_CYCLES,
	HYB_SAMPLE_REF_CYCLES,
	HYB_SAMPLE_STALLED_FRONTEND,
	HYB_SAMPLE_STALLED_BACKEND,
	HYB_SAMPLE_EVENTS
};

/* One of the two is not 0. */
struct hyb_sample_wish {
	enum hyb_sample_event event;
	uint64_t rate;		/* samples a second */
	uint64_t period;	/* a sample after so many events */
};

/* As perf_event_open has it. */
struct hyb_sample_perf {
	uint32_t type;
	uint64_t config;
};

struct hyb_sample_perf hyb_sample_event_perf(enum hyb_sample_event event);

/* As users write it, and as OTF2 and people read it. */
const char *hyb_sample_event_name(enum hyb_sample_event event);

/*
 * Takes "997Hz", "EVENT:997Hz" or "EVENT:PERIOD". 0; -EINVAL: it is none of these, and `why`, of that many bytes, says
 * what is wrong.
 */
int hyb_sample_wish_parse(const char *text, struct hyb_sample_wish *wish, char *why, size_t size);

/*
 * Lowers a rate that is above kernel.perf_event_max_sample_rate to that, and returns what it was then; otherwise 0.
 */
uint64_t hyb_sample_wish_limit(struct hyb_sample_wish *wish);

#endif
