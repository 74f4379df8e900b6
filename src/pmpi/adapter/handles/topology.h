/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of communicators. Part of the adapter. */
#ifndef HYB_PMPI_ADAPTER_HANDLES_TOPOLOGY_H
#define HYB_PMPI_ADAPTER_HANDLES_TOPOLOGY_H

#include <stdint.h>

#include <mpi.h>

/* Defines the shape that this valid intracommunicator has, if any. id: of its definition; rank: this process's. */
void hyb_topology_define(uint32_t id, int rank, MPI_Comm comm);

#endif
