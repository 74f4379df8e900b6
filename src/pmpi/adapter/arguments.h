/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the lines of src/pmpi/table/records.tbl take as arguments beside those of the function itself. Part of the
 * adapter.
 */
#ifndef HYB_PMPI_ADAPTER_ARGUMENTS_H
#define HYB_PMPI_ADAPTER_ARGUMENTS_H

#include <mpi.h>

/* An array of counts and the width of one: int, or MPI_Count in a large-count twin. */
#define COUNTS(array) (array), sizeof(*(array))

/* A group of functions as one of a set: see hyb_is_off. */
#define GROUP(name) (1u << HYB_GROUP_##name)

/* The place in a file that cannot be told. */
#define NOWHERE (-1)

/* The handle that the program has where the call is to put a communicator. newcomm may be NULL. */
static inline MPI_Comm hyb_comm_before(const MPI_Comm *newcomm)
{
	return newcomm ? *newcomm : MPI_COMM_NULL;
}

#endif
