/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbols of functions; see symbol.h. Only a filter that names functions asks for them, once for each function: so an
 * object's symbol table is mapped and read when the first function in it is met, and kept as a hash table by address.
 */
#include "core/user/symbol.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/record/objects.h"

struct place {
	uint64_t address;	/* 0: free */
	const char *name;
};

struct object {
	struct object *next;
	uint32_t kind;		/* hyb_object_kind: a library that is loaded where another was has another one */
	uint64_t base;
	uint64_t mask;
	struct place *places;	/* NULL: it has no symbols */
};

static struct object *objects;

struct search {
	uint64_t address;
	uint64_t base;
	char path[PATH_MAX];
};

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	bool has = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		has |= h->p_type == PT_LOAD && s->address - info->dlpi_addr - h->p_vaddr < h->p_memsz;
	}
	if (!has)
		return 0;
	s->base = info->dlpi_addr;
	/* The program itself has no name here. */
	hyb_text_format(s->path, sizeof(s->path), "%s",
			info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
	return 1;
}

static void add(struct object *o, uint64_t address, const char *name)
{
	uint64_t i = address * UINT64_C(0x9e3779b97f4a7c15) >> 20;

	while (o->places[i & o->mask].address)
		i++;
	o->places[i & o->mask] = (struct place){ .address = address, .name = name };
}

/* A table of symbols, as the file has it: nothing in it is believed before it was looked at. */
static void take_symbols(struct object *o, const char *file, uint64_t size, const Elf64_Shdr *table,
			 const Elf64_Shdr *names)
{
	const Elf64_Sym *symbols = (const Elf64_Sym *)(file + table->sh_offset);
	uint64_t count = table->sh_size / sizeof(*symbols), room = 64;

	if (table->sh_offset > size || table->sh_size > size - table->sh_offset || names->sh_offset > size ||
	    names->sh_size > size - names->sh_offset || !names->sh_size || table->sh_offset % 8 ||
	    file[names->sh_offset + names->sh_size - 1])
		return;
	while (room < 2 * count)
		room *= 2;
	o->places = hyb_sys_map_anonymous(room * sizeof(*o->places), 0);
	if (!o->places)
		return;
	o->mask = room - 1;
	for (uint64_t i = 0; i < count; i++) {
		const Elf64_Sym *s = &symbols[i];

		if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_value && s->st_name < names->sh_size)
			add(o, o->base + s->st_value, file + names->sh_offset + s->st_name);
	}
}

/* The whole table of symbols, or of a stripped file those that others see. */
static void read_symbols(struct object *o, const char *file, uint64_t size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections, *found = NULL;

	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(*sections) ||
	    header->e_shoff > size || header->e_shoff % 8 ||
	    (uint64_t)header->e_shnum * sizeof(*sections) > size - header->e_shoff)
		return;
	sections = (const Elf64_Shdr *)(file + header->e_shoff);
	for (unsigned int i = 0; i < header->e_shnum; i++) {
		if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found))
			found = &sections[i];
	}
	if (found && found->sh_link < header->e_shnum)
		take_symbols(o, file, size, found, &sections[found->sh_link]);
}

/* Stays mapped: names are in it. */
static void open_object(struct object *o, const char *path)
{
	long fd = hyb_sys_open(path, O_RDONLY, 0), at;
	struct stat st;

	if (fd < 0)
		return;
	if (!HYB_SYS(fstat, fd, &st, 0, 0, 0, 0) && S_ISREG(st.st_mode) && st.st_size > 0) {
		at = HYB_SYS(mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at > 0 || at < -4095)
			read_symbols(o, (const char *)at, (uint64_t)st.st_size);
	}
	hyb_sys_close(fd);
}

static struct object *find_object(uint64_t address)
{
	struct search search = { .address = address };
	const uint32_t kind = hyb_object_kind(address);
	struct object *o = objects;

	while (o && o->kind != kind)
		o = o->next;
	if (o || !kind || !dl_iterate_phdr(visit, &search))
		return o;
	o = hyb_alloc(sizeof(*o));
	if (!o)
		return NULL;
	*o = (struct object){ .kind = kind, .base = search.base, .next = objects };
	open_object(o, search.path);
	objects = o;
	return o;
}

void hyb_user_symbols(uint64_t address, const char **names, size_t room)
{
	const struct object *o = find_object(address);
	size_t n = 0;

	if (!o || !o->places)
		return;
	for (uint64_t i = address * UINT64_C(0x9e3779b97f4a7c15) >> 20; n < room; i++) {
		const struct place *place = &o->places[i & o->mask];

		if (!place->address)
			return;
		if (place->address == address)
			names[n++] = place->name;
	}
}
