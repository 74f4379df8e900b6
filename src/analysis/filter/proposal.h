/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each region of a recording cost, by the names that a filter file (HYBMON_FILTER) has, and which of them to leave
 * out next time: those that are many, short, and of no use to others.
 */
#ifndef HYB_ANALYSIS_FILTER_PROPOSAL_H
#define HYB_ANALYSIS_FILTER_PROPOSAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reader/streams/diag.h"

/* The words of rules; a region that no rule can mean has none. */
enum hyb_rule_kind {
	HYB_RULE_NONE = 0,
	HYB_RULE_REGION,
	HYB_RULE_FUNCTION,
	HYB_RULE_MPI,
	HYB_RULE_OPENMP,
};

enum hyb_verdict {
	HYB_VERDICT_OUT = 0,  /* it is proposed to be left out */
	HYB_VERDICT_FEW,      /* kept: it has too few visits to matter */
	HYB_VERDICT_LONG,     /* they are long enough to be worth it */
	HYB_VERDICT_WISHED,   /* --keep */
	HYB_VERDICT_MESSAGES, /* it communicates: what others do would have no other half */
	HYB_VERDICT_FOLLOWED, /* the library has to follow it, and records it whatever a rule says */
	HYB_VERDICT_NAMELESS, /* no rule can name it */
};

/* All regions that the same rule is for. Times are nanoseconds of all threads together. */
struct hyb_region_cost {
	enum hyb_rule_kind kind;
	const char *name; /* as rules have it; of what has none, for people */
	const char *shown; /* for people */
	enum hyb_verdict verdict;
	bool followed; /* OpenMP: teams, tasks and devices are known by it */
	uint64_t visits;
	uint64_t bytes;
	int64_t time;	  /* in it, once where it is in itself */
	int64_t own;	  /* without what is in it */
	int64_t all;	  /* of all visits */
	uint64_t messages; /* sent and received */
	uint64_t collectives;
};

/* What a rule may do about an MPI function. */
enum hyb_mpi_use {
	HYB_MPI_PLAIN = 0,
	HYB_MPI_COMMUNICATES,
	HYB_MPI_FOLLOWED,
};

struct hyb_proposal_options {
	uint64_t visits;    /* fewer are left alone */
	int64_t shortest;   /* ns: a mean visit as long as that, too */
	uint64_t target;    /* bytes that the records are to have at most; 0: any number */
	bool messages;	    /* also what communicates */
	const char *const *keep; /* patterns of fnmatch(3) */
	size_t keep_count;
	double price;	    /* ns that recording a visit takes */
	enum hyb_mpi_use (*mpi)(const char *function);
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop;
};

struct hyb_proposal_sum {
	uint64_t visits;
	uint64_t bytes;
	double overhead; /* ns */
};

struct hyb_proposal {
	const char *dir;
	const struct hyb_proposal_options *options;
	struct hyb_region_cost *costs; /* the most bytes first */
	size_t count;
	size_t room;
	uint32_t processes;
	uint32_t threads;
	uint64_t lost; /* records and chunks that are missing */
	uint64_t gaps;
	int64_t time; /* of all threads */
	struct hyb_proposal_sum before;
	struct hyb_proposal_sum after;
	struct hyb_reading *reading; /* that what it names lies in */
};

/*
 * Reads the experiment, and decides. To be freed, also after an error. 0; -ENODATA: nothing is recorded there; -errno,
 * with everything said.
 */
int hyb_proposal_make(struct hyb_proposal *p, const char *dir, const struct hyb_proposal_options *options);
void hyb_proposal_free(struct hyb_proposal *p);
/* Whether what is left is within options->target. */
bool hyb_proposal_meets(const struct hyb_proposal *p);

/* Words for people and programs. */
const char *hyb_rule_word(enum hyb_rule_kind kind);
const char *hyb_verdict_word(enum hyb_verdict verdict);
/* Writes it as a filter file, with what it is based on as comments; `most` regions are shown that no rule is made for. */
void hyb_proposal_print(const struct hyb_proposal *p, size_t most, FILE *to);
/* The name as a pattern that fits nothing else, as far as a line can hold it: to be freed, NULL without memory. */
char *hyb_rule_pattern(const char *name);

#endif
