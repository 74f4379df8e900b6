/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waits FOLDER [CALLS [LIMIT]]: starts MPI, makes FOLDER/ready, waits until FOLDER/go is there, then makes CALLS calls
 * and says so. Meanwhile a test does to its recording what it wants. LIMIT: how long files may become after the calls,
 * in bytes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int path(char *buf, size_t size, const char *folder, const char *name)
{
	return snprintf(buf, size, "%s/%s", folder, name) < (int)size;
}

int main(int argc, char **argv)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	long calls = argc > 2 ? atol(argv[2]) : 1000;
	char name[4096];
	FILE *f;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 2 || !path(name, sizeof(name), argv[1], "ready"))
		return 2;
	f = fopen(name, "w");
	if (!f || fclose(f) || !path(name, sizeof(name), argv[1], "go"))
		return 2;
	while (access(name, F_OK))
		usleep(2000);
	for (long i = 0; i < calls; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 3) {
		limit.rlim_cur = (rlim_t)atol(argv[3]);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	printf("%ld calls\n", calls);
	MPI_Finalize();
	return 0;
}
