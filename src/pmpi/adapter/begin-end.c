/* SPDX-License-Identifier: BSD-3-Clause */
/* Where MPI begins and ends in this process; see begin-end.h. */
#include "pmpi/adapter/begin-end.h"

#include "core/sys/memory.h"
#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/session.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/order/clocks.h"
#include "pmpi/adapter/order/posts.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/adapter/order/turns.h"
#include "pmpi/adapter/requests/request.h"
#include "pmpi/adapter/requests/status.h"
#include "pmpi/adapter/sync.h"
#include "pmpi/entry/dispatch.h"
#include "pmpi/entry/mpi-process.h"
#include "core/process/debugger.h"
#include "core/record/usage.h"

/* In the words of the manifest. */
static const char *name_of_level(int level)
{
	switch (level) {
	case MPI_THREAD_MULTIPLE:
		return "multiple";
	case MPI_THREAD_SERIALIZED:
		return "serialized";
	case MPI_THREAD_FUNNELED:
		return "funneled";
	case MPI_THREAD_SINGLE:
		return "single";
	}
	return "unknown";
}

/* How often MPI is in use now: by MPI_Init, and by each session. After the last of them it is finalized. */
static int uses;

/* Rank and size are the process's in the job; rank is below 0 where a session does not know it. */
static void begin_use(int rank, int size, int level)
{
	static int known;
	char *library;
	int subversion = 0;
	int version = 0;
	int length = 0;

	if (!__atomic_fetch_add(&uses, 1, __ATOMIC_RELAXED)) {
		hyb_mpi_take();
		hyb_mpi_process_resumed();
	}
	/* The processes of the job have the same ranks in MPI_COMM_WORLD and in all sessions. */
	if (rank < 0 || __atomic_exchange_n(&known, 1, __ATOMIC_RELAXED))
		return;
	/* MPICH's has 8 KiB, which are much for a stack. */
	library = hyb_alloc(MPI_MAX_LIBRARY_VERSION_STRING);
	if (!library)
		return;
	PMPI_Get_version(&version, &subversion);
	PMPI_Get_library_version(library, &length);
	hyb_mpi_process_ranked(rank, size, name_of_level(level), version, subversion, library);
}

static void end_use(void)
{
	if (!__atomic_sub_fetch(&uses, 1, __ATOMIC_RELAXED)) {
		hyb_mpi_process_finalized();
		hyb_mpi_let_go();
	}
}

void hyb_mpi_initialized(void)
{
	int level = MPI_THREAD_SINGLE;
	int rank = -1;
	int size = 0;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	PMPI_Query_thread(&level);
	if (level == MPI_THREAD_MULTIPLE) {
		hyb_requests_set_multiple();
		hyb_posts_set_multiple();
		hyb_requests_find_precompleted();
	} else {
		hyb_requests_set_serialized();
	}
	begin_use(rank, size, level);
	hyb_replay_start();
	hyb_order_start(level == MPI_THREAD_MULTIPLE);
	hyb_comm_start();
	hyb_type_start();
	hyb_status_start();
	hyb_sync_start();
	hyb_clocks_start();
	hyb_usage_here(HYB_USAGE_INIT);
	/* Last: in what comes before ranks wait for each other. */
	hyb_debugger_wait(rank);
}

void hyb_mpi_finalizing(void)
{
	hyb_usage_here(HYB_USAGE_FINALIZE);
	hyb_clocks_stop();
	hyb_sync_end();
}

void hyb_mpi_finalized(void)
{
	hyb_comm_stop();
	end_use();
}

#ifdef HYB_HAS_MPI_Session_init
void hyb_mpi_session_initialized(MPI_Session session)
{
	int rank;
	int size;

	hyb_session_add(session, &rank, &size);
	hyb_type_start();
	hyb_status_start();
	/* Each session has a level of its own, whatever the others have. */
	hyb_requests_set_multiple();
	hyb_posts_set_multiple();
	begin_use(rank, size, hyb_session_thread_level(session));
}

void hyb_mpi_session_finalized(void)
{
	end_use();
}
#endif

void hyb_mpi_aborting(int errorcode)
{
	hyb_mpi_process_aborting(errorcode);
}
