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
 * The group of all processes of the job, by some session that is live; the caller gives it back with
 * PMPI_Group_free and then calls hyb_session_done. False: there is no session.
 */
bool hyb_session_world(MPI_Group *all, void **use);
void hyb_session_done(void *use);

#if MPI_VERSION >= 4
/* After MPI_Session_init succeeded. */
void hyb_session_started(MPI_Session session);
/* Before MPI_Session_finalize, after which its handle may be another's, and after it succeeded. */
void hyb_session_ending(const MPI_Session *session);
void hyb_session_ended(void);
#endif

#endif
