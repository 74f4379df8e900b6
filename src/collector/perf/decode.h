/* SPDX-License-Identifier: BSD-3-Clause */
/* From perf's records of tracepoints and page faults to those of the streams. What may not be recorded is dropped. */
#ifndef HYB_COLLECTOR_PERF_DECODE_H
#define HYB_COLLECTOR_PERF_DECODE_H

#include <linux/perf_event.h>

#include "collector/common/output.h"
#include "collector/perf/tracefs.h"
#include "collector/common/task.h"

enum hyb_sample_kind {		/* what a sample of perf tells of */
	HYB_SAMPLE_NONE,
	HYB_SAMPLE_FAULT,	/* software events, which need no tracefs */
	HYB_SAMPLE_FAULT_MINOR,
	HYB_SAMPLE_FAULT_MAJOR,
	HYB_SAMPLE_TRACEPOINT,	/* and the numbers above: those of hyb_tracepoints, in order */
};

struct hyb_sample {
	struct hyb_output *out;
	uint64_t time;
	struct hyb_task *task;	/* the current one; NULL: it is not known */
	bool job;		/* its details are recorded */
	const void *raw;	/* a tracepoint's record, as tracefs describes it */
	uint32_t size;
	const struct hyb_field *fields;
};

/* A tracepoint that is recorded. */
struct hyb_tracepoint_kind {
	uint32_t group;		/* enum hyb_kernel_group */
	const char *name;	/* system/event */
	const char *fields[HYB_TRACEFS_FIELDS + 1];
	void (*take)(const struct hyb_sample *sample);
	bool chain;		/* with a call chain, if these are asked for */
	bool own;		/* recorded of the job's tasks only, so the kernel need not write the collector's own */
	bool some;		/* not every kernel has it, so nothing is said if it is not there */
};

/* Rows of hyb_tracepoints */
#define HYB_TRACEPOINT_SWITCH	0
#define HYB_TRACEPOINT_ISSUE	14
#define HYB_SWITCH_NEXT_PID	2	/* its field */

extern const struct hyb_tracepoint_kind hyb_tracepoints[];
extern const unsigned int hyb_tracepoint_count;

/*
 * A transfer is issued. This is called before any records of that time are taken, of whichever CPU, so that the
 * transfer's completion is known as the job's.
 */
void hyb_decode_expect(const struct hyb_sample *sample);
/* A page fault, or its end. flags: enum hyb_fault_flag. */
void hyb_decode_fault(const struct hyb_sample *sample, bool end, uint32_t flags, uint64_t address, uint64_t ip);

#endif
