/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose chunks libgomp gives out, sections, single, scope. */
#include "ompt/gomp/work.h"

#define SIGNED 0	/* where the arguments have the loop's start */
#define UNSIGNED 1	/* behind whether it counts up */
#define NO_START 9	/* doacross: how many iterations each loop has stands where others have their start */

/* A chunk [first, last) of the present loop. */
static HYB_HOT void tell_chunk(const long *first, const long *last)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;
	long step = o->top != o->base && (o->top - 1)->kind == HYB_OMP_LOOP ? (long)(o->top - 1)->what : 0;
	ompt_dispatch_chunk_t chunk = { .start = (uint64_t)*first, .iterations = 0 };

	/* whatever type the counter has, the chunk is no longer than half of its range */
	chunk.iterations = hyb_gomp_count(0, (long)((uint64_t)*last - (uint64_t)*first), step ? step : 1);
	hyb_omp_dispatch(NULL, NULL, ompt_dispatch_ws_loop_chunk, (ompt_data_t){ .ptr = &chunk });
}

/* Of a doacross loop the outermost is shared out; those inside of it only have iterations that wait. */
static HYB_HOT uint64_t count_all(const long *arguments, unsigned int start)
{
	const uint64_t *words = (const uint64_t *)arguments;

	switch (start) {
	case SIGNED:
		return hyb_gomp_count(arguments[0], arguments[1], arguments[2]);
	case UNSIGNED:
		return hyb_gomp_count_ull((bool)arguments[0], words[1], words[2], words[3]);
	default:
		return *(const uint64_t *)arguments[1];
	}
}

/*
 * As many words are passed on as any of these functions has arguments, and two that a later libgomp may have given
 * them.
 */
typedef bool (*start_t)(long, long, long, long, long, long, long, long, long, long, long, long);
#define ARGUMENTS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l

/* Of a construct that has tasks which reduce: libgomp begins a taskgroup with it. reductions: NULL where it has none. */
static HYB_HOT void begin_reductions(long reductions, const void *code)
{
	if (hyb_unlikely(reductions != 0))
		hyb_gomp_sync(ompt_sync_region_taskgroup, ompt_scope_begin, code);
}

/*
 * Where the program does not ask for a chunk, it shares a static loop out itself and says nothing of its iterations: what
 * it needs of libgomp is the reductions.
 */
static HYB_HOT bool start_loop(start_t next, unsigned int start, unsigned int chunk, int type, bool reduces,
			       const void *code, ARGUMENTS)
{
	const long arguments[] = { PASSED };
	bool asks = arguments[chunk] != 0;
	bool some;

	hyb_gomp_self.across = start == NO_START ? (unsigned int)a : 0;
	if (hyb_likely(hyb_gomp_is_on())) {
		if (reduces)
			begin_reductions(arguments[chunk + 2], code);
		hyb_gomp_begin_work(&(struct hyb_gomp_work){
			.type = type, .count = asks ? count_all(arguments, start) : 0, .code = code,
			.step = start == NO_START ? 1 : arguments[start + 2] });
	}
	some = next(PASSED);
	if (some && asks && hyb_gomp_wants(HYB_OMP_GROUP_DISPATCH) && hyb_gomp_is_on())
		tell_chunk((const long *)arguments[chunk], (const long *)arguments[chunk + 1]);
	return some;
}

/* GOMP_loop_start and its like are told the schedule, before the size of its chunks, and reductions behind the chunk. */
#define REDUCES_static false
#define REDUCES_dynamic false
#define REDUCES_guided false
#define REDUCES_runtime false
#define REDUCES_any true
#define TYPE_static(...) hyb_gomp_loop_static()
#define TYPE_dynamic(...) hyb_gomp_loop_dynamic()
#define TYPE_guided(...) hyb_gomp_loop_guided()
#define TYPE_runtime(...) hyb_gomp_loop_runtime()
#define TYPE_any(schedule) ((schedule) & 0x7fffffff ? hyb_gomp_loop_of((unsigned int)(schedule)) : hyb_gomp_loop_runtime())

#define HYB_GOMP_LOOP_START(id, start, chunk, schedule) \
	bool hyb_gomp_##id(ARGUMENTS); \
	bool hyb_gomp_##id(ARGUMENTS) \
	{ \
		return start_loop(HYB_GOMP_NEXT(id, start_t), start, chunk, \
				  TYPE_##schedule(((const long[]){ PASSED })[(chunk) - 2]), REDUCES_##schedule, \
				  HYB_GOMP_SITE, PASSED); \
	}

typedef bool (*next_t)(long *first, long *last, long c, long d);

#define HYB_GOMP_LOOP_NEXT(id) \
	bool hyb_gomp_##id(long *first, long *last, long c, long d); \
	bool hyb_gomp_##id(long *first, long *last, long c, long d) \
	{ \
		bool some = HYB_GOMP_NEXT(id, next_t)(first, last, c, d); \
\
		if (some && hyb_likely(hyb_gomp_is_on())) \
			tell_chunk(first, last); \
		return some; \
	}

/* An iteration of a doacross loop that others wait for, or which waited for another: a number of each loop's. */
static HYB_HOT void tell_across(int type, const long *numbers)
{
	ompt_dependence_t d = { .dependence_type = type };

	for (unsigned int n = 0; n < hyb_gomp_self.across; n++) {
		d.variable.value = (uint64_t)numbers[n];
		hyb_omp_dependences(NULL, &d, 1);
	}
}

#define POST(id) \
	void hyb_gomp_##id(const long *numbers, long b, long c); \
	void hyb_gomp_##id(const long *numbers, long b, long c) \
	{ \
		if (hyb_likely(hyb_gomp_is_on())) \
			tell_across(ompt_dependence_type_source, numbers); \
		HYB_GOMP_NEXT(id, void (*)(const long *, long, long))(numbers, b, c); \
	}
POST(GOMP_doacross_post)
POST(GOMP_doacross_ull_post)

/* libgomp knows how many arguments it has, one for each loop. No program has so many loops within each other. */
#define MOST 24
#define MORE_ARGUMENTS long m, long n, long o, long p, long q, long r, long s, long t, long u, long v, long w, long x
#define MORE_PASSED m, n, o, p, q, r, s, t, u, v, w, x

#define HYB_GOMP_DOACROSS_WAIT(id) \
	void hyb_gomp_##id(ARGUMENTS, MORE_ARGUMENTS); \
	void hyb_gomp_##id(ARGUMENTS, MORE_ARGUMENTS) \
	{ \
		const long numbers[MOST] = { PASSED, MORE_PASSED }; \
\
		HYB_GOMP_NEXT(id, void (*)(long, ...))(PASSED, MORE_PASSED); \
		if (hyb_likely(hyb_gomp_is_on()) && hyb_gomp_self.across <= MOST) \
			tell_across(ompt_dependence_type_sink, numbers); \
	}
#include "ompt/gomp/wrappers.h"

/* The end of a loop or of sections, with its barrier or without. */
static HYB_HOT void end_work(int type)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		hyb_omp_work(type, ompt_scope_end, NULL, NULL, 0, NULL);
}

static HYB_HOT bool end_waiting(bool (*next)(void), int type, const void *code)
{
	bool cancelled;

	if (hyb_unlikely(!hyb_gomp_is_on()))
		return next();
	end_work(type);
	hyb_gomp_begin_wait(ompt_sync_region_barrier_implicit, code);
	cancelled = next();
	hyb_gomp_end_wait(ompt_sync_region_barrier_implicit, code);
	return cancelled;
}

#define END(id, type) \
	bool hyb_gomp_##id(void); \
	bool hyb_gomp_##id(void) \
	{ \
		return end_waiting(HYB_GOMP_NEXT(id, bool (*)(void)), type, HYB_GOMP_SITE); \
	}
#define END_NOWAIT(id, type) \
	void hyb_gomp_##id(void); \
	void hyb_gomp_##id(void) \
	{ \
		if (hyb_likely(hyb_gomp_is_on())) \
			end_work(type); \
		HYB_GOMP_NEXT(id, void (*)(void))(); \
	}
END(GOMP_loop_end, ompt_work_loop)
END(GOMP_loop_end_cancel, ompt_work_loop)
END_NOWAIT(GOMP_loop_end_nowait, ompt_work_loop)
END(GOMP_sections_end, ompt_work_sections)
END(GOMP_sections_end_cancel, ompt_work_sections)
END_NOWAIT(GOMP_sections_end_nowait, ompt_work_sections)

/* A section has no place of its own: where its number is asked for is that of all of them. */
static HYB_HOT void tell_section(unsigned int section, const void *code)
{
	if (section && hyb_gomp_wants(HYB_OMP_GROUP_DISPATCH) && hyb_gomp_is_on())
		hyb_omp_dispatch(NULL, NULL, ompt_dispatch_section, (ompt_data_t){ .ptr = (void *)(uintptr_t)code });
}

typedef unsigned int (*sections_t)(unsigned int count, long b, long c, long d, long e);

static HYB_HOT unsigned int start_sections(sections_t next, bool reduces, const void *code, unsigned int count, long b,
					   long c, long d, long e)
{
	unsigned int section;

	if (hyb_likely(hyb_gomp_is_on())) {
		if (reduces)
			begin_reductions(b, code);
		hyb_gomp_begin_work(&(struct hyb_gomp_work){ .type = ompt_work_sections, .count = count, .code = code });
	}
	section = next(count, b, c, d, e);
	tell_section(section, code);
	return section;
}

#define SECTIONS_START(id, reduces) \
	unsigned int hyb_gomp_##id(unsigned int count, long b, long c, long d, long e); \
	unsigned int hyb_gomp_##id(unsigned int count, long b, long c, long d, long e) \
	{ \
		return start_sections(HYB_GOMP_NEXT(id, sections_t), reduces, HYB_GOMP_SITE, count, b, c, d, e); \
	}
SECTIONS_START(GOMP_sections_start, false)
SECTIONS_START(GOMP_sections2_start, true)

unsigned int hyb_gomp_GOMP_sections_next(void);
unsigned int hyb_gomp_GOMP_sections_next(void)
{
	const void *code = HYB_GOMP_SITE;
	unsigned int section = HYB_GOMP_NEXT(GOMP_sections_next, unsigned int (*)(void))();

	tell_section(section, code);
	return section;
}

static HYB_HOT void begin_single(bool executes, const void *code)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		hyb_omp_work(executes ? ompt_work_single_executor : ompt_work_single_other,
			     executes ? ompt_scope_begin : ompt_scope_beginend, NULL, NULL, 1, code);
}

/* Where its code ends is not told: where the thread comes to what cannot be in it, see hyb_omp_end_single. */
bool hyb_gomp_GOMP_single_start(void);
bool hyb_gomp_GOMP_single_start(void)
{
	const void *code = HYB_GOMP_SITE;
	bool executes = HYB_GOMP_NEXT(GOMP_single_start, bool (*)(void))();

	if (hyb_likely(hyb_gomp_is_on()))
		begin_single(executes, code);
	return executes;
}

/* The others wait in it until the one that executes it has something to copy, as that one does in GOMP_single_copy_end. */
void *hyb_gomp_GOMP_single_copy_start(void);
void *hyb_gomp_GOMP_single_copy_start(void)
{
	const void *code = HYB_GOMP_SITE;
	void *copied = HYB_GOMP_NEXT(GOMP_single_copy_start, void *(*)(void))();

	if (hyb_likely(hyb_gomp_is_on()))
		begin_single(!copied, code);
	return copied;
}

void hyb_gomp_GOMP_single_copy_end(void *copied);
void hyb_gomp_GOMP_single_copy_end(void *copied)
{
	HYB_GOMP_NEXT(GOMP_single_copy_end, void (*)(void *))(copied);
	if (hyb_likely(hyb_gomp_is_on()) && hyb_gomp_wants(HYB_OMP_GROUP_WORK))
		hyb_omp_end_single();
}

/* Called where a scope has tasks that reduce; of others GCC calls for the barrier only. */
void hyb_gomp_GOMP_scope_start(long reductions, long b, long c);
void hyb_gomp_GOMP_scope_start(long reductions, long b, long c)
{
	const void *code = HYB_GOMP_SITE;

	if (hyb_likely(hyb_gomp_is_on())) {
		if (hyb_gomp_wants(HYB_OMP_GROUP_WORK))
			hyb_omp_work(ompt_work_scope, ompt_scope_begin, NULL, NULL, 1, code);
		begin_reductions(reductions, code);
	}
	HYB_GOMP_NEXT(GOMP_scope_start, void (*)(long, long, long))(reductions, b, c);
}

static HYB_HOT void end_scope(void)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;

	if (o->top != o->base && (o->top - 1)->kind == HYB_OMP_SCOPE)
		end_work(ompt_work_scope);
}

/*
 * The end of what has tasks that reduce: of their taskgroup, of a scope, and the barrier behind that, unless it was
 * cancelled. It is all one call, so tasks that are left are executed in the barrier.
 */
void hyb_gomp_GOMP_workshare_task_reduction_unregister(bool cancelled, long b, long c);
void hyb_gomp_GOMP_workshare_task_reduction_unregister(bool cancelled, long b, long c)
{
	const void *code = HYB_GOMP_SITE;
	void (*next)(bool, long, long) = HYB_GOMP_NEXT(GOMP_workshare_task_reduction_unregister, void (*)(bool, long, long));
	bool on = hyb_gomp_is_on();

	if (hyb_likely(on)) {
		hyb_gomp_sync(ompt_sync_region_taskgroup, ompt_scope_end, code);
		end_scope();
		if (!cancelled)
			hyb_gomp_begin_wait(ompt_sync_region_barrier_implicit, code);
	}
	next(cancelled, b, c);
	if (hyb_likely(on) && !cancelled)
		hyb_gomp_end_wait(ompt_sync_region_barrier_implicit, code);
}
