/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the run changes: its time in windows of one length, and phases, which are windows side by side that are alike in
 * what the threads' time was. Memory is for the windows, and of each process for one row of them.
 */
#ifndef HYB_ANALYSIS_PROFILE_PHASES_H
#define HYB_ANALYSIS_PROFILE_PHASES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/profile/spots.h"

#define HYB_WINDOWS 100

struct hyb_window { /* of all threads; ns */
	int64_t in[HYB_TIMES];
	int64_t waited; /* of that in MPI */
	int64_t useful; /* outside of MPI and of OpenMP's waiting, of threads of OpenMP and of those of `useful` below */
};

struct hyb_phase {
	uint32_t from; /* window */
	uint32_t to;   /* behind the last one */
	struct hyb_window sums;
	/* Of the first thread of each process that calls MPI there: outside of MPI, together and the most of one. */
	int64_t useful;
	int64_t most_useful;
	uint32_t busiest; /* track of that */
};

struct hyb_phases {
	int64_t first;	/* the run begins, */
	int64_t length; /* and takes so long, ns; 0: not known */
	pthread_mutex_t lock;
	struct hyb_window windows[HYB_WINDOWS];
	int64_t **
		useful; /* by track: in each window outside of MPI; NULL: no first thread, or it does not call MPI */
	size_t track_count;
	uint64_t ranks;
	struct hyb_phase list[HYB_WINDOWS];
	uint32_t count;
};

/* A thread's own, while it is told. */
struct hyb_track_windows {
	int64_t in[HYB_TIMES][HYB_WINDOWS];
	uint32_t window; /* the last one, */
	int64_t begin;	 /* and from when to when it is */
	int64_t end;
};

/* 0 or -ENOMEM; after either, hyb_phases_free. */
int hyb_phases_init(struct hyb_phases *phases, size_t track_count);
void hyb_phases_free(struct hyb_phases *phases);
/* When the run begins and ends, before any time is spent; for several threads at once, which say the same. */
void hyb_phases_span(struct hyb_phases *phases, int64_t first, int64_t last);
/* When a window begins; of HYB_WINDOWS: when the run is over. */
int64_t hyb_phases_begin(const struct hyb_phases *phases, uint32_t window);
/* Time in windows of a thread: from one time to another. */
void hyb_phases_spend(const struct hyb_phases *phases, struct hyb_track_windows *windows,
		      enum hyb_time_class class, int64_t from, int64_t to);
/* The thread is told; `rank`: its process is to be judged by it. 0 or -ENOMEM. */
int hyb_phases_add(struct hyb_phases *phases, uint32_t track,
		   const struct hyb_track_windows *windows, bool rank);
/* When all are told: what was waiting, and what of OpenMP's waiting was idle. By one thread. */
void hyb_phases_wait(struct hyb_phases *phases, int64_t from, int64_t to);
void hyb_phases_idle(struct hyb_phases *phases, int64_t from, int64_t to);
/* Cuts the run. */
void hyb_phases_cut(struct hyb_phases *phases);

#endif
