/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of OpenMP's constructs: one for each kind and place in the program, defined when the first thread comes by.
 * Where the place is in source is found out from its address when the trace is merged; that takes the object it lies
 * in, which is defined with it: a library may be loaded at any time, and be gone at the end.
 */
#include "ompt/event.h"

#include "base/memory.h"
#include "base/sys.h"
#include "record/definitions.h"
#include "record/objects.h"

#define PLACES_FIRST	256
#define REGION_LAST	0xffffu

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
	uint32_t last_region;
	bool defined[HYB_OMP_KINDS];	/* the region of a kind without a place */
} all = { .last_region = HYB_REGION_DYNAMIC };

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

static uint32_t new_region(enum hyb_omp_kind kind, const void *code)
{
	uint32_t region;

	if (!code || all.last_region >= REGION_LAST - HYB_OMP_KINDS)
		return plain_region(kind);
	region = all.last_region++;
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
			return (const void *)(uintptr_t)(all.places[i].key & ((UINT64_C(1) << HYB_OMP_KIND_SHIFT) - 1));
	}
	return NULL;
}

/* The same for all threads. */
static uint32_t common_region(enum hyb_omp_kind kind, const void *code)
{
	uint64_t key = HYB_OMP_KEY(kind, code);
	struct hyb_omp_place *place;

	if (!make_room(&all.places, &all.mask, all.used))
		return plain_region(kind);
	place = find(all.places, all.mask, key);
	if (!place->key) {
		place->region = new_region(kind, code);
		place->key = key;
		all.used++;
	}
	return place->region;
}

uint32_t hyb_omp_new_region(struct hyb_omp_thread *o, enum hyb_omp_kind kind, const void *code)
{
	uint64_t key = HYB_OMP_KEY(kind, code);
	struct hyb_omp_place *place;
	uint64_t signals;
	uint32_t region;

	/* In a child made by fork a thread that is not there may hold the lock; nothing is recorded any more. */
	if (!hyb_process_is_recording())
		return REGION_LAST - kind;
	hyb_self.unguarded = true;
	hyb_sys_lock(&all.lock, &signals);
	if (code && (uint64_t)(uintptr_t)code < HYB_OMP_PLACES_OF)
		code = place_of((uint32_t)(uintptr_t)code);
	region = common_region(kind, code);
	hyb_sys_unlock(&all.lock, &signals);
	if (!make_room(&o->places, &o->mask, o->used))
		return region;
	place = find(o->places, o->mask, key);
	place->key = key;
	place->region = region;
	o->used++;
	return region;
}
