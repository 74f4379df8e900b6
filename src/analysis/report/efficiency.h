/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well a run uses the processors it has: POP's efficiencies. Each is a product, so that a loss shows in one of its
 * factors. A rank's time is that of the thread that calls MPI most. OpenMP's threads are those that have time in OpenMP,
 * and the one of each rank that calls MPI most.
 */
#ifndef HYB_ANALYSIS_REPORT_EFFICIENCY_H
#define HYB_ANALYSIS_REPORT_EFFICIENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hyb_report;

struct hyb_openmp_sums { /* ns */
	uint64_t threads; /* of all processes, as many as each has at once; 0: OpenMP is not used */
	int64_t useful;	  /* what they do outside of MPI and of OpenMP's waiting, together */
	int64_t most;	  /* as if in each process all had as much as the one that has most */
};

/*
 * What counts, as POP and TALP have it: from when MPI_Init ends in the first rank until MPI_Finalize begins in the last
 * one; without these, the run. Profiles do not say when that was. ns
 */
struct hyb_counted_span {
	bool starts; /* some rank has MPI_Init, */
	bool stops;  /* and some MPI_Finalize */
	int64_t from;
	int64_t until;
	int64_t paused; /* of all ranks together: not recorded */
	int64_t before; /* what the rank that did most did before MPI_Init, and after MPI_Finalize */
	int64_t after;
};

struct hyb_efficiency { /* 1: nothing is lost */
	bool known;
	bool mpi; /* several ranks */
	bool openmp;
	double parallel; /* of both, which is in_mpi x in_openmp */
	double in_mpi;	 /* mean time outside of MPI by the run's; load_balance x communication */
	double load_balance;
	double communication; /* serialisation x transfer */
	bool path;	 /* the critical path is known, so both of these are, too */
	double serialisation;
	double transfer;
	double in_openmp; /* of the time outside of MPI on all threads; openmp_balance x synchronisation */
	double openmp_balance;
	double synchronisation;
};

/* What r has of ranks, of OpenMP's threads and of an ideal network, once all else is found. 0 or -ENOMEM. */
int hyb_report_sum_ranks(struct hyb_report *r);
/* Which part of the time that counts is recorded, of a rank in the mean. */
double hyb_report_recorded(const struct hyb_report *r);
/* That as efficiencies: of what is recorded, and unknown where that is less than half. */
struct hyb_efficiency hyb_report_efficiency(const struct hyb_report *r);
/* And as text. */
void hyb_report_print_efficiency(const struct hyb_report *r, FILE *to);

#endif
