/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test programs with requests of their own: the callbacks of a generalized request that does nothing. What they call
 * lies inside of the program's own call.
 */
#ifndef TEST_GENERALIZED_H
#define TEST_GENERALIZED_H

#include <mpi.h>

static inline int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_INT, 0);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static inline int release(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static inline int cancel(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

#endif
