/* SPDX-License-Identifier: BSD-3-Clause */
/* What the lead-ins of stubs.S call. */
#ifndef HYB_PMPI_RESOLVE_H
#define HYB_PMPI_RESOLVE_H

/* Where a call of that number (a function, or a flavour of Fortran's) goes, found once; keeps errno. Thread-safe. */
void *hyb_mpi_resolve(unsigned int number);

#endif
