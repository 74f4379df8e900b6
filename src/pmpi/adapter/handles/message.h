/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that a matched probe has found, by their handle. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_HANDLES_MESSAGE_H
#define HYB_PMPI_ADAPTER_HANDLES_MESSAGE_H

#include <stdint.h>

#include <mpi.h>

/* A matched probe: message belongs to comm if *flag, or where flag is NULL. */
void hyb_message_found(MPI_Comm comm, const int *flag, const MPI_Message *message);
/* The id of the communicator that a message came on which is about to be received, plus 1; 0: it is not known. */
uint64_t hyb_message_comm1(const MPI_Message *message);

#endif
