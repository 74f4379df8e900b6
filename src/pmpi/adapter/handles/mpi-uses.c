/* SPDX-License-Identifier: BSD-3-Clause */
/* What uses MPI at the moment; see mpi-uses.h. */
#include "pmpi/adapter/handles/mpi-uses.h"

#include <mpi.h>

#include "base/memory.h"
#include "pmpi/entry/mpi-process.h"

static int uses;

void hyb_mpi_use_began(int rank, int size, const char *level)
{
	static int known;
	char *library;
	int subversion = 0;
	int version = 0;
	int length = 0;

	if (!__atomic_fetch_add(&uses, 1, __ATOMIC_RELAXED))
		hyb_mpi_process_resumed();
	/* The processes of the job have the same ranks in MPI_COMM_WORLD and in all sessions. */
	if (rank < 0 || __atomic_exchange_n(&known, 1, __ATOMIC_RELAXED))
		return;
	/* MPICH's has 8 KiB, which are much for a stack. */
	library = hyb_alloc(MPI_MAX_LIBRARY_VERSION_STRING);
	if (!library)
		return;
	PMPI_Get_version(&version, &subversion);
	PMPI_Get_library_version(library, &length);
	hyb_mpi_process_ranked(rank, size, level, version, subversion, library);
}

void hyb_mpi_use_ended(void)
{
	if (!__atomic_sub_fetch(&uses, 1, __ATOMIC_RELAXED))
		hyb_mpi_process_finalized();
}
