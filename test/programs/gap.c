/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gap FILE: fills the file system of FILE while a receive is under way, completes that one and begins another, which
 * MPI gives the same handle, while nothing can be recorded, and completes it when there is space again. Status 77: it
 * has another handle.
 */
#include "expect.h"

static void fill(const char *path)
{
	static const char zeroes[1 << 16];
	size_t size = sizeof(zeroes);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	CHECK(fd >= 0);
	while (size) {
		if (write(fd, zeroes, size) <= 0)
			size /= 2;
	}
	close(fd);
}

static void call_often(MPI_Comm comm)
{
	int rank;

	for (int i = 0; i < 40000; i++)
		MPI_Comm_rank(comm, &rank);
}

static void send_to_self(MPI_Comm comm)
{
	int value = 1;

	MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
}

int main(int argc, char **argv)
{
	MPI_Request before;
	MPI_Request behind;
	MPI_Comm comm[2];
	intptr_t handle;
	int topology;
	int size;
	int got;

	CHECK(argc > 1);
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &comm[i]);
	/* once each, so that they are defined */
	MPI_Irecv(&got, 1, MPI_INT, MPI_PROC_NULL, 1, comm[0], &before);
	MPI_Wait(&before, MPI_STATUS_IGNORE);
	MPI_Send(&got, 1, MPI_INT, MPI_PROC_NULL, 1, comm[0]);
	MPI_Comm_rank(comm[0], &got);
	MPI_Comm_size(comm[0], &size);
	MPI_Topo_test(comm[0], &topology);

	MPI_Irecv(&got, 1, MPI_INT, 0, 1, comm[0], &before);
	handle = (intptr_t)before;
	fill(argv[1]);
	call_often(comm[0]);
	send_to_self(comm[0]);
	MPI_Wait(&before, MPI_STATUS_IGNORE);
	MPI_Irecv(&got, 1, MPI_INT, 0, 1, comm[1], &behind);
	if ((intptr_t)behind != handle)
		return 77;
	unlink(argv[1]);
	/* the library looks for space once a second */
	sleep(2);
	MPI_Comm_rank(comm[0], &got);
	MPI_Comm_size(comm[0], &size);
	send_to_self(comm[1]);
	MPI_Wait(&behind, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
