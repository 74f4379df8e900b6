/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of processes that synchronise: they have no identity in MPI, and are known by their members. Part of the
 * adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_GROUP_H
#define HYB_PMPI_ADAPTER_HANDLES_GROUP_H

#include <stdint.h>

#include <mpi.h>

/*
 * The id of a group with these members + 1, which is defined the first time; 0 without memory, or while another thread
 * defines the same one.
 */
uint32_t hyb_group_find(MPI_Group group);

#endif
