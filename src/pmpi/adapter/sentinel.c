/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran's constants; see sentinel.h. They are common blocks or variables, of which several objects may have a
 * definition: MPI's libraries, the program, and each extension that an interpreter loads for itself alone
 * (RTLD_LOCAL), where dlsym does not find it. Which of them is MPI's was decided when the objects were bound. No other
 * thing has such a name, so an address is the constant's if it is that of any of the definitions.
 */
#include "pmpi/adapter/sentinel.h"

#include <dlfcn.h>
#include <mpi.h>

#include "base/memory.h"
#include "base/sys.h"
#include "pmpi/entry/symbols.h"

static const struct {
	const char *symbol;	/* NULL: this MPI has none, or C has its address */
	bool pointer;		/* the symbol holds the constant's address */
} sentinels[HYB_SENTINELS] = {
#ifdef OPEN_MPI
	[HYB_SENTINEL_IN_PLACE] = { .symbol = "mpi_fortran_in_place_" },
	[HYB_SENTINEL_BOTTOM] = { .symbol = "mpi_fortran_bottom_" },
	[HYB_SENTINEL_STATUS_IGNORE] = { .symbol = "mpi_fortran_status_ignore_" },
	[HYB_SENTINEL_STATUSES_IGNORE] = { .symbol = "mpi_fortran_statuses_ignore_" },
#else
	[HYB_SENTINEL_IN_PLACE] = { .symbol = "MPIR_F_MPI_IN_PLACE", .pointer = true },
	[HYB_SENTINEL_BOTTOM] = { .symbol = "MPIR_F_MPI_BOTTOM", .pointer = true },
	[HYB_SENTINEL_IN_PLACE_F08] = { .symbol = "MPIR_F08_MPI_IN_PLACE" },
	[HYB_SENTINEL_BOTTOM_F08] = { .symbol = "MPIR_F08_MPI_BOTTOM" },
	/* those of mpi_f08: in the C library of MPICH 4.0, in the Fortran library of 4.2 */
	[HYB_SENTINEL_STATUS_IGNORE] = { .symbol = "MPI_F08_STATUS_IGNORE", .pointer = true },
	[HYB_SENTINEL_STATUSES_IGNORE] = { .symbol = "MPI_F08_STATUSES_IGNORE", .pointer = true },
#endif
};

struct place {
	struct place *next;
	const void *address;
};

struct places {
	struct place *first[HYB_SENTINELS];
	uintptr_t lowest;	/* most buffers lie outside of the objects */
	uintptr_t highest;
};

struct search {
	const char *name;
	void *found;		/* the first definition */
	struct places *places;	/* where all are wanted */
	int which;
};

static void add_place(struct places *places, int which, const void *address)
{
	struct place **link = &places->first[which];
	struct place *place;

	while (*link && (*link)->address != address)
		link = &(*link)->next;
	if (*link || !address)
		return;
	place = hyb_alloc(sizeof(*place));
	if (!place)
		return;
	place->address = address;
	*link = place;
	if ((uintptr_t)address < places->lowest)
		places->lowest = (uintptr_t)address;
	if ((uintptr_t)address > places->highest)
		places->highest = (uintptr_t)address;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;
	void *found = hyb_symbols_in(object, search->name);

	(void)size;
	if (!found)
		return 0;
	search->found = found;
	if (!search->places)
		return 1;
	add_place(search->places, search->which, sentinels[search->which].pointer ?
		  *(const void *const *)search->found : search->found);
	return 0;
}

void *hyb_sentinel_symbol(const char *name)
{
	struct search search = { .name = name };
	uint64_t signals;

	/* A handler that left this by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&signals);
	search.found = dlsym(RTLD_DEFAULT, name);
	if (!search.found)
		dl_iterate_phdr(visit_object, &search);
	hyb_sys_restore_signals(&signals);
	return search.found;
}

/*
 * An MPI may find its places in a program's common blocks only at the first call from Fortran, which is then the
 * one that we are about to pass on, if MPI was started in C. So one more call comes before it.
 */
static void make_ready(void)
{
	void (*initialized)(MPI_Fint *, MPI_Fint *);
	MPI_Fint ierror;
	MPI_Fint flag;

	*(void **)&initialized = hyb_sentinel_symbol("pmpi_initialized_");
	if (initialized)
		initialized(&flag, &ierror);
}

/*
 * Looked up at first use, for a program may come without MPI's Fortran library; only Fortran asks. Threads
 * that do so at once find the same. NULL without memory.
 */
static const struct places *get_places(void)
{
	static struct places *known;
	struct places *places = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
	uint64_t signals;

	if (places)
		return places;
	make_ready();
	places = hyb_alloc(sizeof(*places));
	if (!places)
		return NULL;
	places->lowest = UINTPTR_MAX;
	hyb_sys_block_signals(&signals);
	for (int i = 0; i < HYB_SENTINELS; i++) {
		struct search search = { .name = sentinels[i].symbol, .places = places, .which = i };

		if (search.name)
			dl_iterate_phdr(visit_object, &search);
	}
	hyb_sys_restore_signals(&signals);
	/* Pairs with the acquire above. */
	__atomic_store_n(&known, places, __ATOMIC_RELEASE);
	return places;
}

bool hyb_sentinel_is(enum hyb_sentinel which, const void *address)
{
	const struct places *places = get_places();

	if (!places || (uintptr_t)address < places->lowest || (uintptr_t)address > places->highest)
		return false;
	for (const struct place *p = places->first[which]; p; p = p->next) {
		if (p->address == address)
			return true;
	}
	return false;
}
