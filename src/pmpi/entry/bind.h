/* SPDX-License-Identifier: BSD-3-Clause */
/* Between an adapter and the MPI: what the adapter calls and uses of it. */
#ifndef HYB_PMPI_ENTRY_BIND_H
#define HYB_PMPI_ENTRY_BIND_H

#include <stdint.h>

/*
 * Fills in what the adapter, whose code or data lies at `inside`, wants of the MPI, as far as it has it: what everybody
 * sees, or what is in the MPI's own library. The dynamic linker would find the former only, and an MPI that was loaded
 * for its user alone must not be seen by others. Before any of the adapter's functions is called; threads that do so at
 * once write the same.
 */
void hyb_mpi_bind(const void *inside, void *mpi);

#endif
