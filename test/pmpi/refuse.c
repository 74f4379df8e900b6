/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another PMPI tool to stand behind ours, which makes as many of the following calls fail as refuse_next says: those
 * that end an object are not made, those that complete an operation return an error though it is complete.
 */
#include <mpi.h>

int refuse_next;

static int refused(void)
{
	if (!refuse_next)
		return 0;
	refuse_next--;
	return 1;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	return refused() ? MPI_ERR_OTHER : PMPI_Comm_free(comm);
}

int MPI_Win_free(MPI_Win *win)
{
	return refused() ? MPI_ERR_OTHER : PMPI_Win_free(win);
}

int MPI_File_close(MPI_File *file)
{
	return refused() ? MPI_ERR_OTHER : PMPI_File_close(file);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	int ret = PMPI_Wait(request, status);

	return refused() ? MPI_ERR_OTHER : ret;
}

int MPI_File_write_at_all_end(MPI_File file, const void *buf, MPI_Status *status)
{
	int ret = PMPI_File_write_at_all_end(file, buf, status);

	return refused() ? MPI_ERR_OTHER : ret;
}
