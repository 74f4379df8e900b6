/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions: MPI begins and ends with each, and a program may have several at a time, also beside
 * MPI_Init. What is known of them is how to find the processes of the job without an MPI_COMM_WORLD.
 * An MPI older than 4 has none of it. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_SESSION_H
#define HYB_PMPI_ADAPTER_HANDLES_SESSION_H

#include <stdbool.h>

#include <mpi.h>

/*
 * The group of all processes of the job, by some session that is live; the caller gives it back with PMPI_Group_free
 * and then calls hyb_session_release. False: there is no session.
 */
bool hyb_session_use_world(MPI_Group *all, void **use);
void hyb_session_release(void *use);

#ifdef HYB_HAS_MPI_Session_init
/* After MPI_Session_init: makes it known. The process's rank in the job, MPI_UNDEFINED if not known, and the job's size. */
void hyb_session_add(MPI_Session session, int *rank, int *size);
/* MPI_THREAD_SINGLE and so on; below 0: it does not tell. */
int hyb_session_thread_level(MPI_Session session);
/* Before MPI_Session_finalize, after which its handle may be another's. */
void hyb_session_finalizing(const MPI_Session *session);
#endif

#endif
