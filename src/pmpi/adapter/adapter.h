/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the generated wrappers of an adapter call besides events.h: the places where MPI's life begins
 * and ends. Part of the adapter; uses PMPI_* of the MPI in use.
 */
#ifndef HYB_PMPI_ADAPTER_ADAPTER_H
#define HYB_PMPI_ADAPTER_ADAPTER_H

#include <mpi.h>

#include "record/record.h"

/* The generated wrappers of Fortran's flavours, by number from HYB_MPI_FUNCTIONS on. */
extern void *const hyb_fortran_wrappers[];

/* After MPI_Init(_thread) succeeded: rank and size, the job's experiment, COMM_WORLD and COMM_SELF. */
void hyb_mpi_started(void);
/* After MPI_Finalize came back. */
void hyb_mpi_ended(void);
/* Before MPI_Abort goes on. */
void hyb_mpi_aborting(int errorcode);

#endif
