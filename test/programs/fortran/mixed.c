/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that mixed.F90 makes in C. Handles come and go as Fortran has them; turning them is a call of its own in
 * some MPIs, which is not to be recorded here.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"	/* MPI_STATUSES_IGNORE is no array */
#endif
#include <mpi.h>

void c_init(void)
{
	MPI_Init(0, 0);
}

MPI_Fint c_dup(MPI_Fint comm)
{
	MPI_Comm copy;

	MPI_Comm_dup(PMPI_Comm_f2c(comm), &copy);
	return PMPI_Comm_c2f(copy);
}

MPI_Fint c_split(MPI_Fint comm, int color, int key)
{
	MPI_Comm part;

	MPI_Comm_split(PMPI_Comm_f2c(comm), color, key, &part);
	return PMPI_Comm_c2f(part);
}

void c_free(MPI_Fint handle)
{
	MPI_Comm comm = PMPI_Comm_f2c(handle);

	MPI_Comm_free(&comm);
}

void c_barrier(MPI_Fint comm)
{
	MPI_Barrier(PMPI_Comm_f2c(comm));
}

MPI_Fint c_irecv(int *to, int from, int tag, MPI_Fint comm)
{
	MPI_Request request;

	MPI_Irecv(to, 1, MPI_INT, from, tag, PMPI_Comm_f2c(comm), &request);
	return PMPI_Request_c2f(request);
}

MPI_Fint c_isend(const int *from, int to, int tag, MPI_Fint comm)
{
	MPI_Request request;

	MPI_Isend(from, 1, MPI_INT, to, tag, PMPI_Comm_f2c(comm), &request);
	return PMPI_Request_c2f(request);
}

MPI_Fint c_recv_init(int *to, int from, int tag, MPI_Fint comm)
{
	MPI_Request request;

	MPI_Recv_init(to, 1, MPI_INT, from, tag, PMPI_Comm_f2c(comm), &request);
	return PMPI_Request_c2f(request);
}

void c_wait(MPI_Fint handle)
{
	MPI_Request request = PMPI_Request_f2c(handle);

	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void c_start(MPI_Fint handle)
{
	MPI_Request request = PMPI_Request_f2c(handle);

	MPI_Start(&request);
}

void c_waitall(int n, const MPI_Fint *handles)
{
	MPI_Request requests[n];

	for (int i = 0; i < n; i++)
		requests[i] = PMPI_Request_f2c(handles[i]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

MPI_Fint c_pair(void)
{
	MPI_Datatype pair;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	return PMPI_Type_c2f(pair);
}
