/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls COUNT [kill]: makes some calls of each kind and says how many. With kill it ends by SIGKILL between two calls.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mpi.h>

static int rank, size;
static long sends, bytes;

static void ring(int tag)
{
	char out[64] = "", in[64];
	int next = (rank + 1) % size, before = (rank + size - 1) % size;

	MPI_Sendrecv(out, 64, MPI_CHAR, next, tag, in, 64, MPI_CHAR, before, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sends++;
	bytes += 64;
}

static void wide(void)
{
	static char out[100000], in[100000];
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Request requests[2];

	MPI_Irecv(in, sizeof(in), MPI_CHAR, before, 1000, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(out, sizeof(out), MPI_CHAR, next, 1000, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	sends++;
	bytes += sizeof(out);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000, n, sum, wides = 0, sums = 0;
	int unused, flag;
	char name[MPI_MAX_PROCESSOR_NAME];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (n = 0; n < count; n++) {
		ring((int)(n % 5));
		if (n % 100 == 0) {
			wide();
			wides++;
		}
		if (n % 50 == 0) {
			MPI_Allreduce(&n, &sum, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
			sums++;
		}
		MPI_Iprobe(MPI_ANY_SOURCE, 4711, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
		MPI_Comm_rank(MPI_COMM_WORLD, &unused);
		MPI_Get_processor_name(name, &unused);
	}
	printf("%ld MPI_Sendrecv\n", count);
	printf("%ld MPI_Irecv\n%ld MPI_Isend\n%ld MPI_Waitall\n", wides, wides, wides);
	printf("%ld MPI_Allreduce\n", sums);
	printf("%ld MPI_Iprobe\n", count);
	printf("%ld MPI_Comm_rank\n1 MPI_Comm_size\n1 MPI_Init\n", count + 1);
	printf("%ld MPI_Get_processor_name\n", count);
	fflush(stdout);
	if (argc > 2 && !strcmp(argv[2], "kill"))
		kill(getpid(), SIGKILL);
	MPI_Finalize();
	return 0;
}
