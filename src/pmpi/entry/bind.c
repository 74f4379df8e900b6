/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See bind.h. An adapter's references are in its tables of relocations, each with the place that is to hold the address.
 */
#include "pmpi/entry/bind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "core/sys/sys.h"
#include "pmpi/entry/symbols.h"

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#define ADDRESS R_X86_64_64
#else
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#define ADDRESS R_AARCH64_ABS64
#endif

/* Open MPI's predefined handles are addresses of variables of its own. */
static bool is_mpi(const char *name)
{
	return !strncmp(name, "PMPI", 4) || !strncmp(name, "MPI", 3) || !strncmp(name, "ompi_", 5);
}

/*
 * The table may have been made read-only when all of it was thought to be known. It stays writable: another thread may
 * be here, too.
 */
static void store(uintptr_t *place, uintptr_t value)
{
	const uintptr_t size = getauxval(AT_PAGESZ);

	if (__atomic_load_n(place, __ATOMIC_RELAXED) != value &&
	    !HYB_SYS(mprotect, (uintptr_t)place & -size, size, PROT_READ | PROT_WRITE, 0, 0, 0))
		__atomic_store_n(place, value, __ATOMIC_RELAXED);
}

static bool is_address(unsigned int type)
{
	return type == JUMP_SLOT || type == GLOB_DAT || type == ADDRESS;
}

static void bind_table(ElfW(Addr) base, const struct hyb_symbols *s, const ElfW(Rela) *r, size_t size, void *mpi)
{
	for (const ElfW(Rela) *end = r + size / sizeof(*r); r < end; r++) {
		const ElfW(Sym) *symbol = &s->table[ELF64_R_SYM(r->r_info)];
		const unsigned int type = ELF64_R_TYPE(r->r_info);
		const uintptr_t added = type == ADDRESS ? (uintptr_t)r->r_addend : 0;
		uintptr_t *place = (uintptr_t *)(base + r->r_offset);
		const char *name = s->names + symbol->st_name;
		void *found;

		if (!is_address(type) || symbol->st_shndx != SHN_UNDEF || !is_mpi(name))
			continue;
		/* A variable that all see may have been copied into the program, where the MPI has it then, too. */
		if (type != JUMP_SLOT && __atomic_load_n(place, __ATOMIC_RELAXED) != added)
			continue;
		/* As the dynamic linker has it, which would hold that for ever; else in an MPI that is not seen. */
		found = dlsym(RTLD_NEXT, name);
		if (!found)
			found = dlsym(mpi, name);
		if (found)
			store(place, (uintptr_t)found + added);
	}
}

void hyb_mpi_bind(const void *inside, void *mpi)
{
	const ElfW(Rela) *jumps = NULL, *others = NULL;
	size_t jumps_size = 0, others_size = 0;
	struct link_map *map = NULL;
	struct hyb_symbols s;
	Dl_info info;

	if (!dladdr1(inside, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
	    !hyb_symbols_of(map->l_addr, map->l_ld, &s))
		return;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_JMPREL)
			jumps = hyb_symbols_address(map->l_addr, d->d_un.d_ptr);
		else if (d->d_tag == DT_PLTRELSZ)
			jumps_size = d->d_un.d_val;
		else if (d->d_tag == DT_RELA)
			others = hyb_symbols_address(map->l_addr, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			others_size = d->d_un.d_val;
	}
	if (jumps)
		bind_table(map->l_addr, &s, jumps, jumps_size, mpi);
	if (others)
		bind_table(map->l_addr, &s, others, others_size, mpi);
}
