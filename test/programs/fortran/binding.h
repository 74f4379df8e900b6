! SPDX-License-Identifier: BSD-3-Clause
! One source for each binding of MPI: built with -DBINDING_h (mpif.h), -DBINDING_mpi (use mpi) or
! -DBINDING_f08 (use mpi_f08).
#if defined(BINDING_f08)
#define COMM_T type(MPI_Comm)
#define DTYPE_T type(MPI_Datatype)
#define ERRH_T type(MPI_Errhandler)
#define FILE_T type(MPI_File)
#define FILE_NUMBER(f) f%MPI_VAL
#define GROUP_T type(MPI_Group)
#define INFO_T type(MPI_Info)
#define MESSAGE_T type(MPI_Message)
#define OP_T type(MPI_Op)
#define REQUEST_T type(MPI_Request)
#define STATUS_T(s) type(MPI_Status) :: s
#define STATUSES_T(s, n) type(MPI_Status) :: s(n)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#define SOURCE_AT(s, i) s(i)%MPI_SOURCE
#define TAG_AT(s, i) s(i)%MPI_TAG
#define SESSION_T type(MPI_Session)
#define WIN_T type(MPI_Win)
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#else
#define COMM_T integer
#define DTYPE_T integer
#define ERRH_T integer
#define FILE_T integer
#define FILE_NUMBER(f) f
#define GROUP_T integer
#define INFO_T integer
#define MESSAGE_T integer
#define OP_T integer
#define REQUEST_T integer
#define STATUS_T(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES_T(s, n) integer :: s(MPI_STATUS_SIZE, n)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define SOURCE_AT(s, i) s(MPI_SOURCE, i)
#define TAG_AT(s, i) s(MPI_TAG, i)
#define SESSION_T integer
#define WIN_T integer
#if defined(BINDING_mpi)
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#endif

#define CHECK(so) call check(so, __LINE__)
