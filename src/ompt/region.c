/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of OpenMP's constructs: one for each kind and place in the program, defined when the first thread comes by.
 * Where the place is in source is found out from its address when the trace is merged; that takes the object it lies
 * in, which is defined with it: a library may be loaded at any time, and be gone at the end.
 */
#include "ompt/event.h"

#include <string.h>

#include "core/config/filter.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/record/definitions.h"
#include "core/record/objects.h"

#define PLACES_FIRST	256
#define REGION_LAST	0xffffu
#define OBJECT_SHIFT	48	/* of a key, between a place's address and its kind */

static const struct {
	const char *name;
	enum hyb_role role;
} kinds[HYB_OMP_KINDS] = {
#define HYB_OMP_KIND(kind_, role_, name_) [HYB_OMP_##kind_] = { .name = name_, .role = role_ },
#include "ompt/kinds.h"
#undef HYB_OMP_KIND
};

/* Of all threads; held while one of them sees a place for the first time. */
static struct {
	int lock;
	struct hyb_omp_place *places;
	uint32_t mask;
	uint32_t used;
	bool defined[HYB_OMP_KINDS];	/* the region of a kind without a place */
} all;

_Static_assert(REGION_LAST - HYB_OMP_KINDS >= HYB_REGION_PLACELESS, "each kind has a region without a place");

static struct hyb_omp_place *find(struct hyb_omp_place *places, uint32_t mask, uint64_t key)
{
	for (uint64_t i = HYB_OMP_HASH(key);; i++) {
		struct hyb_omp_place *place = &places[i & mask];

		if (place->key == key || !place->key)
			return place;
	}
}

/* A table for twice as many; never more than half full, so that looking up ends. False without memory. */
static bool make_room(struct hyb_omp_place **places, uint32_t *mask, uint32_t used)
{
	uint32_t room = *places ? 2 * (*mask + 1) : PLACES_FIRST;
	struct hyb_omp_place *larger;

	if (*places && 2 * used <= *mask)
		return true;
	larger = hyb_alloc_apart(room * sizeof(*larger));
	if (!larger)
		return false;
	for (uint32_t i = 0; *places && i <= *mask; i++) {
		if ((*places)[i].key)
			*find(larger, room - 1, (*places)[i].key) = (*places)[i];
	}
	*places = larger;
	*mask = room - 1;
	return true;
}

/* The region for places that are not known, or that there are too many of. */
static uint32_t plain_region(enum hyb_omp_kind kind)
{
	uint32_t region = REGION_LAST - kind;

	if (!all.defined[kind])
		hyb_def_region(region, kinds[kind].role, HYB_PARADIGM_OPENMP, HYB_COLL_NONE, kinds[kind].name);
	all.defined[kind] = true;
	return region;
}

/*
 * What others are told of: teams, tasks and what devices do are known by these. They are recorded whatever a rule says.
 */
static bool must_stay(enum hyb_omp_kind kind)
{
	switch (kinds[kind].role) {
	case HYB_ROLE_PARALLEL:
	case HYB_ROLE_TASK:
	case HYB_ROLE_ALLOCATE:
	case HYB_ROLE_TRANSFER:
	case HYB_ROLE_FREE:
		return true;
	default:
		return kind == HYB_OMP_MEMBER || kind >= HYB_OMP_TARGET;
	}
}

/* With whose rules a kind goes, beside its own: a lock that is had is given up, and a wait is in what waits. */
static enum hyb_omp_kind goes_with(enum hyb_omp_kind kind)
{
	switch (kind) {
	case HYB_OMP_TEST_LOCK:
	case HYB_OMP_UNSET_LOCK:
		return HYB_OMP_SET_LOCK;
	case HYB_OMP_TEST_NEST_LOCK:
	case HYB_OMP_UNSET_NEST_LOCK:
		return HYB_OMP_SET_NEST_LOCK;
	case HYB_OMP_WAIT_BARRIER:
	case HYB_OMP_WAIT_IMPLICIT:
	case HYB_OMP_WAIT_RUNTIME:
		return kind - HYB_OMP_WAIT_BARRIER + HYB_OMP_BARRIER;
	case HYB_OMP_WAIT_TASKWAIT:
	case HYB_OMP_WAIT_TASKGROUP:
	case HYB_OMP_WAIT_REDUCTION:
		return kind - HYB_OMP_WAIT_TASKWAIT + HYB_OMP_TASKWAIT;
	case HYB_OMP_SECTION:
		return HYB_OMP_SECTIONS;
	default:
		return kind;
	}
}

static bool is_lock(enum hyb_omp_kind kind)
{
	return kinds[kind].role == HYB_ROLE_LOCK;
}

static bool is_left_out(enum hyb_omp_kind kind, const void *code)
{
	const enum hyb_omp_kind with = goes_with(kind);
	struct hyb_filtered what = { .kind = HYB_FILTER_OPENMP, .names = { kinds[with].name } };

	if (!hyb_filter_has(HYB_FILTER_OPENMP) || !*kinds[kind].name)
		return false;
	/* One lock is had and given up in several places, which may be in several libraries. */
	if (!is_lock(kind))
		what.file = code ? hyb_object_path((uint64_t)(uintptr_t)code - 1) : NULL;
	if (!hyb_filter_leaves_out(&what)) {
		what.names[0] = kinds[kind].name;
		if (is_lock(kind) || with == kind || !hyb_filter_leaves_out(&what))
			return false;
	}
	if (!must_stay(kind))
		return true;
	hyb_log_once(HYB_LOG_NOTE, "HYBMON_FILTER leaves out OpenMP's %s, which is recorded all the same, as are others that "
		     "threads, tasks and devices are known by", kinds[kind].name);
	return false;
}

static uint32_t new_region(enum hyb_omp_kind kind, const void *code)
{
	uint32_t region;

	if (is_left_out(kind, code))
		return HYB_OMP_LEFT_OUT;
	region = code ? hyb_def_region_id(HYB_REGION_PLACELESS) : 0;
	if (!region)
		return plain_region(kind);
	hyb_def_region(region, kinds[kind].role, HYB_PARADIGM_OPENMP, HYB_COLL_NONE, kinds[kind].name);
	hyb_def_place(region, (uint64_t)(uintptr_t)code, hyb_object_of((uint64_t)(uintptr_t)code - 1));
	return region;
}

/* Where the construct is that a region is of, NULL: that is not known. */
static const void *place_of(uint32_t region)
{
	if (region > REGION_LAST - HYB_OMP_KINDS)
		return NULL;
	for (uint32_t i = 0; all.places && i <= all.mask; i++) {
		if (all.places[i].key && all.places[i].region == region)
			return (const void *)(uintptr_t)(all.places[i].key & ((UINT64_C(1) << OBJECT_SHIFT) - 1));
	}
	return NULL;
}

/* By the object, too: where a library was unloaded another one may be. */
static uint64_t common_key(enum hyb_omp_kind kind, const void *code, uint32_t object)
{
	return HYB_OMP_KEY(kind, code) ^ (uint64_t)(object & 0xff) << OBJECT_SHIFT;
}

/* The same for all threads. */
static uint32_t common_region(enum hyb_omp_kind kind, const void *code, uint32_t object)
{
	const uint64_t key = common_key(kind, code, object);
	struct hyb_omp_place *place;

	if (!make_room(&all.places, &all.mask, all.used))
		return plain_region(kind);
	place = find(all.places, all.mask, key);
	if (!place->key)
		all.used++;
	if (!place->key || place->object != object) {
		place->region = new_region(kind, code);
		place->object = object;
		place->key = key;
	}
	return place->region;
}

/* What a thread knows of places is over with each library that is unloaded. */
static void renew(struct hyb_omp_thread *o)
{
	const uint32_t turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE);

	if (o->places_turn == turn)
		return;
	if (o->places)
		memset(o->places, 0, (o->mask + UINT64_C(1)) * sizeof(*o->places));
	o->used = 0;
	o->places_turn = turn;
}

uint32_t hyb_omp_new_region(struct hyb_omp_thread *o, enum hyb_omp_kind kind, const void *code)
{
	uint64_t key = HYB_OMP_KEY(kind, code);
	struct hyb_omp_place *place;
	uint32_t region, object;
	uint64_t signals;

	/* In a child made by fork a thread that is not there may hold the lock; nothing is recorded any more. */
	if (!hyb_process_is_recording())
		return REGION_LAST - kind;
	hyb_self.unguarded = true;
	renew(o);
	if (code && (uint64_t)(uintptr_t)code < HYB_OMP_PLACES_OF) {
		hyb_sys_lock(&all.lock, &signals);
		code = place_of((uint32_t)(uintptr_t)code);
		hyb_sys_unlock(&all.lock, &signals);
	}
	/* Before the lock: the dynamic linker is asked. */
	object = code ? hyb_object_kind((uint64_t)(uintptr_t)code - 1) : 0;
	hyb_sys_lock(&all.lock, &signals);
	region = common_region(kind, code, object);
	hyb_sys_unlock(&all.lock, &signals);
	if (!make_room(&o->places, &o->mask, o->used))
		return region;
	place = find(o->places, o->mask, key);
	place->key = key;
	place->region = region;
	o->used++;
	return region;
}
