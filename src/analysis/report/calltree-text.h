/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon-print --profile shows of a job. */
#ifndef HYB_ANALYSIS_REPORT_CALLTREE_TEXT_H
#define HYB_ANALYSIS_REPORT_CALLTREE_TEXT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reader/streams/diag.h"

struct hyb_calltree;
struct hyb_model;

struct hyb_profile_options {
	int64_t rank; /* this one only; -1: all */
	int64_t thread;
	bool times;   /* and what else differs between two runs */
	/* Writes it in another form than text: 0 or -errno. NULL: text. */
	int (*write)(const struct hyb_calltree *tree, const struct hyb_model *model, FILE *to);
	const char *place; /* a folder for temporary files */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop;
};

/*
 * Writes the call tree of the experiment, as it is now: text of lines for 80 columns, as far as names let it. 0 or
 * -errno, with everything said.
 */
int hyb_profile_show(const char *dir, const struct hyb_profile_options *options, FILE *to);

#endif
