/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion: critical, atomic, ordered, and the program's locks. Who gives one up says so when it has: what we do
 * then makes nobody wait. OMPT's readers know that others may have had it since.
 */
#include "ompt/gomp/call.h"

/* What critical sections without a name share, and atomic updates. */
static const char unnamed, update;
static const char outside;	/* ordered outside of any team */

#define ID_OF(variable) ((uint64_t)(uintptr_t)&(variable))

/* Each team has its own. */
static HYB_HOT uint64_t ordered_id(void)
{
	return hyb_gomp_self.region ? (uint64_t)(uintptr_t)hyb_gomp_self.region : ID_OF(outside);
}

typedef void (*enter_t)(void *, long);

static HYB_HOT void enter(enter_t next, int kind, uint64_t id, void *argument, long b, const void *code)
{
	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(argument, b);
		return;
	}
	hyb_omp_mutex_acquire(kind, 0, 0, id, code);
	next(argument, b);
	hyb_omp_mutex_acquired(kind, id, code);
}

static HYB_HOT void leave(enter_t next, int kind, uint64_t id, void *argument, long b, const void *code)
{
	next(argument, b);
	if (hyb_likely(hyb_gomp_is_on()))
		hyb_omp_mutex_released(kind, id, code);
}

#define MUTEX(name, does, kind, mutex_id) \
	void hyb_gomp_##name(void *argument, long b); \
	void hyb_gomp_##name(void *argument, long b) \
	{ \
		does(HYB_GOMP_NEXT(name, enter_t), kind, mutex_id, argument, b, HYB_GOMP_SITE); \
	}
MUTEX(GOMP_critical_start, enter, ompt_mutex_critical, ID_OF(unnamed))
MUTEX(GOMP_critical_end, leave, ompt_mutex_critical, ID_OF(unnamed))
MUTEX(GOMP_critical_name_start, enter, ompt_mutex_critical, (uint64_t)(uintptr_t)argument)
MUTEX(GOMP_critical_name_end, leave, ompt_mutex_critical, (uint64_t)(uintptr_t)argument)
MUTEX(GOMP_atomic_start, enter, ompt_mutex_atomic, ID_OF(update))
MUTEX(GOMP_atomic_end, leave, ompt_mutex_atomic, ID_OF(update))
MUTEX(GOMP_ordered_start, enter, ompt_mutex_ordered, ordered_id())
MUTEX(GOMP_ordered_end, leave, ompt_mutex_ordered, ordered_id())
#define HYB_GOMP_SET_LOCK(id) MUTEX(id, enter, ompt_mutex_lock, (uint64_t)(uintptr_t)argument)
#define HYB_GOMP_UNSET_LOCK(id) MUTEX(id, leave, ompt_mutex_lock, (uint64_t)(uintptr_t)argument)

/* How often its owner has it is told by the results of tests only, so it is what we have seen. */
static HYB_HOT void set_nest_lock(enter_t next, void *lock, long b, const void *code)
{
	uint64_t id = (uint64_t)(uintptr_t)lock;

	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(lock, b);
		return;
	}
	hyb_omp_mutex_acquire(ompt_mutex_nest_lock, 0, 0, id, code);
	next(lock, b);
	if (hyb_omp_has_lock(id))
		hyb_omp_nest_lock(ompt_scope_begin, id, code);
	else
		hyb_omp_mutex_acquired(ompt_mutex_nest_lock, id, code);
}

static HYB_HOT void unset_nest_lock(enter_t next, void *lock, long b, const void *code)
{
	uint64_t id = (uint64_t)(uintptr_t)lock;

	next(lock, b);
	if (hyb_unlikely(!hyb_gomp_is_on()))
		return;
	if (hyb_omp_has_lock(id) > 1)
		hyb_omp_nest_lock(ompt_scope_end, id, code);
	else
		hyb_omp_mutex_released(ompt_mutex_nest_lock, id, code);
}

typedef int (*test_t)(void *, long);

static HYB_HOT int test_lock(test_t next, bool nest, void *lock, long b, const void *code)
{
	uint64_t id = (uint64_t)(uintptr_t)lock;
	int times = next(lock, b);

	if (!times || !hyb_gomp_is_on())
		return times;
	if (nest && times > 1)
		hyb_omp_nest_lock(ompt_scope_begin, id, code);
	else
		hyb_omp_mutex_acquired(nest ? ompt_mutex_test_nest_lock : ompt_mutex_test_lock, id, code);
	return times;
}

#define NEST_LOCK(id, does) \
	void hyb_gomp_##id(void *lock, long b); \
	void hyb_gomp_##id(void *lock, long b) \
	{ \
		does(HYB_GOMP_NEXT(id, enter_t), lock, b, HYB_GOMP_SITE); \
	}
#define TEST(id, nest) \
	int hyb_gomp_##id(void *lock, long b); \
	int hyb_gomp_##id(void *lock, long b) \
	{ \
		return test_lock(HYB_GOMP_NEXT(id, test_t), nest, lock, b, HYB_GOMP_SITE); \
	}
#define HYB_GOMP_SET_NEST_LOCK(id) NEST_LOCK(id, set_nest_lock)
#define HYB_GOMP_UNSET_NEST_LOCK(id) NEST_LOCK(id, unset_nest_lock)
#define HYB_GOMP_TEST_LOCK(id) TEST(id, false)
#define HYB_GOMP_TEST_NEST_LOCK(id) TEST(id, true)
#include "ompt/gomp/wrappers.h"
