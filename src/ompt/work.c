/* SPDX-License-Identifier: BSD-3-Clause */
/* Worksharing and what else is a region that a thread enters and leaves, or a point. */
#include "ompt/callbacks.h"

static HYB_HOT enum hyb_omp_kind work_kind(int type)
{
	static const uint8_t kinds[] = {
		[ompt_work_loop] = HYB_OMP_LOOP,
		[ompt_work_sections] = HYB_OMP_SECTIONS,
		[ompt_work_single_executor] = HYB_OMP_SINGLE,
		[ompt_work_single_other] = HYB_OMP_SINGLE_OTHER,
		[ompt_work_workshare] = HYB_OMP_WORKSHARE,
		[ompt_work_distribute] = HYB_OMP_DISTRIBUTE,
		[ompt_work_taskloop] = HYB_OMP_TASKLOOP,
		[ompt_work_scope] = HYB_OMP_SCOPE,
		[ompt_work_loop_static] = HYB_OMP_LOOP_STATIC,
		[ompt_work_loop_dynamic] = HYB_OMP_LOOP_DYNAMIC,
		[ompt_work_loop_guided] = HYB_OMP_LOOP_GUIDED,
		[ompt_work_loop_other] = HYB_OMP_LOOP_OTHER,
	};
	unsigned int i = (unsigned int)type;

	return i < sizeof(kinds) && kinds[i] ? (enum hyb_omp_kind)kinds[i] : HYB_OMP_WORKSHARE;
}

/* A runtime may call a loop by its schedule at the begin and not at the end: all are one sort. */
static HYB_HOT enum hyb_omp_kind work_sort(enum hyb_omp_kind kind)
{
	switch (kind) {
	case HYB_OMP_LOOP_STATIC:
	case HYB_OMP_LOOP_DYNAMIC:
	case HYB_OMP_LOOP_GUIDED:
	case HYB_OMP_LOOP_OTHER:
		return HYB_OMP_LOOP;
	case HYB_OMP_SINGLE_OTHER:
		return HYB_OMP_SINGLE;
	default:
		return kind;
	}
}

void hyb_omp_work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
		  const void *code)
{
	enum hyb_omp_kind kind = work_kind(type);
	enum hyb_omp_kind sort = work_sort(kind);
	uint64_t *p;

	(void)parallel;
	hyb_omp_settle(task);
	if (endpoint & ompt_scope_begin) {
		if (sort == HYB_OMP_LOOP || sort == HYB_OMP_SECTIONS || sort == HYB_OMP_SINGLE)
			hyb_omp_end_single();
		p = hyb_omp_enter(sort, hyb_omp_region(kind, code), 0);
		if (hyb_likely(p != NULL)) {
			if (sort != HYB_OMP_SINGLE)
				*p++ = hyb_omp_word(HYB_COUNT, count & HYB_REQUEST_MASK);
			hyb_publish(p);
		}
	}
	if (endpoint & ompt_scope_end)
		hyb_omp_publish(hyb_omp_leave(sort));
}

void hyb_omp_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
	(void)parallel;
	hyb_omp_scope(HYB_OMP_MASKED, HYB_OMP_MASKED, endpoint, task, code);
}

/* Which loop it belongs to is what the thread is in. A section is a place of its own. */
void hyb_omp_dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;
	const ompt_dispatch_chunk_t *chunk = instance.ptr;
	uint32_t region = 0;
	uint64_t *p;

	(void)parallel;
	hyb_omp_settle(task);
	if (hyb_unlikely(o->top != o->base && (o->top - 1)->region == HYB_OMP_LEFT_OUT))
		return;
	if (kind == ompt_dispatch_section)
		region = hyb_omp_region(HYB_OMP_SECTION, instance.ptr);
	p = hyb_omp_record(HYB_POINT, region);
	if (!p)
		return;
	*p++ = hyb_omp_word(HYB_CHUNK, (uint32_t)kind);
	if (kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_taskloop_chunk ||
	    kind == ompt_dispatch_distribute_chunk) {
		*p++ = chunk ? chunk->start : 0;
		*p++ = chunk ? chunk->iterations : 0;
	} else {
		*p++ = region ? 0 : instance.value;
		*p++ = 1;
	}
	hyb_publish(p);
}

void hyb_omp_flush(ompt_data_t *thread, const void *code)
{
	(void)thread;
	hyb_omp_publish(hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_FLUSH, code)));
}

/*
 * Of a discarded task the runtime names that one, not the task that the thread is in. If this is an explicit one as far
 * as is known, it may be gone without a word and complete by now. Its end, when it is noticed, is to stand before this
 * point (HYB_LATE). So the point waits until the runtime says what the thread is in: most often it does so at once,
 * with the end of the discarded task, but of a part of an untied one LLVM's may tell no end.
 */
static void discarded(struct hyb_omp_thread *o, int flags, uint32_t region)
{
	if (o->discards && (o->discard_region != region || o->discard_flags != flags))
		hyb_omp_tell_discards(o);
	o->discard_region = region;
	o->discard_flags = flags;
	o->discards++;
}

void hyb_omp_cancel(ompt_data_t *task, int flags, const void *code)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint32_t region = hyb_omp_region(HYB_OMP_CANCEL, code);

	if (flags & ompt_cancel_discarded_task && hyb_omp_task_at(o, o->top)) {
		discarded(o, flags, region);
		return;
	}
	hyb_omp_settle(task);
	hyb_omp_cancel_point(region, flags);
}
