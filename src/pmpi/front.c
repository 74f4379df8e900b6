/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tools that stand before us. Such a tool defines MPI's functions and calls on by PMPI, which goes past us, or by
 * dlsym(RTLD_NEXT, ...), which is to come to us. But dlsym finds no stub whose version is not the default one
 * (stub.h says why they are not), so for the functions that objects before us define, and no others, the mark in our
 * own table of versions is taken off once it is in memory. What a program sees that asks whether MPI has a function is
 * as it was.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/record.h"
#include "core/sys.h"

#define HIDDEN 0x8000u	/* in the table of versions: not the default one */

/* The dynamic symbols that an object defines, by its DT_GNU_HASH. */
struct symbols {
	const ElfW(Sym) *table;
	const char *names;
	ElfW(Half) *versions;	/* NULL: it has none */
	const uint32_t *buckets;
	const uint32_t *chain;	/* of symbol i: chain[i - first] */
	uint32_t bucket_count;
	uint32_t first;
};

/* Some dynamic linkers write addresses into the dynamic section, some leave there what the file has. */
static const void *address_in(const struct link_map *object, ElfW(Addr) value)
{
	return (const void *)(value < object->l_addr ? value + object->l_addr : value);
}

static bool find_symbols(const struct link_map *object, struct symbols *s)
{
	const uint32_t *hash = NULL;

	memset(s, 0, sizeof(*s));
	for (const ElfW(Dyn) *d = object->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = address_in(object, d->d_un.d_ptr);

		if (d->d_tag == DT_GNU_HASH)
			hash = at;
		else if (d->d_tag == DT_SYMTAB)
			s->table = at;
		else if (d->d_tag == DT_STRTAB)
			s->names = at;
		else if (d->d_tag == DT_VERSYM)
			s->versions = (ElfW(Half) *)(uintptr_t)at;
	}
	if (!hash || !s->table || !s->names)
		return false;
	/* buckets, first symbol, words of the Bloom filter, its shift; the filter; the buckets; the chains */
	s->bucket_count = hash[0];
	s->first = hash[1];
	s->buckets = (const uint32_t *)((const ElfW(Addr) *)(hash + 4) + hash[2]);
	s->chain = s->buckets + s->bucket_count;
	return true;
}

/* The place of a defined symbol, or 0. */
static uint32_t find_symbol(const struct symbols *s, const char *name)
{
	uint32_t hash = 5381;
	uint32_t i;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	i = s->bucket_count ? s->buckets[hash % s->bucket_count] : 0;
	if (i < s->first)
		return 0;
	for (;; i++) {
		uint32_t link = s->chain[i - s->first];

		if ((link | 1) == (hash | 1) && !strcmp(s->names + s->table[i].st_name, name))
			return i;
		if (link & 1)
			return 0;
	}
}

/* Ourselves, as far as we are to be changed. */
struct stubs {
	struct symbols symbols;
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

/* Takes the mark off one of our stubs, where there is something behind us that it can call. */
static void unhide(const struct stubs *s, const char *name)
{
	uint32_t place = find_symbol(&s->symbols, name);
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
	struct symbols s;

	if (!find_symbols(object, &s))
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
__attribute__((constructor)) static void show_to_tools(void)
{
	static const char here;
	struct stubs ours = { .segment = 0 };
	struct link_map *map = NULL;
	Dl_info info;

	/* Most processes have no MPI. */
	if (!dlsym(RTLD_NEXT, "MPI_Init") || !dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
	    !find_symbols(map, &ours.symbols) || !ours.symbols.versions)
		return;
	ours.base = map->l_addr;
	ours.version = (uintptr_t)ours.symbols.versions;
	if (!dl_iterate_phdr(find_segment, &ours))
		return;
	for (map = map->l_prev; map; map = map->l_prev)
		visit(&ours, map);
}
