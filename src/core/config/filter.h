/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is left out by name: the file that HYBMON_FILTER names. Each of its lines is a rule, and of those that fit the
 * last one holds; hybmon-env(7) has the format. Read once, when the process begins.
 */
#ifndef HYB_CORE_CONFIG_FILTER_H
#define HYB_CORE_CONFIG_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sys/compiler.h"

enum hyb_filter_kind {
	HYB_FILTER_REGION,	/* of the program's own, by name */
	HYB_FILTER_FILE,	/* these, functions and OpenMP's constructs, by where they are */
	HYB_FILTER_FUNCTION,	/* that the compiler tells of, by its symbols */
	HYB_FILTER_MPI,		/* MPI functions by name */
	HYB_FILTER_OPENMP,	/* OpenMP's constructs by their kind */
	HYB_FILTER_KINDS,
};

/* What is asked about. */
struct hyb_filtered {
	enum hyb_filter_kind kind;
	const char *file;	/* NULL: not known */
	const char *names[8];	/* all that it is called; the first NULL ends them */
};

/* Reads the file, if there is one. What is wrong with it is said in one line, and then nothing is left out. */
void hyb_filter_load(const char *path);
/* Whether there are rules that may mean something of that kind. */
bool hyb_filter_has(enum hyb_filter_kind kind);
/* Whether that is left out. */
bool hyb_filter_leaves_out(const struct hyb_filtered *what);
/* ns: a visit that is shorter is left out; 0: none is. */
uint64_t hyb_filter_shortest(const struct hyb_filtered *what);
/* Whether a name is as a pattern says: * any text, ? any character, [a-z] or [!a-z] one of these or not, \ as it is. */
bool hyb_filter_matches(const char *pattern, const char *name);

#endif
