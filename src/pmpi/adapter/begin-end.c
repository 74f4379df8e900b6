/* SPDX-License-Identifier: BSD-3-Clause */
/* Where MPI's life begins and ends in this process; see adapter.h. Part of each adapter. */
#include "pmpi/adapter/adapter.h"

#include "pmpi/adapter/handles/comm.h"
#include "pmpi/adapter/handles/mpi-uses.h"
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

void hyb_mpi_started(void)
{
	int rank = -1;
	int size = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	hyb_mpi_use_began(rank, size, thread_level());
	hyb_comm_start();
}

void hyb_mpi_ended(void)
{
	hyb_comm_stop();
	hyb_mpi_use_ended();
}

void hyb_mpi_aborting(int errorcode)
{
	hyb_mpi_process_aborting(errorcode);
}
