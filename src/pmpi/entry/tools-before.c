/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tools that stand before us. Such a tool defines MPI's functions and calls on by PMPI, which goes past us, or by
 * dlsym(RTLD_NEXT, ...), which is to come to us. But dlsym finds no stub whose version is not the default one
 * (stub.h says why they are not), so for the functions that objects before us define, and no others, the mark in our
 * own table of versions is taken off once it is in memory. What a program sees that asks whether MPI has a function is
 * as it was.
 */
#include "pmpi/entry/tools-before.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sys.h"
#include "pmpi/entry/symbols.h"

#define HIDDEN 0x8000u	/* in the table of versions: not the default one */

/* Ourselves, as far as we are to be changed. */
struct stubs {
	struct hyb_symbols symbols;
	ElfW(Addr) base;
	uintptr_t version;	/* where the table of versions is */
	uintptr_t segment;	/* the segment it lies in, and how that may be used */
	size_t size;
	int access;
};

static int find_segment(struct dl_phdr_info *object, size_t size, void *data)
{
	struct stubs *s = data;

	(void)size;
	if (object->dlpi_addr != s->base)
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];

		if (h->p_type != PT_LOAD || s->version - s->base - h->p_vaddr >= h->p_memsz)
			continue;
		s->segment = s->base + h->p_vaddr;
		s->size = h->p_memsz;
		s->access = (h->p_flags & PF_R ? PROT_READ : 0) | (h->p_flags & PF_W ? PROT_WRITE : 0) |
			    (h->p_flags & PF_X ? PROT_EXEC : 0);
		return 1;
	}
	return 0;
}

static bool allow(const struct stubs *s, int access)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = s->segment & ~(page - 1);

	return !HYB_SYS(mprotect, begin, s->segment + s->size - begin, access, 0, 0, 0);
}

/* Takes the mark off one of our stubs, where there is something after us that it can call. */
static void unhide(const struct stubs *s, const char *name)
{
	uint32_t place = hyb_symbols_find(&s->symbols, name);
	ElfW(Half) *version = &s->symbols.versions[place];

	if (!place || !(*version & HIDDEN) || !dlsym(RTLD_NEXT, name))
		return;
	if (!allow(s, s->access | PROT_WRITE))
		return;
	__atomic_store_n(version, (ElfW(Half))(*version & ~HIDDEN), __ATOMIC_RELAXED);
	allow(s, s->access);
}

static void visit(const struct stubs *ours, const struct link_map *object)
{
	struct hyb_symbols s;

	if (!hyb_symbols_of(object->l_addr, object->l_ld, &s))
		return;
	for (uint32_t b = 0; b < s.bucket_count; b++) {
		for (uint32_t i = s.buckets[b]; i && i >= s.first; i++) {
			const char *name = s.names + s.table[i].st_name;

			if (!strncasecmp(name, "mpi", 3))
				unhide(ours, name);
			if (s.chain[i - s.first] & 1)
				break;
		}
	}
}

/* Objects are listed in the order in which symbols are looked for in them. */
void hyb_tools_before_start(void)
{
	static const char here;
	struct stubs ours = { .segment = 0 };
	struct link_map *map = NULL;
	Dl_info info;

	/* Most processes have no MPI. */
	if (!dlsym(RTLD_NEXT, "MPI_Init") || !dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
	    !hyb_symbols_of(map->l_addr, map->l_ld, &ours.symbols) || !ours.symbols.versions)
		return;
	ours.base = map->l_addr;
	ours.version = (uintptr_t)ours.symbols.versions;
	if (!dl_iterate_phdr(find_segment, &ours))
		return;
	for (map = map->l_prev; map; map = map->l_prev)
		visit(&ours, map);
}
