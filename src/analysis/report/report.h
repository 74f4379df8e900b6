/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon report says of a job. */
#ifndef HYB_ANALYSIS_REPORT_REPORT_H
#define HYB_ANALYSIS_REPORT_REPORT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/waits/causes.h"
#include "analysis/report/critical.h"
#include "analysis/report/efficiency.h"
#include "analysis/profile/flat.h"
#include "analysis/report/lines.h"
#include "analysis/waits/steps.h"
#include "analysis/profile/traffic.h"
#include "merge/merge.h"

struct hyb_report_options {
	const char *const *dirs; /* the experiments */
	size_t dir_count;
	bool all;	   /* of long lists */
	const char *place; /* a folder for temporary files */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *arg, uint64_t done, uint64_t total); /* of the merge; may be NULL */
	void *progress_arg;
	hyb_causes_tell tell; /* of each wait; may be NULL */
	void *tell_arg;
	bool or_profiles; /* what was recorded as profiles will do, too */
};

struct hyb_report_cause { /* and what it did to whom */
	const struct hyb_cause *cause;
	uint32_t number;
	int64_t ns; /* direct and indirect */
};

enum hyb_reason { /* what a cause is, wherever it is */
	HYB_REASON_COMPUTE = 0,
	HYB_REASON_MPI,
	HYB_REASON_OMP_WAIT,
	HYB_REASON_KERNEL,
	HYB_REASON_VOLUNTARY,
	HYB_REASON_INVOLUNTARY,
	HYB_REASON_PAUSED,
	HYB_REASON_UNKNOWN,
	HYB_REASONS,
};

struct hyb_report_reason { /* of all causes of a thread that are of this kind */
	uint32_t track;
	enum hyb_reason reason;
	int64_t ns;
};

/*
 * Of all reasons those that are HYB_REASON_MPI: threads that came back late from calls of MPI in which nobody kept them.
 * That is one matter for all of them, for whoever comes back late makes the next one wait.
 */
struct hyb_report_late {
	int64_t ns;
	uint32_t threads;
	uint32_t track; /* of which this one has the most */
	int64_t most;
};

struct hyb_report_host { /* times of all threads there, ns */
	uint64_t processes; /* that have any */
	uint64_t threads;
	int64_t time;
	int64_t in[HYB_TIMES];
	int64_t waited; /* for others */
};

struct hyb_report_usage { /* of all threads that it is known of; ns */
	uint64_t threads;
	int64_t time;
	int64_t cpu;
	int64_t delayed; /* able to run, but without a CPU; -1: not known */
};

struct hyb_report { /* ns */
	struct hyb_report_options options;
	struct hyb_merge merge;
	struct hyb_steps steps;
	struct hyb_flat flat;
	struct hyb_traffic traffic;
	struct hyb_causes causes;
	struct hyb_lines lines;
	struct hyb_critical critical;
	struct hyb_report_cause *list; /* of causes, the weightiest first */
	const struct hyb_effect **effects; /* by cause, of each the largest first */
	uint32_t *effect_first;	       /* of each cause its first one; one more at the end */
	struct hyb_table reasons;      /* struct hyb_report_reason, the weightiest first */
	struct hyb_report_late late;
	struct hyb_waiting **waits;    /* the same of waits */
	struct hyb_report_host *hosts; /* by number of the model's hosts */
	uint32_t host_count;
	bool profiles; /* it is made of them: nothing is known of who waited for whom, nor when */
	bool kernel;   /* it is known what the kernel did */
	double kernel_known; /* and in which part of the threads' time; less than 1 of profiles only */
	int64_t first;
	int64_t last;
	uint64_t threads;
	uint64_t visits; /* of regions, the kernel's not among them */
	int64_t time; /* of all threads */
	int64_t in[HYB_TIMES];
	int64_t waited[HYB_WAITS];
	int64_t unfinished; /* of in[HYB_TIME_MPI], in calls in which processes were that came to a bad end */
	int64_t start_stop; /* of in[HYB_TIME_MPI], in MPI_Init and MPI_Finalize, */
	int64_t start_stop_waited; /* and of that waiting */
	struct hyb_counted_span counted;
	/* Of one thread of each process that calls MPI, the one that calls it most, in that span. */
	uint64_t ranks;
	int64_t useful;	     /* outside of MPI, together */
	int64_t most_useful; /* and the most of one */
	uint32_t busiest;    /* track of that */
	/* How long the run would take if messages took no time: what of the critical path is outside of MPI, or
	 * most_useful, if that is longer. */
	int64_t ideal;
	struct hyb_openmp_sums openmp;
	struct hyb_report_usage usage;
};

/*
 * Reads the experiments and finds out all that there is to say; 0; -ENOMEM; other -errno, with everything said. After
 * any, hyb_report_free.
 */
int hyb_report_make(struct hyb_report *r, const struct hyb_report_options *options);
void hyb_report_free(struct hyb_report *r);
/* What a cause at that spot is. */
enum hyb_reason hyb_report_reason_of(const struct hyb_report *r, uint32_t spot);
/* report-text.c: as text for 80 columns. 0 or -ENOMEM. */
int hyb_report_print(const struct hyb_report *r, FILE *to);
/* What people call them. */
const char *hyb_report_time_name(enum hyb_time_class class);
const char *hyb_report_wait_name(enum hyb_wait_kind wait);
const char *hyb_report_reason_name(enum hyb_reason reason);
/* flat-text.c: the same of the profile alone. */
int hyb_report_print_flat(const struct hyb_report *r, FILE *to);
/* hosts.c: adds up by host; 0 or -ENOMEM; as text, where there are several. */
int hyb_report_sum_hosts(struct hyb_report *r);
void hyb_report_print_hosts(const struct hyb_report *r, FILE *to);
/* lines-text.c: and by line. */
int hyb_report_print_lines(const struct hyb_report *r, FILE *to);
/* traffic-text.c: and of what was moved. */
int hyb_report_print_traffic(const struct hyb_report *r, FILE *to);
/* critical-text.c: and of the critical path. */
int hyb_report_print_critical(const struct hyb_report *r, FILE *to);
/* phases-text.c: and of how the run changes. */
int hyb_report_print_phases(const struct hyb_report *r, FILE *to);
/* advice.c: and of what might be done. */
int hyb_report_print_advice(const struct hyb_report *r, FILE *to);
/* report-text.c: who that was. */
void hyb_report_tell_late(const struct hyb_report *r, FILE *to);
/* usage.c: adds up what threads had of the machine; what one had, false: it is not known. */
void hyb_report_sum_usage(struct hyb_report *r);
bool hyb_report_usage_of(const struct hyb_report *r, uint32_t track, struct hyb_report_usage *usage);
void hyb_report_print_usage(const struct hyb_report *r, int indent, FILE *to);
/*
 * end-text.c: how processes ended, where that was not well, and what was asked for and is not recorded; each line is
 * indented. 0 or -ENOMEM.
 */
int hyb_report_print_end(const struct hyb_report *r, int indent, FILE *to);
/*
 * report-brief.c: what recording cost, as a visit of a region does that many ns, and the three weightiest findings. 0
 * or -ENOMEM.
 */
int hyb_report_brief(const struct hyb_report *r, double price, FILE *to);

#endif
