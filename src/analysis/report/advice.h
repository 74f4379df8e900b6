/* SPDX-License-Identifier: BSD-3-Clause */
/* What costs much and has a known remedy, with the evidence. */
#ifndef HYB_ANALYSIS_REPORT_ADVICE_H
#define HYB_ANALYSIS_REPORT_ADVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hyb_report;

enum hyb_advice_kind {
	HYB_ADVICE_THREADS = 0, /* a host's threads are more than its CPUs, and take them from each other */
	HYB_ADVICE_ONE_CPU,	/* two threads take turns on one */
	HYB_ADVICE_INTERRUPTS,	/* one process has far more of them than the others */
	HYB_ADVICE_FAULTS,	/* page faults weigh much */
	HYB_ADVICES,
};

struct hyb_advice {
	enum hyb_advice_kind kind;
	uint32_t process; /* index into the model's; of THREADS the host, an index into its hosts */
	uint32_t with; /* of ONE_CPU: who, a text of the model; of FAULTS the region, an index into hyb_flat.regions */
	uint64_t count; /* of what happened; of THREADS: threads */
	uint64_t cpu;	/* of ONE_CPU; of THREADS: how many CPUs */
	int64_t ns;	/* what it cost */
	int64_t of;	/* of so much time */
};

/* The weightiest first; *advice to be freed. 0 or -ENOMEM. */
int hyb_advise(const struct hyb_report *r, struct hyb_advice **advice, size_t *count);
/* As one line for people. */
void hyb_advice_tell(const struct hyb_report *r, const struct hyb_advice *advice, FILE *to);

#endif
