/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that are known, and how the one at an address is found in memory; see object-list.h. */
#include "core/record/object-list.h"

#include <elf.h>
#include <link.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "core/sys/sys.h"

struct hyb_object *hyb_objects;
uint32_t hyb_objects_turn;	/* how often libraries were unloaded */

/* The build id among an object's notes, which lie in its memory. */
static void take_build_id(struct hyb_object_search *search, const char *notes, size_t size)
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
	struct hyb_object_search *search = data;
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
	search->found = (struct hyb_object){ .base = info->dlpi_addr, .begin = begin, .end = end };
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

bool hyb_object_search(struct hyb_object_search *search, char *path, size_t size)
{
	if (!dl_iterate_phdr(visit_object, search))
		return false;
	whole_path(path, size, search->path);
	return true;
}

const struct hyb_object *hyb_object_known(uint64_t address)
{
	const struct hyb_object *o = __atomic_load_n(&hyb_objects, __ATOMIC_ACQUIRE);

	while (o && (address < o->begin || address >= o->end))
		o = o->next;
	return o && __atomic_load_n(&o->turn, __ATOMIC_RELAXED) == __atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED) ? o : NULL;
}

uint32_t hyb_object_at(uint64_t address, uint64_t time)
{
	const struct hyb_object *found = NULL, *first = NULL;

	if (!__atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED))
		return 0;
	for (const struct hyb_object *o = __atomic_load_n(&hyb_objects, __ATOMIC_ACQUIRE); o; o = o->next) {
		if (address < o->begin || address >= o->end)
			continue;
		first = o;
		if (!found && o->since <= time)
			found = o;
	}
	return found && found->kind != first->kind ? found->kind : 0;
}
