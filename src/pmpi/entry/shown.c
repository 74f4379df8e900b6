/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of our stubs dlsym finds: none whose version is not the default one (stub.h says why they are not), unless that
 * mark is taken off in our own table of versions once it is in memory. Two find MPI's functions by dlsym and are to
 * find ours: programs that look them up in the global scope, as Julia's MPI.jl, Python's ctypes and other interfaces for
 * foreign functions do; and tools that stand before us and call on by dlsym(RTLD_NEXT, ...). The mark goes from the
 * functions that the MPI has itself, or such a tool, and no others: what a program sees that asks whether MPI has a
 * function is as it was. Nothing is shown while the MPI is somebody's alone (RTLD_LOCAL).
 */
#include "pmpi/entry/shown.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sys/sys.h"
#include "pmpi/entry/symbols.h"

#define HIDDEN 0x8000u	/* in the table of versions: not the default one */

static bool shown;

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

/* Takes the mark off one of our stubs. */
static void show(const struct stubs *s, const char *name)
{
	uint32_t place = hyb_symbols_find(&s->symbols, name);
	ElfW(Half) *version = &s->symbols.versions[place];

	if (place && *version & HIDDEN)
		__atomic_store_n(version, (ElfW(Half))(*version & ~HIDDEN), __ATOMIC_RELAXED);
}

/* Calls that for each function of MPI's, by its name, that an object defines. */
static void each_function(const struct hyb_symbols *s, void (*call)(const struct stubs *ours, const char *name),
			  const struct stubs *ours)
{
	for (uint32_t b = 0; b < s->bucket_count; b++) {
		for (uint32_t i = s->buckets[b]; i && i >= s->first; i++) {
			const char *name = s->names + s->table[i].st_name;

			if (!strncasecmp(name, "mpi", 3))
				call(ours, name);
			if (s->chain[i - s->first] & 1)
				break;
		}
	}
}

/* Of a tool before us: where there is something behind us that it can call. */
static void show_to_tool(const struct stubs *ours, const char *name)
{
	if (dlsym(RTLD_NEXT, name))
		show(ours, name);
}

/* The MPI's libraries that everybody sees: those that have one of these, as no other tool has. */
static const char *const firsts[] = { "PMPI_Init", "pmpi_init_", "pmpi_init_f08_" };

struct search {
	const struct stubs *ours;
	uintptr_t firsts[sizeof(firsts) / sizeof(firsts[0])];
};

/* The dynamic linker's list holds still meanwhile; dlsym is not to be called here, which could wait for ever. */
static int visit(struct dl_phdr_info *object, size_t size, void *data)
{
	const struct search *search = data;
	struct hyb_symbols s;
	bool has = false;

	(void)size;
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		has |= search->firsts[i] && hyb_symbols_object_has(object, search->firsts[i]);
	if (has && hyb_symbols_of_object(object, &s))
		each_function(&s, show, search->ours);
	return 0;
}

static bool find_ours(struct stubs *ours, struct link_map **own)
{
	static const char here;
	Dl_info info;

	if (!dladdr1(&here, &info, (void **)own, RTLD_DL_LINKMAP) || !*own ||
	    !hyb_symbols_of((*own)->l_addr, (*own)->l_ld, &ours->symbols) || !ours->symbols.versions)
		return false;
	ours->base = (*own)->l_addr;
	ours->version = (uintptr_t)ours->symbols.versions;
	return dl_iterate_phdr(find_segment, ours);
}

static void show_all(bool to_tools)
{
	struct stubs ours = { .segment = 0 };
	struct search search = { .ours = &ours };
	struct link_map *map = NULL;

	/* Most processes have no MPI, or not everybody in them sees it. */
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		search.firsts[i] = (uintptr_t)dlsym(RTLD_NEXT, firsts[i]);
	if (!search.firsts[0] || !find_ours(&ours, &map) || !allow(&ours, ours.access | PROT_WRITE))
		return;
	/* Objects are listed in the order in which symbols are looked for in them. */
	for (map = map->l_prev; to_tools && map; map = map->l_prev) {
		struct hyb_symbols s;

		if (hyb_symbols_of(map->l_addr, map->l_ld, &s))
			each_function(&s, show_to_tool, &ours);
	}
	dl_iterate_phdr(visit, &search);
	allow(&ours, ours.access);
	__atomic_store_n(&shown, true, __ATOMIC_RELAXED);
}

void hyb_shown_start(void)
{
	show_all(true);
}

void hyb_shown_late(void)
{
	static bool begun;

	if (!__atomic_load_n(&shown, __ATOMIC_RELAXED) && !__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED))
		show_all(false);
}
