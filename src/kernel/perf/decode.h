/* SPDX-License-Identifier: BSD-3-Clause */
/* From the kernel's records, of tracepoints and others, to ours. What is nobody's business is dropped here. */
#ifndef HYB_KERNEL_PERF_DECODE_H
#define HYB_KERNEL_PERF_DECODE_H

#include <linux/perf_event.h>

#include "kernel/output.h"
#include "kernel/perf/tracefs.h"
#include "kernel/task.h"

enum hyb_sample_kind {		/* what a sample of perf tells of */
	HYB_SAMPLE_NONE,
	HYB_SAMPLE_FAULT,	/* software events: no tracefs is needed for them */
	HYB_SAMPLE_FAULT_MINOR,
	HYB_SAMPLE_FAULT_MAJOR,
	HYB_SAMPLE_TRACEPOINT,	/* and, from here on, those of hyb_tracepoints */
};

struct hyb_sample {
	struct hyb_output *out;
	uint64_t time;
	struct hyb_task *task;	/* that was current; NULL: nothing is known of it */
	bool job;		/* it is one whose details are recorded */
	const void *raw;	/* of tracepoints */
	uint32_t size;
	const struct hyb_field *fields;
};

/* A tracepoint that a group of events takes. */
struct hyb_tracepoint_kind {
	uint32_t group;		/* enum hyb_kernel_group */
	const char *name;	/* system/event */
	const char *fields[HYB_TRACEFS_FIELDS + 1];
	void (*take)(const struct hyb_sample *sample);
	bool chain;		/* with a call chain, where these are asked for */
	bool own;		/* of use for the job's tasks only: the collector's need not be written */
};

/* Places in the table */
#define HYB_TRACEPOINT_SWITCH	0
#define HYB_TRACEPOINT_ISSUE	14
#define HYB_SWITCH_NEXT_PID	2	/* a field of it */

extern const struct hyb_tracepoint_kind hyb_tracepoints[];
extern const unsigned int hyb_tracepoint_count;

/*
 * A transfer is issued: before any of the records around it, on whichever CPU, is taken, so that its completion is
 * known for the job's.
 */
void hyb_decode_expect(const struct hyb_sample *sample);
/* A page fault, or its end: flags enum hyb_fault_flag. */
void hyb_decode_fault(const struct hyb_sample *sample, bool end, uint32_t flags, uint64_t address, uint64_t ip);

#endif
