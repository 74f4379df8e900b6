/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that uses MPI from C and has functions of its own with names that Fortran's have, as Rmpi has; who loads it
 * gets them from a table, which the dynamic linker fills. As a program (-DPROGRAM) it calls them through the table, and
 * itself; with a name of a library, that one's.
 */
#include <stdio.h>

struct method {
	const char *name;
	int (*call)(int);
};

extern const struct method namesakes[];

#ifndef PROGRAM
#include <mpi.h>

int mpi_comm_rank(int add);
int mpi_comm_rank_(int add);
int mpi_comm_rank__(int add);
int mpi_initialize(int add);
int mpi_finalize_(int add);

int mpi_comm_rank(int add)
{
	int rank = -1;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return 1000 + rank + add;
}

int mpi_comm_rank_(int add)
{
	return 1000 + mpi_comm_rank(add);
}

int mpi_comm_rank__(int add)
{
	return 1000 + mpi_comm_rank_(add);
}

int mpi_initialize(int add)
{
	return MPI_Init(NULL, NULL) + add;
}

int mpi_finalize_(int add)
{
	return MPI_Finalize() + add;
}

const struct method namesakes[] = {
	{ "mpi_initialize", mpi_initialize },
	{ "mpi_comm_rank", mpi_comm_rank },
	{ "mpi_comm_rank_", mpi_comm_rank_ },
	{ "mpi_comm_rank__", mpi_comm_rank__ },
	{ "mpi_comm_rank_", mpi_comm_rank_ },
	{ "mpi_finalize_", mpi_finalize_ },
	{ NULL, NULL },
};

#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argc > 1 ? argv[1] : NULL, RTLD_NOW | RTLD_LOCAL);
	const struct method *method = library ? dlsym(library, "namesakes") : NULL;

	if (!method) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (; method->name; method++)
		printf("%s %d\n", method->name, method->call(7));
	return 0;
}
#endif
