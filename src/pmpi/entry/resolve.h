/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lead-ins of stubs.S call, and what is done before. */
#ifndef HYB_PMPI_ENTRY_RESOLVE_H
#define HYB_PMPI_ENTRY_RESOLVE_H

/*
 * Where a call of that number (a function, or a flavour of Fortran's) that returns to `site` goes; found once, unless
 * that is another function than MPI's. Keeps errno. Thread-safe.
 */
void *hyb_mpi_resolve(unsigned int number, const void *site);
/* When the library is loaded: shows the stubs to tools that stand before us (front.c). */
void hyb_front_start(void);

#endif
