/* SPDX-License-Identifier: BSD-3-Clause */
/* What the table says of each function, for libhybmon.so; generated into functions.c. */
#ifndef HYB_PMPI_TABLE_FUNCTION_INFO_H
#define HYB_PMPI_TABLE_FUNCTION_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* By the function's number, enum hyb_function; 0 is no function. */
struct hyb_function_info {
	const char *name;
	uint8_t role;		/* enum hyb_role */
	uint8_t coll;		/* enum hyb_coll */
	uint8_t group;		/* enum hyb_group, generated into functions.h */
	bool acts;		/* its wrapper has more to do than to record */
	bool tells;		/* messages, operations or accesses are recorded with it */
};
extern const struct hyb_function_info hyb_functions[];

/*
 * Fortran's flavours of them (mpif.h and `use mpi`; `use mpi_f08`) have numbers of their own above HYB_MPI_FUNCTIONS,
 * which is where this array begins. All symbols of a flavour are one stub.
 */
struct hyb_fortran_info {
	uint32_t function;
	const char *spellings;	/* each ends with a 0, the last with two */
};
extern const struct hyb_fortran_info hyb_fortran[];

#endif
