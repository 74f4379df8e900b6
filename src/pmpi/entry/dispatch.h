/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the stubs in libhybmon.so and the adapter for the MPI in use. Function numbers come from the
 * order of src/pmpi/table/mpi.tbl (generated functions.h: enum hyb_function, HYB_MPI_FUNCTIONS = last + 1); 0 is no
 * function. A function's number is also its region id. Numbers above are Fortran's, see below.
 */
#ifndef HYB_PMPI_ENTRY_DISPATCH_H
#define HYB_PMPI_ENTRY_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/record/record.h"

#define HYB_ADAPTER_VERSION 7

/* Where each stub jumps: at first the resolver, then the adapter's wrapper or the MPI itself. */
extern void *hyb_mpi_entry[];
/* Where each jumps at first, as the distance from there; 0: a number that is no function's. */
extern const int32_t hyb_mpi_first[];
/* The next definition of each function after ours; set (release) before its entry leads to a wrapper. */
extern HYB_EXPORT void *hyb_mpi_next[];
/* In a wrapper it is set: the entry that led there was stored after it. Others may store the same once more. */
#define HYB_NEXT(number) __atomic_load_n(&hyb_mpi_next[number], __ATOMIC_RELAXED)
/*
 * What comes after the adapter's function for the order of a run, where there is one and the order is recorded or
 * replayed; set before that function is called.
 */
extern HYB_EXPORT void *hyb_mpi_beneath[];
#define HYB_BENEATH(number) __atomic_load_n(&hyb_mpi_beneath[number], __ATOMIC_RELAXED)

/* What comes after the adapter's function that takes turns; the same. */
extern HYB_EXPORT void *hyb_mpi_after_turns[];

/* What comes after the adapter's function that looks at which call is made; the same. */
extern HYB_EXPORT void *hyb_mpi_after_calls[];

/* Whether any of these functions was called and there was one to go to. */
extern bool hyb_mpi_called;

/*
 * Called by the trampoline of stubs.S: where a call of that number (a function, or a flavour of Fortran's) that returns
 * to `site` goes. Found once, unless that is another function than MPI's. Keeps errno. Thread-safe.
 */
void *hyb_mpi_resolve(unsigned int number, const void *site);

/*
 * An adapter exports this as `hyb_adapter`. wrappers[f] is NULL where the MPI it was built for does not
 * declare function f.
 */
struct hyb_adapter {
	uint32_t version;		/* HYB_ADAPTER_VERSION */
	uint32_t functions;		/* HYB_MPI_FUNCTIONS it was built with */
	const char *abi;		/* "openmpi", "mpich" */
	void *const *wrappers;
	uint32_t entries;		/* HYB_MPI_ENTRIES it was built with */
	void *const *fortran;		/* as wrappers, of Fortran's flavours, from HYB_MPI_FUNCTIONS on */
	void *const *calls;		/* of all entries: what looks at which call is made, or NULL */
	void *const *order;		/* of all entries: what stands between wrapper and MPI for the order of a run, or NULL */
	void *const *turns;		/* the same where several threads may call MPI at once, after `order`, or NULL */
};

/* The last use of MPI is over (MPI_Finalize, or the last session's end), so that it may be unloaded; one begins. */
HYB_EXPORT void hyb_mpi_let_go(void);
HYB_EXPORT void hyb_mpi_take(void);

/* When the library is loaded: shows the stubs to tools that stand before us, warns where they cannot be reached. */
void hyb_mpi_load(void);

#endif
