/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops and sections, also those that a parallel region begins with. */
#ifndef HYB_OMPT_GOMP_WORK_H
#define HYB_OMPT_GOMP_WORK_H

#include "ompt/gomp/call.h"

struct hyb_gomp_work {
	int type;		/* as OMPT's; 0: none */
	uint64_t count;		/* of iterations or sections */
	long step;		/* of the loop */
	const void *code;
};

/* OpenMP's schedules, as omp_get_schedule tells them. */
enum { HYB_GOMP_STATIC = 1, HYB_GOMP_DYNAMIC, HYB_GOMP_GUIDED, HYB_GOMP_AUTO };
#define HYB_GOMP_MONOTONIC (1u << 31)

static HYB_HOT int hyb_gomp_loop_of(unsigned int schedule)
{
	switch (schedule & ~HYB_GOMP_MONOTONIC) {
	case HYB_GOMP_STATIC:
		return ompt_work_loop_static;
	case HYB_GOMP_DYNAMIC:
		return ompt_work_loop_dynamic;
	case HYB_GOMP_GUIDED:
		return ompt_work_loop_guided;
	default:
		return ompt_work_loop_other;
	}
}

static HYB_HOT int hyb_gomp_loop_static(void)
{
	return ompt_work_loop_static;
}

static HYB_HOT int hyb_gomp_loop_dynamic(void)
{
	return ompt_work_loop_dynamic;
}

static HYB_HOT int hyb_gomp_loop_guided(void)
{
	return ompt_work_loop_guided;
}

/* What the program, or its user, has chosen. */
static HYB_HOT int hyb_gomp_loop_runtime(void)
{
	int kind = 0, chunk;

	hyb_gomp_ask.schedule(&kind, &chunk);
	return hyb_gomp_loop_of((unsigned int)kind);
}

/* The iterations from `start` until before `end`. */
static HYB_HOT uint64_t hyb_gomp_count(long start, long end, long step)
{
	uint64_t length = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
	uint64_t width = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;

	if (step > 0 ? start >= end : start <= end)
		return 0;
	return width == 1 ? length : width ? (length - 1) / width + 1 : 0;
}

/* The same of unsigned counters: a step downwards is what has to be added for it. */
static HYB_HOT uint64_t hyb_gomp_count_ull(bool up, uint64_t start, uint64_t end, uint64_t step)
{
	uint64_t length = up ? end - start : start - end;
	uint64_t width = up ? step : 0 - step;

	if (up ? start >= end : start <= end)
		return 0;
	return width ? (length - 1) / width + 1 : 0;
}

/* Of the thread's present loop the step is kept, so that chunks can be counted. */
static HYB_HOT void hyb_gomp_begin_work(const struct hyb_gomp_work *w)
{
	struct hyb_omp_open *open;

	if (!hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		return;
	hyb_omp_work(w->type, ompt_scope_begin, NULL, NULL, w->count, w->code);
	open = hyb_omp_self.top;
	if (w->step && open != hyb_omp_self.base && (open - 1)->kind == HYB_OMP_LOOP)
		(open - 1)->what = (uint64_t)w->step;
}

#endif
