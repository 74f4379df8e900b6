/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI says of the process as a whole, for its manifest. On slow paths; thread-safe, keeps errno. */
#ifndef HYB_PMPI_ENTRY_MPI_PROCESS_H
#define HYB_PMPI_ENTRY_MPI_PROCESS_H

#include <stdbool.h>

#include "core/sys/compiler.h"

/* The adapter in use. */
void hyb_mpi_process_adapter(const char *abi);
/* The program calls a function whose outcome is not replayed. */
HYB_EXPORT void hyb_mpi_process_beyond(const char *function);
/* MPI has begun: rank and size in MPI_COMM_WORLD, thread level provided, MPI's version, its library's text. */
HYB_EXPORT void hyb_mpi_process_ranked(int rank, int size, const char *thread_level, int version, int subversion,
				       const char *library);
/* MPI_Finalize came back, or that of the last session. */
HYB_EXPORT void hyb_mpi_process_finalized(void);
/* MPI has begun, perhaps once more. */
HYB_EXPORT void hyb_mpi_process_resumed(void);
/* Whether MPI's begin was recorded, and its end was not. */
bool hyb_mpi_process_is_open(void);
/* MPI_Abort was called. */
HYB_EXPORT void hyb_mpi_process_aborting(int errorcode);

#endif
