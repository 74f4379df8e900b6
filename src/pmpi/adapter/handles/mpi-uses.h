/* SPDX-License-Identifier: BSD-3-Clause */
/* What uses MPI at the moment: MPI_Init, and each session. Part of each adapter. */
#ifndef HYB_PMPI_ADAPTER_HANDLES_MPI_USES_H
#define HYB_PMPI_ADAPTER_HANDLES_MPI_USES_H

/*
 * A use begins or ends; after the last one MPI is finalized. Rank and size are the process's in the job; rank is below
 * 0 where a session does not know it.
 */
void hyb_mpi_use_began(int rank, int size, const char *thread_level);
void hyb_mpi_use_ended(void);

#endif
