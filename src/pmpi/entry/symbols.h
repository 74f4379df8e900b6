/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic symbols that a loaded object defines, by its DT_GNU_HASH, without the dynamic linker's rules of scope. */
#ifndef HYB_PMPI_ENTRY_SYMBOLS_H
#define HYB_PMPI_ENTRY_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct hyb_symbols {
	const ElfW(Sym) *table;
	const char *names;
	ElfW(Half) *versions;	/* NULL: it has none */
	const uint32_t *buckets;
	const uint32_t *chain;	/* of symbol i: chain[i - first] */
	uint32_t bucket_count;
	uint32_t first;
};

/* Some dynamic linkers write addresses into the dynamic section, some leave there what the file has. */
static inline const void *hyb_symbols_address(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? value + base : value);
}

/* base: where the object is loaded; dynamic: its dynamic section, which may be NULL. */
static inline bool hyb_symbols_of(ElfW(Addr) base, const ElfW(Dyn) *dynamic, struct hyb_symbols *s)
{
	const uint32_t *hash = NULL;

	memset(s, 0, sizeof(*s));
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
		const void *at = hyb_symbols_address(base, d->d_un.d_ptr);

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
static inline uint32_t hyb_symbols_find(const struct hyb_symbols *s, const char *name)
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

static inline bool hyb_symbols_of_object(const struct dl_phdr_info *object, struct hyb_symbols *s)
{
	const ElfW(Dyn) *dynamic = NULL;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	}
	return hyb_symbols_of(object->dlpi_addr, dynamic, s);
}

/* Whether that address lies in one of a loaded object's segments. */
static inline bool hyb_symbols_object_has(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && address - object->dlpi_addr - h->p_vaddr < h->p_memsz)
			return true;
	}
	return false;
}

/* Where a loaded object defines that name itself, or NULL. */
static inline void *hyb_symbols_in(const struct dl_phdr_info *object, const char *name)
{
	struct hyb_symbols s;
	uint32_t at = hyb_symbols_of_object(object, &s) ? hyb_symbols_find(&s, name) : 0;

	return at && s.table[at].st_shndx != SHN_UNDEF ? (void *)(object->dlpi_addr + s.table[at].st_value) : NULL;
}

/* Whether it has that name from another one. The hash table has what is defined only, which stands last. */
static inline bool hyb_symbols_wanted(const struct dl_phdr_info *object, const char *name)
{
	struct hyb_symbols s;

	if (!hyb_symbols_of_object(object, &s))
		return false;
	for (uint32_t i = 1; i < s.first; i++) {
		if (!strcmp(s.names + s.table[i].st_name, name))
			return true;
	}
	return false;
}

#endif
