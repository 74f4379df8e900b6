/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions. What the compiler has made of a region's code is a function that libgomp calls on each thread. It
 * gets ours instead, with a struct on the stack of the thread that forks, where it stays until all have come to the
 * region's last barrier.
 *
 * libgomp's thread 0 is the one that forks. Its last barrier ends when libgomp comes back; a worker's when there is
 * work again, as LLVM's runtime tells it: between, the worker waits in libgomp.
 */
#include "ompt/gomp/work.h"

#include "core/sys/memory.h"

struct region {
	void *first;		/* the data's first word, which libgomp reads where tasks reduce */
	void (*code)(void *data);
	void *data;
	ompt_data_t parallel;
	struct hyb_gomp_work work;
} __attribute__((aligned(HYB_APART)));

static HYB_HOT void begin_part(struct region *r, unsigned int number)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_PARALLEL))
		hyb_omp_implicit_task(ompt_scope_begin, &r->parallel, NULL, (unsigned int)hyb_gomp_ask.num_threads(), number,
				      ompt_task_implicit);
	if (r->work.type)
		hyb_gomp_begin_work(&r->work);
}

/* The region's code is done; what a cancellation has left open is over. */
static HYB_HOT void begin_last_barrier(void)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_PARALLEL)) {
		hyb_omp_end_single();
		hyb_omp_innermost(HYB_OMP_MEMBER);
	}
	hyb_gomp_begin_wait(ompt_sync_region_barrier_implicit, NULL);
}

/* What libgomp calls in the place of the region's code. */
static void do_part(void *data)
{
	struct region *r = data;
	const void *outer = hyb_gomp_self.region;
	unsigned int outer_across = hyb_gomp_self.across;
	bool on = hyb_gomp_is_on();
	unsigned int number;

	if (on && hyb_gomp_wake(hyb_gomp_self.seat))
		hyb_gomp_end_part();
	if (hyb_unlikely(!on || hyb_gomp_self.off)) {
		r->code(r->data);
		return;
	}
	number = (unsigned int)hyb_gomp_ask.thread_num();
	hyb_gomp_self.region = r;
	begin_part(r, number);
	r->code(r->data);
	begin_last_barrier();
	hyb_gomp_self.region = outer;
	hyb_gomp_self.across = outer_across;
	if (number)
		hyb_gomp_rest(hyb_gomp_self.seat);
}

static HYB_HOT void begin_region(struct region *r, unsigned int threads, const void *code)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_PARALLEL))
		hyb_omp_parallel_begin(NULL, NULL, &r->parallel, threads ? threads : (unsigned int)hyb_gomp_ask.max_threads(),
				       0, code);
}

/* All have come to the last barrier. */
static HYB_HOT void end_region(struct region *r, const void *code)
{
	hyb_gomp_end_part();
	if (hyb_gomp_wants(HYB_OMP_GROUP_PARALLEL))
		hyb_omp_parallel_end(&r->parallel, NULL, 0, code);
}

/*
 * As many words are passed on as any of these functions has arguments, and two that a later libgomp may have given
 * them.
 */
typedef long (*next_t)(void (*code)(void *), void *data, long a, long b, long c, long d, long e, long f, long g, long h);
#define ARGUMENTS void (*function)(void *), void *data, long a, long b, long c, long d, long e, long f, long g, long h
#define PASSED a, b, c, d, e, f, g, h

static HYB_HOT long parallel(next_t next, bool reduces, struct hyb_gomp_work work, const void *code, ARGUMENTS)
{
	struct region r;
	long result;

	if (hyb_unlikely(!hyb_gomp_is_on()))
		return next(function, data, PASSED);
	r.first = reduces ? *(void **)data : NULL;
	r.code = function;
	r.data = data;
	r.work = work;
	begin_region(&r, (unsigned int)a, code);
	result = next(do_part, &r, PASSED);
	end_region(&r, code);
	return result;
}

#define PARALLEL(id, ...) PARALLEL_THAT(id, false, __VA_ARGS__)
#define PARALLEL_THAT(id, reduces, ...) \
	long hyb_gomp_##id(ARGUMENTS); \
	long hyb_gomp_##id(ARGUMENTS) \
	{ \
		const void *code = HYB_GOMP_SITE; \
\
		return parallel(HYB_GOMP_NEXT(id, next_t), reduces, (struct hyb_gomp_work){ __VA_ARGS__ }, code, function, data, \
				PASSED); \
	}

PARALLEL(GOMP_parallel, 0)
PARALLEL_THAT(GOMP_parallel_reductions, true, 0)
PARALLEL(GOMP_parallel_sections, .type = ompt_work_sections, .count = (unsigned int)b, .code = code)
#define HYB_GOMP_PARALLEL_LOOP(id, schedule) \
	PARALLEL(id, .type = hyb_gomp_loop_##schedule(), .count = hyb_gomp_count(b, c, d), .step = d, .code = code)
#include "ompt/gomp/wrappers.h"

/* What compilers before GCC 4.9 make: the code that forks calls its part itself, between start and end. */
struct hyb_gomp_started {
	struct region region;
	struct hyb_gomp_started *outer;
	const void *outer_region;
	const void *code;
};

static struct hyb_gomp_started *new_started(struct hyb_gomp_seat *seat)
{
	struct hyb_gomp_started *s = seat->spare;

	if (s)
		seat->spare = s->outer;
	else
		s = hyb_alloc_apart(sizeof(*s));
	return s;
}

static HYB_HOT void start(next_t next, struct hyb_gomp_work work, const void *code, ARGUMENTS)
{
	struct hyb_gomp_started *s = hyb_gomp_is_on() ? new_started(hyb_gomp_self.seat) : NULL;

	if (!s) {
		next(function, data, PASSED);
		return;
	}
	s->region = (struct region){ .code = function, .data = data, .work = work };
	s->code = code;
	s->outer_region = hyb_gomp_self.region;
	s->outer = hyb_gomp_self.seat->started;
	hyb_gomp_self.seat->started = s;
	begin_region(&s->region, (unsigned int)a, code);
	next(do_part, &s->region, PASSED);
	hyb_gomp_self.region = &s->region;
	begin_part(&s->region, 0);
}

#define START(id, ...) \
	void hyb_gomp_##id(ARGUMENTS); \
	void hyb_gomp_##id(ARGUMENTS) \
	{ \
		const void *code = HYB_GOMP_SITE; \
\
		start(HYB_GOMP_NEXT(id, next_t), (struct hyb_gomp_work){ __VA_ARGS__ }, code, function, data, PASSED); \
	}

START(GOMP_parallel_start, 0)
START(GOMP_parallel_sections_start, .type = ompt_work_sections, .count = (unsigned int)b, .code = code)
#undef HYB_GOMP_PARALLEL_LOOP
#define HYB_GOMP_PARALLEL_LOOP_START(id, schedule) \
	START(id, .type = hyb_gomp_loop_##schedule(), .count = hyb_gomp_count(b, c, d), .step = d, .code = code)
#include "ompt/gomp/wrappers.h"

void hyb_gomp_GOMP_parallel_end(void);
void hyb_gomp_GOMP_parallel_end(void)
{
	struct hyb_gomp_seat *seat = hyb_gomp_self.seat;
	struct hyb_gomp_started *s = seat ? seat->started : NULL;

	if (!s) {
		HYB_GOMP_NEXT(GOMP_parallel_end, void (*)(void))();
		return;
	}
	begin_last_barrier();
	HYB_GOMP_NEXT(GOMP_parallel_end, void (*)(void))();
	end_region(&s->region, s->code);
	hyb_gomp_self.region = s->outer_region;
	seat->started = s->outer;
	s->outer = seat->spare;
	seat->spare = s;
}
