/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers, cancellation, taskwait, taskgroup. */
#include "ompt/gomp/call.h"

static HYB_HOT bool barrier(bool (*next)(void), const void *code)
{
	bool cancelled;

	if (hyb_unlikely(!hyb_gomp_is_on()))
		return next();
	hyb_omp_end_single();
	hyb_gomp_begin_wait(ompt_sync_region_barrier_explicit, code);
	cancelled = next();
	hyb_gomp_end_wait(ompt_sync_region_barrier_explicit, code);
	return cancelled;
}

#define BARRIER(id) \
	bool hyb_gomp_##id(void); \
	bool hyb_gomp_##id(void) \
	{ \
		return barrier(HYB_GOMP_NEXT(id, bool (*)(void)), HYB_GOMP_SITE); \
	}
BARRIER(GOMP_barrier)
BARRIER(GOMP_barrier_cancel)

/* libgomp's bits for what is cancelled are in another order than OMPT's. */
static HYB_HOT void tell_cancel(int which, int how, const void *code)
{
	enum { PARALLEL = 1, LOOP = 2, SECTIONS = 4, TASKGROUP = 8 };
	int flags = which & (PARALLEL | TASKGROUP);

	if (which & LOOP)
		flags |= ompt_cancel_loop;
	if (which & SECTIONS)
		flags |= ompt_cancel_sections;
	if (hyb_gomp_wants(HYB_OMP_GROUP_CANCEL))
		hyb_omp_cancel(NULL, flags | how, code);
}

bool hyb_gomp_GOMP_cancel(int which, bool does, long c, long d);
bool hyb_gomp_GOMP_cancel(int which, bool does, long c, long d)
{
	const void *code = HYB_GOMP_SITE;
	bool cancelled = HYB_GOMP_NEXT(GOMP_cancel, bool (*)(int, bool, long, long))(which, does, c, d);

	if (cancelled && hyb_gomp_is_on())
		tell_cancel(which, does ? ompt_cancel_activated : ompt_cancel_detected, code);
	return cancelled;
}

bool hyb_gomp_GOMP_cancellation_point(int which, long b, long c);
bool hyb_gomp_GOMP_cancellation_point(int which, long b, long c)
{
	const void *code = HYB_GOMP_SITE;
	bool cancelled = HYB_GOMP_NEXT(GOMP_cancellation_point, bool (*)(int, long, long))(which, b, c);

	if (cancelled && hyb_gomp_is_on())
		tell_cancel(which, ompt_cancel_detected, code);
	return cancelled;
}

static HYB_HOT void taskwait(void (*next)(void *, long), void *dependences, long b, const void *code)
{
	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(dependences, b);
		return;
	}
	hyb_gomp_begin_wait(ompt_sync_region_taskwait, code);
	next(dependences, b);
	hyb_gomp_end_wait(ompt_sync_region_taskwait, code);
}

#define TASKWAIT(id) \
	void hyb_gomp_##id(void *dependences, long b); \
	void hyb_gomp_##id(void *dependences, long b) \
	{ \
		taskwait(HYB_GOMP_NEXT(id, void (*)(void *, long)), dependences, b, HYB_GOMP_SITE); \
	}
TASKWAIT(GOMP_taskwait)

/* What it waits for is shown as the present task's. */
void hyb_gomp_GOMP_taskwait_depend(void *dependences, long b);
void hyb_gomp_GOMP_taskwait_depend(void *dependences, long b)
{
	ompt_data_t none = { .value = 0 };

	if (hyb_gomp_wants(HYB_OMP_GROUP_DEPEND) && hyb_gomp_is_on())
		hyb_gomp_tell_dependences(&none, dependences);
	taskwait(HYB_GOMP_NEXT(GOMP_taskwait_depend, void (*)(void *, long)), dependences, b, HYB_GOMP_SITE);
}

void hyb_gomp_GOMP_taskgroup_start(void);
void hyb_gomp_GOMP_taskgroup_start(void)
{
	if (hyb_likely(hyb_gomp_is_on()))
		hyb_gomp_sync(ompt_sync_region_taskgroup, ompt_scope_begin, HYB_GOMP_SITE);
	HYB_GOMP_NEXT(GOMP_taskgroup_start, void (*)(void))();
}

void hyb_gomp_GOMP_taskgroup_end(void);
void hyb_gomp_GOMP_taskgroup_end(void)
{
	const void *code = HYB_GOMP_SITE;
	bool on = hyb_gomp_is_on();

	if (hyb_likely(on))
		hyb_gomp_wait(ompt_sync_region_taskgroup, ompt_scope_begin, code);
	HYB_GOMP_NEXT(GOMP_taskgroup_end, void (*)(void))();
	if (hyb_likely(on))
		hyb_gomp_end_wait(ompt_sync_region_taskgroup, code);
}
