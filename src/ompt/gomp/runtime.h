/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the stubs of libgomp's functions and libgomp: which one a program has, and where each call goes. Numbers of
 * functions come from gomp.tbl (generated functions.h).
 */
#ifndef HYB_OMPT_GOMP_RUNTIME_H
#define HYB_OMPT_GOMP_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/gomp/functions.h"
#include "ompt/callbacks.h"

struct hyb_gomp_info {
	const char *name;
	const char *version;
	void (*wrapper)(void);
	uint32_t groups;	/* of HYBMON_OMP; a bit for each enum hyb_omp_group */
	void (*turn)(void);	/* turns.c: comes before libgomp's own where the order of a run matters; NULL: none does */
};

extern const struct hyb_gomp_info hyb_gomp_infos[];

/* Where each stub jumps: at first the resolver, then the wrapper or libgomp itself. */
extern void *hyb_gomp_entry[];
/* What a wrapper calls: libgomp's own, or its `turn`; set (release) before the entry leads to the wrapper. */
extern void *hyb_gomp_next[];

/* libgomp's own, of functions whose `turn` is called instead; set (release) before anything leads there. */
extern void *hyb_gomp_beneath[];

/* What wrappers ask of libgomp, which is how it tells the program; set before the first wrapper is called. */
extern struct hyb_gomp_asked {
	int (*thread_num)(void);
	int (*num_threads)(void);
	int (*max_threads)(void);
	void (*schedule)(int *kind, int *chunk);
	int (*cancellation)(void);		/* may be NULL, as the next ones */
	int (*num_devices)(void);
	int (*default_device)(void);
	bool (*cancellation_point)(int which);
	void (*ordered)(void);			/* waits until it is the thread's time in an ordered loop */
} hyb_gomp_ask;

/* The groups of HYBMON_OMP that are asked for. */
extern uint32_t hyb_gomp_groups;

/* Called by the trampoline of stubs.S: where a call of that function goes. Keeps errno. Thread-safe. */
void *hyb_gomp_resolve(unsigned int number, const void *site);

/* thread.c: the process ends: so does what threads have open that wait for work. */
void hyb_gomp_threads_end(void);

#endif
