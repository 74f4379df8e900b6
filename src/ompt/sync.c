/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers, taskwait, taskgroup and reductions, and the waits in them. */
#include "ompt/callbacks.h"

/* At the end of a parallel region runtimes do not tell a worker where the region is. */
static HYB_HOT const void *place_of_parallel(void)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;
	const struct hyb_omp_open *at = o->top;

	while (at != o->base) {
		at--;
		if (at->kind == HYB_OMP_MEMBER)
			return HYB_OMP_PLACE_OF(at->what);
	}
	return NULL;
}

/*
 * What a kind of synchronisation is, and the wait in it. All barriers are one sort, since runtimes do not always call
 * one the same at its end. A kind that came later is taken for an implicit barrier.
 */
static const struct sync {
	uint8_t sort[2];	/* the region, the wait */
	uint8_t kind[2];
	/*
	 * The runtime tells of the region's begin and of the wait's at once, and so of their ends and of a worker's
	 * leaving its team behind that: its two or three calls of us are next to each other in its code, with none of
	 * the program's between. So what comes second is given the time of the first, and the counter is read once.
	 * (LLVM 14 and 19: __kmp_barrier_template, __kmp_join_barrier, __kmp_fork_barrier, __ompt_implicit_task_end,
	 * __kmpc_omp_taskwait_template. The begin of a taskgroup is not that of its wait, and it is freed between
	 * its ends.)
	 */
	bool at_once;
} syncs[] = {
#define BARRIER(is, wait) { { HYB_OMP_BARRIER, HYB_OMP_WAIT_BARRIER }, { is, wait }, true }
#define OTHER(is, wait, at_once) { { is, wait }, { is, wait }, at_once }
	[0] = BARRIER(HYB_OMP_BARRIER_IMPLICIT, HYB_OMP_WAIT_IMPLICIT),
	[ompt_sync_region_barrier] = BARRIER(HYB_OMP_BARRIER, HYB_OMP_WAIT_BARRIER),
	[ompt_sync_region_barrier_implicit] = BARRIER(HYB_OMP_BARRIER_IMPLICIT, HYB_OMP_WAIT_IMPLICIT),
	[ompt_sync_region_barrier_explicit] = BARRIER(HYB_OMP_BARRIER, HYB_OMP_WAIT_BARRIER),
	[ompt_sync_region_barrier_implementation] = BARRIER(HYB_OMP_BARRIER_RUNTIME, HYB_OMP_WAIT_RUNTIME),
	[ompt_sync_region_taskwait] = OTHER(HYB_OMP_TASKWAIT, HYB_OMP_WAIT_TASKWAIT, true),
	[ompt_sync_region_taskgroup] = OTHER(HYB_OMP_TASKGROUP, HYB_OMP_WAIT_TASKGROUP, false),
	[ompt_sync_region_reduction] = OTHER(HYB_OMP_REDUCTION, HYB_OMP_WAIT_REDUCTION, false),
#undef OTHER
#undef BARRIER
};

/* both: waits are recorded, too. */
static HYB_HOT void sync_region(int kind, int endpoint, const ompt_data_t *task, const void *code, bool wait,
				bool both)
{
	const struct sync *sync = &syncs[(unsigned int)kind < sizeof(syncs) / sizeof(syncs[0]) ? kind : 0];
	enum hyb_omp_kind sort = sync->sort[wait];
	bool implicit = sync->kind[0] == HYB_OMP_BARRIER_IMPLICIT;
	const uint64_t *end;
	uint32_t region;
	uint64_t *p;

	hyb_omp_settle(task);
	if (endpoint & ompt_scope_begin) {
		if (!code && implicit)
			code = place_of_parallel();
		if (sort == HYB_OMP_BARRIER)
			hyb_omp_end_single();
		region = hyb_omp_region(sync->kind[wait], code);
		p = hyb_omp_record_at(HYB_ENTER, region, wait && sync->at_once);
		hyb_omp_push(sort, region, 0, p != NULL);
		hyb_omp_publish(p);
		hyb_omp_keep(p, both && !wait && sync->at_once ? HYB_ENTER : 0);
	}
	if (endpoint & ompt_scope_end) {
		end = hyb_omp_leave_bare(hyb_omp_innermost(sort), both && !wait && sync->at_once);
		hyb_omp_keep(end, (both ? sync->at_once : implicit) ? HYB_LEAVE : 0);
	}
}

void hyb_omp_sync(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	(void)parallel;
	sync_region(kind, endpoint, task, code, false, false);
}

void hyb_omp_sync_waited(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	(void)parallel;
	sync_region(kind, endpoint, task, code, false, true);
}

void hyb_omp_sync_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	(void)parallel;
	sync_region(kind, endpoint, task, code, true, true);
}

void hyb_omp_reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	(void)kind;
	(void)parallel;
	hyb_omp_scope(HYB_OMP_REDUCTION, HYB_OMP_REDUCTION, endpoint, task, code);
}
