/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of the process; see objects.h. */
#include "core/record/objects.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/sys/intern.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/record/definitions.h"
#include "core/record/record.h"
#include "core/record/thread.h"

#define PAGE 4096

struct object {
	struct object *next;
	uint32_t turn;		/* up to which it is known to be there */
	uint64_t base;
	uint64_t begin;		/* of what is mapped of it */
	uint64_t end;
	uint32_t id;
	uint32_t kind;		/* id of the first that was the same one: it may be unloaded and loaded again */
	uint64_t build;		/* of the build id's bytes; 0: it has none */
	uint64_t since;		/* raw counter: the last time before that a library was unloaded */
	char *path;
	struct hyb_unwind_tables tables;
};

static struct object *objects;	/* those defined, the newest first; none is taken off */
static uint32_t last_object;
static int objects_lock;
uint32_t hyb_objects_turn;	/* how often libraries were unloaded */
static uint64_t turn_time;	/* raw counter: the last time; 0: never */

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

/* Its unwind tables, with the segment that they lie in. */
static void find_tables(const struct dl_phdr_info *info, struct hyb_unwind_tables *tables)
{
	uint64_t header = 0, from;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			header = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	}
	for (int i = 0; header && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		from = info->dlpi_addr + segment->p_vaddr;
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R) || header - from >= segment->p_memsz)
			continue;
		tables->begin = (const unsigned char *)(uintptr_t)from;
		tables->end = tables->begin + segment->p_memsz;
		tables->header = (const unsigned char *)(uintptr_t)header;
		return;
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
	find_tables(info, &search->found.tables);
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

/*
 * The object that was found, which is defined if it is new, or had been unloaded and another one was there meanwhile; 0
 * without memory. Under the lock. now_turn: the turn in which it was found.
 */
static uint32_t number_of(const struct search *search, const char *path, uint32_t now_turn)
{
	/* A library may be built anew and loaded again. */
	const uint64_t build = search->build_length ? hyb_intern_hash(0, search->build, search->build_length) : 0;
	struct hyb_def_extent extent;
	struct object *o = objects;

	while (o && (search->found.begin >= o->end || o->begin >= search->found.end))
		o = o->next;
	if (o && o->base == search->found.base && o->begin == search->found.begin && o->end == search->found.end &&
	    o->build == build && !strcmp(o->path, path)) {
		__atomic_store_n(&o->turn, now_turn, __ATOMIC_RELAXED);
		return o->id;
	}
	o = hyb_alloc(sizeof(*o) + strlen(path) + 1);
	if (!o)
		return 0;
	*o = search->found;
	o->path = strcpy((char *)(o + 1), path);
	o->id = ++last_object;
	o->build = build;
	o->kind = o->id;
	for (const struct object *same = objects; same; same = same->next) {
		if (same->base == o->base && same->end == o->end && same->build == build && !strcmp(same->path, path))
			o->kind = same->kind;
	}
	o->turn = now_turn;
	o->since = turn_time;
	o->next = objects;
	extent = (struct hyb_def_extent){ .begin = o->begin, .end = o->end, .since = o->since };
	hyb_def_object(o->id, o->base, path, search->build, search->build_length, &extent);
	/* Release: pairs with find_known. */
	__atomic_store_n(&objects, o, __ATOMIC_RELEASE);
	return o->id;
}

/* Not in the list alone: another library may have taken the addresses of one that was closed. */
static uint32_t find_object(uint64_t address)
{
	struct search search = { .address = address };
	uint32_t now_turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE);
	char path[PATH_MAX];
	uint64_t signals;
	uint32_t id;

	if (!dl_iterate_phdr(visit_object, &search))
		return 0;
	whole_path(path, sizeof(path), search.path);
	hyb_sys_lock(&objects_lock, &signals);
	id = number_of(&search, path, now_turn);
	hyb_sys_unlock(&objects_lock, &signals);
	return id;
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

uint32_t hyb_object_of(uint64_t address)
{
	struct question question = { .address = address };
	int saved = errno;

	hyb_stack_run(answer, &question);
	errno = saved;
	return question.object;
}

/* NULL: there is none, or it may have been unloaded since. */
static const struct object *find_known(uint64_t address)
{
	const struct object *o = __atomic_load_n(&objects, __ATOMIC_ACQUIRE);

	while (o && (address < o->begin || address >= o->end))
		o = o->next;
	return o && __atomic_load_n(&o->turn, __ATOMIC_RELAXED) == __atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED) ? o : NULL;
}

uint32_t hyb_object_tables(uint64_t address, struct hyb_unwind_tables *tables)
{
	const struct object *o = find_known(address);

	if (!o && hyb_object_of(address))
		o = find_known(address);
	if (!o)
		return 0;
	*tables = o->tables;
	return o->id;
}

uint32_t hyb_object_now(uint64_t address)
{
	const struct object *o = find_known(address);

	return o ? o->id : hyb_object_of(address);
}

uint32_t hyb_object_kind(uint64_t address)
{
	const struct object *o = find_known(address);

	if (!o && hyb_object_of(address))
		o = find_known(address);
	return o ? o->kind : 0;
}

uint32_t hyb_object_at(uint64_t address, uint64_t time)
{
	const struct object *found = NULL, *first = NULL;

	if (!__atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED))
		return 0;
	for (const struct object *o = __atomic_load_n(&objects, __ATOMIC_ACQUIRE); o; o = o->next) {
		if (address < o->begin || address >= o->end)
			continue;
		first = o;
		if (!found && o->since <= time)
			found = o;
	}
	return found && found->kind != first->kind ? found->kind : 0;
}

const char *hyb_object_path(uint64_t address)
{
	const struct object *o = hyb_object_of(address) ? find_known(address) : NULL;

	return o ? o->path : NULL;
}

void hyb_site_new(uint64_t site)
{
	const struct object *o = find_known(site);
	struct hyb_sites *s = hyb_self.sites;

	if (!o && hyb_object_of(site))
		o = find_known(site);
	/* Code that was made while the program runs lies in none; nor is each call from it to come here. */
	__atomic_store_n(&s->begin, o ? o->begin : site / PAGE * PAGE, __ATOMIC_RELAXED);
	__atomic_store_n(&s->size, o ? o->end - o->begin : PAGE, __ATOMIC_RELAXED);
}

void hyb_objects_unloaded(void)
{
	uint64_t signals;

	hyb_sys_lock(&objects_lock, &signals);
	turn_time = hyb_counter();
	/* Release: pairs with find_object. */
	__atomic_store_n(&hyb_objects_turn, hyb_objects_turn + 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(&hyb_folding_turns, 1, __ATOMIC_RELAXED);
	hyb_sys_unlock(&objects_lock, &signals);
	hyb_threads_forget_sites();
}
