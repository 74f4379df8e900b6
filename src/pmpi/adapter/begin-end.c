/* SPDX-License-Identifier: BSD-3-Clause */
/* Where MPI's life begins and ends in this process; see adapter.h. Part of each adapter. */
#include "pmpi/adapter/adapter.h"

#include "base/memory.h"
#include "pmpi/adapter/handles/comm.h"
#include "pmpi/adapter/requests/request.h"
#include "pmpi/entry/mpi-process.h"

static const char *thread_level(void)
{
	int level = MPI_THREAD_SINGLE;

	PMPI_Query_thread(&level);
	if (level == MPI_THREAD_MULTIPLE) {
		hyb_requests_at_once();
		hyb_requests_learn();
		return "multiple";
	}
	hyb_requests_in_turn();
	if (level == MPI_THREAD_SERIALIZED)
		return "serialized";
	return level == MPI_THREAD_FUNNELED ? "funneled" : "single";
}

/* How often MPI is just in use: by MPI_Init, and by each session. */
static int uses;

void hyb_mpi_began(int rank, int size, const char *level)
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

void hyb_mpi_ceased(void)
{
	if (!__atomic_sub_fetch(&uses, 1, __ATOMIC_RELAXED))
		hyb_mpi_process_finalized();
}

void hyb_mpi_started(void)
{
	int rank = -1;
	int size = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	hyb_mpi_began(rank, size, thread_level());
	hyb_comm_start();
}

void hyb_mpi_ended(void)
{
	hyb_comm_stop();
	hyb_mpi_ceased();
}

void hyb_mpi_aborting(int errorcode)
{
	hyb_mpi_process_aborting(errorcode);
}
