/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends the job. MPI_Abort of MPICH 4.2.1 comes back, and its launcher ends the process a moment later. */
#ifndef HYB_TEST_ABORT_H
#define HYB_TEST_ABORT_H

#include <unistd.h>

#include <mpi.h>

static inline void abort_job(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
	for (;;)
		pause();
}

#endif
