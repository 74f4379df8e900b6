/* SPDX-License-Identifier: BSD-3-Clause */
/* Two sets of runs of a program, A and B, set against each other: hybmon diff. */
#ifndef HYB_ANALYSIS_DIFF_COMPARE_H
#define HYB_ANALYSIS_DIFF_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/report/report.h"

enum hyb_compare_kind { /* and what a row's values are, ns */
	HYB_COMPARE_LENGTH = 0, /* of the run */
	HYB_COMPARE_TIME,	/* what all threads did */
	HYB_COMPARE_REGION,	/* exclusive, of all threads */
	HYB_COMPARE_WAIT,	/* by kind and call */
	HYB_COMPARE_CAUSE,	/* waiting that goes back to it */
	HYB_COMPARE_KINDS,
};

struct hyb_compare_run {
	char *dir;
	uint32_t side; /* 0: A, 1: B */
	uint64_t ranks;
	uint64_t threads;
	bool kernel;  /* it is known what the kernel did */
	bool profiles; /* and not who waited for whom */
	int64_t time; /* of all threads */
};

struct hyb_compare_row {
	enum hyb_compare_kind kind;
	bool is_kernel; /* of HYB_COMPARE_TIME: that is computation where nothing is known of the kernel */
	char *name;
	double *ns; /* by run */
	uint64_t *count; /* visits, waits */
	double part[2][HYB_PARTS]; /* of a region: the means of each side */
	double mean[2];
	double p;    /* that B is that much more, or less, if they are alike */
	bool fails; /* it grew by more than is allowed */
};

struct hyb_compare {
	struct hyb_compare_run *runs; /* A's first */
	size_t run_count;
	size_t of_a;
	bool kernel; /* it is known of all what the kernel did */
	bool mixed;  /* and of some but not of all: then it is not set apart, and causes are not compared */
	struct hyb_table rows; /* struct hyb_compare_row */
	struct hyb_compare_row **order; /* those that can be compared, by kind, the largest difference first */
	uint32_t order_count;
	double time; /* of all threads, the mean of A */
	double least_p; /* that so many runs can have */
	bool failed;
};

/* What is that rare is taken for no chance; 0.05 is what three runs of each can have. */
static inline bool hyb_compare_is_rare(double p)
{
	return p < 0.05 + 1e-9;
}

/* For so many runs, of which the first are A's. 0 or -ENOMEM; after either, hyb_compare_free. */
int hyb_compare_init(struct hyb_compare *c, size_t runs, size_t of_a);
void hyb_compare_free(struct hyb_compare *c);
/* Takes what is to be compared of the next run's report. 0 or -ENOMEM. */
int hyb_compare_add(struct hyb_compare *c, const char *dir, const struct hyb_report *r);
/*
 * When all are in. allowed: by which part of A's length, and of its threads' time, length and regions may grow; less
 * than 0: any. 0; -ENOMEM; -EINVAL: they cannot be compared, and *why says so.
 */
int hyb_compare_end(struct hyb_compare *c, double allowed, const char **why);
/* compare-text.c: as text for 80 columns. 0 or -ENOMEM. */
int hyb_compare_print(const struct hyb_compare *c, bool all, FILE *to);

#endif
