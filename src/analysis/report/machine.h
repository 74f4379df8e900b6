/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with the machine as far as processes tell of it (core/process/machine.h): CPUs that more processes must
 * share than there are, one process that may use fewer than its like, a quota. Known without any rights.
 */
#ifndef HYB_ANALYSIS_REPORT_MACHINE_H
#define HYB_ANALYSIS_REPORT_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hyb_report;

enum hyb_machine_fault_kind {
	HYB_MACHINE_SHARED = 0,	/* these processes may use the same CPUs only, and are more than they */
	HYB_MACHINE_ODD,	/* this one may use fewer CPUs than all others of its node */
	HYB_MACHINE_QUOTA,	/* the quota of its cgroup kept it from its CPUs for `ns` */
	HYB_MACHINE_FAULTS,
};

struct hyb_machine_fault {
	enum hyb_machine_fault_kind kind;
	const char *cpus;     /* as the manifest has them */
	const char *others;   /* ODD: those of the others. QUOTA: it */
	uint32_t *processes;  /* in order */
	size_t count;
	uint64_t cpu_count;   /* of `cpus` */
	int64_t ns;
};

/* All that there are; to be freed by hyb_machine_free. 0 or -ENOMEM. */
int hyb_machine_find(const struct hyb_report *r, struct hyb_machine_fault **faults, size_t *count);
void hyb_machine_free(struct hyb_machine_fault *faults, size_t count);
/* The word for one in documents. */
const char *hyb_machine_word(enum hyb_machine_fault_kind kind);
/* As lines; each is indented. 0 or -ENOMEM. */
int hyb_machine_print(const struct hyb_report *r, int indent, FILE *to);

#endif
