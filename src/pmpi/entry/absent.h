/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI functions in a process that has no MPI, or whose MPI has no such function. */
#ifndef HYB_PMPI_ENTRY_ABSENT_H
#define HYB_PMPI_ENTRY_ABSENT_H

/* What stands in for the function: MPI_Initialized and MPI_Finalized answer no, all others fail. */
void *hyb_mpi_absent(unsigned int function);

/* The same for Fortran, where the result is an argument: only the answer no can be given, the others just return. */
void *hyb_mpi_absent_fortran(unsigned int function);

#endif
