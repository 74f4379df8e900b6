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

#include "record/record.h"

#define HYB_ADAPTER_VERSION 3

/* Where each stub jumps: at first the resolver, then the adapter's wrapper or the MPI itself. */
extern void *hyb_mpi_entry[];
/* The next definition of each function after ours; set (release) before its entry leads to a wrapper. */
extern HYB_EXPORT void *hyb_mpi_next[];
/* In a wrapper it is set: the entry that led there was stored behind it. Others may store the same once more. */
#define HYB_NEXT(number) __atomic_load_n(&hyb_mpi_next[number], __ATOMIC_RELAXED)

/* What the table says of each function; generated into functions.c, part of libhybmon.so. */
struct hyb_function_info {
	const char *name;
	uint8_t role;		/* enum hyb_role */
	uint8_t coll;		/* enum hyb_coll */
	uint8_t group;		/* enum hyb_group, generated into functions.h */
	bool acts;		/* its wrapper has more to do than to record */
};
extern const struct hyb_function_info hyb_functions[];

/*
 * Fortran's flavours of them (mpif.h and `use mpi`; `use mpi_f08`) have numbers of their own above
 * HYB_MPI_FUNCTIONS, which is where this array begins. All symbols of a flavour are one stub.
 */
struct hyb_fortran_info {
	uint32_t function;
	const char *spellings;		/* each ends with a 0, the last with two */
};
extern const struct hyb_fortran_info hyb_fortran[];

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
};

/* When the library is loaded: shows the stubs to tools that stand before us, warns where they cannot be reached. */
void hyb_mpi_load(void);

#endif
