/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran's constants; see sentinel.h. They are common blocks or variables, of which several objects may have a
 * definition: MPI's libraries, the program, and each extension that an interpreter loads for itself alone
 * (RTLD_LOCAL), where dlsym does not find it. Which of them is MPI's was decided when the objects were bound. No other
 * thing has such a name, so an address is the constant's if it is that of any of the definitions.
 */
#include "pmpi/adapter/fortran/sentinel.h"

#include <mpi.h>

#include "core/sys/compiler.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "pmpi/entry/symbols.h"
#include "core/record/objects.h"

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
	uint32_t turn;		/* hyb_objects_turn in which it was seen last; its library may be gone since */
};

static struct {
	int lock;
	uint32_t looked;	/* hyb_objects_turn in which places were looked for, plus 1 */
	struct place *first[HYB_SENTINELS];
	uintptr_t lowest;	/* most buffers lie outside of the objects */
	uintptr_t highest;
} places = { .lowest = UINTPTR_MAX };

struct search {
	const char *name;
	void *found;		/* the first definition */
	bool all;		/* all are wanted, as places */
	int which;
	uint32_t turn;
};

/* Under the lock; others look meanwhile. */
static void add_place(const struct search *search, const void *address)
{
	struct place **link = &places.first[search->which];
	struct place *place;

	while (*link && (*link)->address != address)
		link = &(*link)->next;
	if (*link)
		__atomic_store_n(&(*link)->turn, search->turn, __ATOMIC_RELAXED);
	if (*link || !address)
		return;
	place = hyb_alloc(sizeof(*place));
	if (!place)
		return;
	place->address = address;
	place->turn = search->turn;
	if ((uintptr_t)address < places.lowest)
		__atomic_store_n(&places.lowest, (uintptr_t)address, __ATOMIC_RELAXED);
	if ((uintptr_t)address > places.highest)
		__atomic_store_n(&places.highest, (uintptr_t)address, __ATOMIC_RELAXED);
	/* Release: pairs with the loads in hyb_sentinel_is. */
	__atomic_store_n(link, place, __ATOMIC_RELEASE);
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;
	void *found = hyb_symbols_in(object, search->name);

	(void)size;
	if (!found)
		return 0;
	search->found = found;
	if (!search->all)
		return 1;
	add_place(search, sentinels[search->which].pointer ? *(const void *const *)search->found : search->found);
	return 0;
}

void *hyb_sentinel_symbol(const char *name)
{
	struct search search = { .name = name };
	uint64_t signals;

	/* A handler that left this by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&signals);
	/* Not dlsym, which would hold the library that has it for ever. */
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
 * At first use, for a program may come without MPI's Fortran library and only Fortran asks; and after libraries were
 * unloaded: others bring places of their own.
 */
static HYB_COLD void look_for_places(uint32_t turn)
{
	uint64_t signals;

	make_ready();
	hyb_sys_lock(&places.lock, &signals);
	/* Another thread may have looked since, in this turn or a later one. */
	for (int i = 0; i < HYB_SENTINELS && (int32_t)(turn + 1 - places.looked) > 0; i++) {
		struct search search = { .name = sentinels[i].symbol, .all = true, .which = i, .turn = turn };

		if (search.name)
			dl_iterate_phdr(visit_object, &search);
	}
	/* Release: who sees it sees the places. */
	if ((int32_t)(turn + 1 - places.looked) > 0)
		__atomic_store_n(&places.looked, turn + 1, __ATOMIC_RELEASE);
	hyb_sys_unlock(&places.lock, &signals);
}

bool hyb_sentinel_is(enum hyb_sentinel which, const void *address)
{
	const uint32_t turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE);

	/* Acquire: pairs with the release above. */
	if (hyb_unlikely((int32_t)(turn + 1 - __atomic_load_n(&places.looked, __ATOMIC_ACQUIRE)) > 0))
		look_for_places(turn);
	if ((uintptr_t)address < __atomic_load_n(&places.lowest, __ATOMIC_RELAXED) ||
	    (uintptr_t)address > __atomic_load_n(&places.highest, __ATOMIC_RELAXED))
		return false;
	for (const struct place *p = __atomic_load_n(&places.first[which], __ATOMIC_ACQUIRE); p;
	     p = __atomic_load_n(&p->next, __ATOMIC_ACQUIRE)) {
		if (p->address == address)
			return __atomic_load_n(&p->turn, __ATOMIC_RELAXED) >= turn;
	}
	return false;
}
