/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators with processes that may share nothing with us but this: of a job that was spawned, that connects or
 * accepts. `root` is a rank in parent; the port's name is valid there only. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_MEETING_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_MEETING_H

#include <mpi.h>

void hyb_comm_spawned(MPI_Comm parent, int root, MPI_Comm made);
void hyb_comm_got_parent(MPI_Comm parent);
void hyb_comm_accepted(MPI_Comm parent, int root, const char *port, MPI_Comm made);
void hyb_comm_connected(MPI_Comm parent, int root, const char *port, MPI_Comm made);
void hyb_comm_joined(int fd, MPI_Comm made);
/* MPI_Intercomm_create, whose other side may be of this job. */
void hyb_comm_created_intercomm(MPI_Comm local, int leader, int tag, MPI_Comm made);

#endif
