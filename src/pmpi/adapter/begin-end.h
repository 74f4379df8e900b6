/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where MPI begins and ends in this process: with MPI_Init and MPI_Finalize, and with each session. Uses PMPI_* of the
 * MPI in use. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_BEGIN_END_H
#define HYB_PMPI_ADAPTER_BEGIN_END_H

#include <mpi.h>

/* After MPI_Init(_thread) succeeded: rank and size, MPI_COMM_WORLD and MPI_COMM_SELF. */
void hyb_mpi_initialized(void);
/* Before MPI_Finalize goes on. */
void hyb_mpi_finalizing(void);
/* After it came back. */
void hyb_mpi_finalized(void);
#ifdef HYB_HAS_MPI_Session_init
/* After MPI_Session_init, and after MPI_Session_finalize. */
void hyb_mpi_session_initialized(MPI_Session session);
void hyb_mpi_session_finalized(void);
#endif
/* Before MPI_Abort goes on. */
void hyb_mpi_aborting(int errorcode);

#endif
