/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion: critical, atomic and ordered are regions from the request to the release; of locks, setting one is
 * a region and the rest are points. A lock is known by its address. Whoever has it counts how often it was had, so the
 * order in which threads had it needs no atomic of ours.
 */
#include "ompt/callbacks.h"

#include "core/sys/memory.h"
#include "core/sys/trie.h"

struct hyb_omp_lock {
	struct hyb_node node;	/* its key is the lock's address */
	uint64_t order;		/* how often it was had; written by whoever has it, read by others who may be late */
	uint32_t id;
};

static struct hyb_trie locks;

static HYB_HOT uint64_t order_of(const struct hyb_omp_lock *lock)
{
	return __atomic_load_n(&lock->order, __ATOMIC_RELAXED);
}

/* The first that needs the number gives it: two threads may ask for a new lock at once. */
static HYB_COLD struct hyb_omp_lock *find_in_table(uint64_t address)
{
	static uint32_t last;
	struct hyb_omp_lock *lock = (struct hyb_omp_lock *)hyb_trie_add(&locks, address, sizeof(*lock));
	uint32_t none = 0;

	/* acquire pairs with the release below: whoever finds the number may read it as it likes */
	if (lock && !__atomic_load_n(&lock->id, __ATOMIC_ACQUIRE))
		__atomic_compare_exchange_n(&lock->id, &none,
					    __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED), false,
					    __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
	return lock;
}

static HYB_HOT struct hyb_omp_lock *find_lock(uint64_t address)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	struct hyb_omp_lock **slot;

	if (hyb_unlikely(!o->locks)) {
		o->locks = hyb_alloc_apart(HYB_OMP_LOCKS * sizeof(*o->locks));
		if (!o->locks)
			return find_in_table(address);
	}
	slot = &o->locks[HYB_OMP_HASH(address) % HYB_OMP_LOCKS];
	if (hyb_unlikely(!*slot || (*slot)->node.key != address))
		*slot = find_in_table(address);
	return *slot;
}

/*
 * Forgets locks that were had again since: another thread gave them up, as a task that moved does, or a program in
 * which one thread lets another go on by a lock. This thread is not giving any up now, so what it still has was had by
 * it last.
 */
static void forget_given_up(struct hyb_omp_thread *o)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < o->held_count; i++) {
		if (o->held[i].order == order_of(o->held[i].lock))
			o->held[left++] = o->held[i];
	}
	o->held_count = left;
}

static HYB_COLD bool grow_held(struct hyb_omp_thread *o)
{
	uint32_t room = o->held_room ? 2 * o->held_room : 8;
	struct hyb_omp_held *held;

	forget_given_up(o);
	if (o->held_room && o->held_count <= o->held_room / 2)
		return true;
	held = hyb_alloc_apart(room * sizeof(*held));
	if (!held)
		return o->held_count < o->held_room;
	for (uint32_t i = 0; i < o->held_count; i++)
		held[i] = o->held[i];
	o->held = held;
	o->held_room = room;
	return true;
}

/* The runtime says that a lock was released when others may have had it since: so its order is kept. */
static HYB_HOT void hold(struct hyb_omp_lock *lock, uint64_t order)
{
	struct hyb_omp_thread *o = &hyb_omp_self;

	if (hyb_unlikely(o->held_count == o->held_room) && !grow_held(o))
		return;
	o->held[o->held_count++] = (struct hyb_omp_held){ lock, order };
}

/* When the thread had it, 0: it was another thread, with the same task. */
static HYB_HOT uint64_t give_up(const struct hyb_omp_lock *lock)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t order;

	for (uint32_t i = o->held_count; i-- > 0;) {
		if (o->held[i].lock != lock)
			continue;
		order = o->held[i].order;
		for (o->held_count--; i < o->held_count; i++)
			o->held[i] = o->held[i + 1];
		return order;
	}
	return 0;
}

unsigned int hyb_omp_has_lock(uint64_t wait_id)
{
	const struct hyb_omp_thread *o = &hyb_omp_self;
	unsigned int times = 0;

	for (uint32_t i = 0; i < o->held_count; i++)
		times += o->held[i].lock->node.key == wait_id;
	return times;
}

/* p: where to attach it, NULL: nowhere. `again`: the owner of a nest lock has it once more. */
static HYB_HOT void acquired(uint64_t *p, uint64_t address, bool again)
{
	struct hyb_omp_lock *lock = find_lock(address);
	uint64_t order;

	if (hyb_likely(lock != NULL)) {
		order = order_of(lock) + !again;
		__atomic_store_n(&lock->order, order, __ATOMIC_RELAXED);
		hold(lock, order);
		if (p) {
			*p++ = hyb_omp_word(HYB_LOCK_ACQUIRED, lock->id);
			*p++ = order;
		}
	}
	hyb_omp_publish(p);
}

static HYB_HOT void released(uint64_t *p, uint64_t address)
{
	struct hyb_omp_lock *lock = find_lock(address);
	uint64_t order;

	if (hyb_likely(lock != NULL)) {
		order = give_up(lock);
		if (p) {
			*p++ = hyb_omp_word(HYB_LOCK_RELEASED, lock->id);
			*p++ = order;
		}
	}
	hyb_omp_publish(p);
}

/* Which construct it is, NONE for one that this version does not know. */
static HYB_HOT enum hyb_omp_kind kind_of(int kind)
{
	static const uint8_t kinds[] = {
		[ompt_mutex_lock] = HYB_OMP_SET_LOCK,
		[ompt_mutex_test_lock] = HYB_OMP_TEST_LOCK,
		[ompt_mutex_nest_lock] = HYB_OMP_SET_NEST_LOCK,
		[ompt_mutex_test_nest_lock] = HYB_OMP_TEST_NEST_LOCK,
		[ompt_mutex_critical] = HYB_OMP_CRITICAL,
		[ompt_mutex_atomic] = HYB_OMP_ATOMIC,
		[ompt_mutex_ordered] = HYB_OMP_ORDERED,
	};
	unsigned int i = (unsigned int)kind;

	return i < sizeof(kinds) ? (enum hyb_omp_kind)kinds[i] : HYB_OMP_NONE;
}

/* The region of this very lock: a task may give up what it asked for before others came and went without a word. */
static HYB_HOT uint64_t *leave(enum hyb_omp_kind kind, uint64_t wait_id)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	struct hyb_omp_open *at = o->top;

	while (at != o->base && (--at)->kind != HYB_OMP_MEMBER) {
		if (at->kind != kind || at->what != wait_id)
			continue;
		if (hyb_unlikely(at + 1 != o->top))
			hyb_omp_unwind(o, at + 1);
		return hyb_omp_leave_open(at, false);
	}
	return hyb_omp_leave(kind);
}

static bool is_lock(enum hyb_omp_kind kind)
{
	return kind == HYB_OMP_SET_LOCK || kind == HYB_OMP_SET_NEST_LOCK;
}

/* A test that fails is never heard of again, so it is no region. */
void hyb_omp_mutex_acquire(int mutex, unsigned int hint, unsigned int impl, uint64_t wait_id,
			   const void *code)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	enum hyb_omp_kind kind = kind_of(mutex);

	(void)hint;
	(void)impl;
	/* LLVM 14 tells of a test as of a request: one that failed is still open. */
	if (o->top != o->base && is_lock((o->top - 1)->kind))
		hyb_omp_unwind(o, o->top - 1);
	if (kind != HYB_OMP_NONE && kind != HYB_OMP_TEST_LOCK && kind != HYB_OMP_TEST_NEST_LOCK)
		hyb_omp_publish(hyb_omp_enter(kind, hyb_omp_region(kind, code), wait_id));
}

void hyb_omp_mutex_acquired(int mutex, uint64_t wait_id, const void *code)
{
	enum hyb_omp_kind kind = kind_of(mutex);
	uint64_t *p;

	if (kind == HYB_OMP_NONE)
		return;
	/* Not before it was given up. */
	hyb_counter_fence();
	if (is_lock(kind))
		p = leave(kind, wait_id);
	else
		p = hyb_omp_record(HYB_POINT, hyb_omp_region(kind, code));
	acquired(p, wait_id, false);
}

void hyb_omp_mutex_released(int mutex, uint64_t wait_id, const void *code)
{
	enum hyb_omp_kind kind = kind_of(mutex);
	uint64_t *p;

	switch (kind) {
	case HYB_OMP_NONE:
		return;
	case HYB_OMP_CRITICAL:
	case HYB_OMP_ATOMIC:
	case HYB_OMP_ORDERED:
		p = leave(kind, wait_id);
		break;
	case HYB_OMP_SET_NEST_LOCK:
	case HYB_OMP_TEST_NEST_LOCK:
		p = hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_UNSET_NEST_LOCK, code));
		break;
	default:
		p = hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_UNSET_LOCK, code));
	}
	released(p, wait_id);
}

/* A nest lock had again by its owner, or not given up yet. Having asked for it by a test, it is in no region. */
void hyb_omp_nest_lock(int endpoint, uint64_t wait_id, const void *code)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t *p;

	if (endpoint != ompt_scope_begin) {
		p = hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_UNSET_NEST_LOCK, code));
		released(p, wait_id);
		return;
	}
	if (o->top != o->base && (o->top - 1)->kind == HYB_OMP_SET_NEST_LOCK && (o->top - 1)->what == wait_id)
		p = leave(HYB_OMP_SET_NEST_LOCK, wait_id);
	else
		p = hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_TEST_NEST_LOCK, code));
	acquired(p, wait_id, true);
}
