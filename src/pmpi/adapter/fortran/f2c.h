/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fortran's handles as C's. In MPICH's ABI both are the same numbers. MPICH up to 4.1 and what descends from it convert
 * them by macros and have no functions for it; from 4.2 on mpi.h declares functions. An adapter that was compiled with
 * the latter must also serve the former, so it calls none. Part of the adapter; included after mpi.h.
 */
#ifndef HYB_PMPI_ADAPTER_FORTRAN_F2C_H
#define HYB_PMPI_ADAPTER_FORTRAN_F2C_H

#include <mpi.h>

#if defined(MPICH) && !defined(PMPI_Comm_f2c)
_Static_assert(sizeof(MPI_Comm) == sizeof(MPI_Fint) && sizeof(MPI_Request) == sizeof(MPI_Fint) &&
	       sizeof(MPI_Datatype) == sizeof(MPI_Fint), "handles are Fortran's integers");
#define PMPI_Comm_c2f(handle) ((MPI_Fint)(handle))
#define PMPI_Comm_f2c(handle) ((MPI_Comm)(handle))
#define PMPI_Errhandler_f2c(handle) ((MPI_Errhandler)(handle))
#define PMPI_Group_f2c(handle) ((MPI_Group)(handle))
#define PMPI_Info_f2c(handle) ((MPI_Info)(handle))
#define PMPI_Message_c2f(handle) ((MPI_Fint)(handle))
#define PMPI_Message_f2c(handle) ((MPI_Message)(handle))
#define PMPI_Op_f2c(handle) ((MPI_Op)(handle))
#define PMPI_Request_c2f(handle) ((MPI_Fint)(handle))
#define PMPI_Request_f2c(handle) ((MPI_Request)(handle))
#define PMPI_Session_f2c(handle) ((MPI_Session)(handle))
#define PMPI_Type_f2c(handle) ((MPI_Datatype)(handle))
#define PMPI_Win_f2c(handle) ((MPI_Win)(handle))
#endif

#endif
