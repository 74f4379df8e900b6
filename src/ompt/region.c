/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of OpenMP's constructs: one for each kind and place in the program, defined when the first thread comes by.
 * Where the place is in source is found out from its address when the trace is merged; that takes the object it lies
 * in, which is defined with it: a library may be loaded at any time, and be gone at the end.
 */
#include "ompt/event.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "base/memory.h"
#include "base/stack.h"
#include "base/sys.h"
#include "record/definitions.h"

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

struct object {
	struct object *next;
	uint64_t base;
	uint64_t begin;		/* of what is mapped of it */
	uint64_t end;
	uint32_t id;
	char *path;
};

/* Of all threads; held while one of them sees a place for the first time. */
static struct {
	int lock;
	struct hyb_omp_place *places;
	uint32_t mask;
	uint32_t used;
	uint32_t last_region;
	uint32_t last_object;
	struct object *objects;
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

struct search {
	uint64_t address;
	struct object found;
	const char *path;
	unsigned char build[64];
	uint32_t build_length;
};

/* The build id among an object's notes, which lie in its memory. */
static void take_build_id(struct search *search, const char *notes, size_t size)
{
	size_t at = 0;

	while (size - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = (note->n_namesz + 3u) & ~3u;
		size_t description = (note->n_descsz + 3u) & ~3u;

		at += sizeof(*note);
		if (name > size - at || description > size - at - name)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(notes + at, "GNU", 4) && note->n_descsz <= sizeof(search->build)) {
			memcpy(search->build, notes + at + name, note->n_descsz);
			search->build_length = note->n_descsz;
			return;
		}
		at += name + description;
	}
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	uint64_t begin = UINT64_MAX;
	uint64_t end = 0;
	bool inside = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		inside |= search->address >= from && search->address < from + segment->p_memsz;
		begin = from < begin ? from : begin;
		end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
	}
	if (!inside)
		return 0;
	search->found = (struct object){ .base = info->dlpi_addr, .begin = begin, .end = end };
	search->path = info->dlpi_name ? info->dlpi_name : "";
	for (int i = 0; i < info->dlpi_phnum && !search->build_length; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE)
			take_build_id(search, (const char *)(info->dlpi_addr + segment->p_vaddr),
				      segment->p_memsz);
	}
	return 1;
}

/* Programs change their directory, so a path that begins at it must not stay so. */
static void whole_path(char *buf, size_t size, const char *name)
{
	char dir[PATH_MAX];
	size_t n = 0;

	buf[0] = 0;
	if (!*name) {
		if (hyb_sys_readlink("/proc/self/exe", buf, size) < 0)
			buf[0] = 0;
		return;
	}
	if (*name != '/' && HYB_SYS(getcwd, dir, sizeof(dir), 0, 0, 0, 0) > 0 && dir[0] == '/') {
		n = strlen(dir);
		if (n + 1 >= size)
			return;
		memcpy(buf, dir, n);
		buf[n++] = '/';
	}
	if (n + strlen(name) < size)
		memcpy(buf + n, name, strlen(name) + 1);
}

/* The object that an address lies in, 0: none that is known. It is defined when it is new. */
static uint32_t find_object(uint64_t address)
{
	struct search search = { .address = address };
	char path[PATH_MAX];
	struct object *o;

	/* Not in the list alone: another library may have taken the addresses of one that was closed. */
	if (!dl_iterate_phdr(visit_object, &search))
		return 0;
	whole_path(path, sizeof(path), search.path);
	for (o = all.objects; o; o = o->next) {
		if (o->base == search.found.base && o->begin == search.found.begin &&
		    o->end == search.found.end && !strcmp(o->path, path))
			return o->id;
	}
	o = hyb_alloc(sizeof(*o) + strlen(path) + 1);
	if (!o)
		return 0;
	*o = search.found;
	o->path = strcpy((char *)(o + 1), path);
	o->id = ++all.last_object;
	o->next = all.objects;
	all.objects = o;
	hyb_def_object(o->id, o->base, path, search.build, search.build_length);
	return o->id;
}

struct question {
	uint64_t address;
	uint32_t object;
};

static void answer(void *question)
{
	struct question *q = question;

	q->object = find_object(q->address);
}

static uint32_t object_of(uint64_t address)
{
	struct question question = { .address = address };

	hyb_stack_run(answer, &question);
	return question.object;
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
	hyb_def_place(region, (uint64_t)(uintptr_t)code, object_of((uint64_t)(uintptr_t)code - 1));
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
