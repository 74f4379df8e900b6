/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another PMPI tool to stand behind ours: an MPI whose statuses keep their bytes elsewhere than its mpi.h says, so that
 * who wants to know has to ask. To those who ask it tells the truth, and at the end how often it was asked, to
 * $TEST_TOOL.<rank>.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "expect.h"

static int asked;

/* What is set is one byte more than was said; so who reads it himself is not told what he set. */
int PMPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count)
{
	static int (*next)(MPI_Status *, MPI_Datatype, MPI_Count);

	if (!next)
		next = dlsym(RTLD_NEXT, "PMPI_Status_set_elements_x");
	return next(status, type, count + 1);
}

int PMPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count)
{
	static int (*next)(const MPI_Status *, MPI_Datatype, MPI_Count *);

	if (!next)
		next = dlsym(RTLD_NEXT, "PMPI_Get_elements_x");
	asked++;
	return next(status, type, count);
}

int MPI_Finalize(void)
{
	const char *base = getenv("TEST_TOOL");
	char path[PATH_MAX];
	FILE *file;

	if (base) {
		snprintf(path, sizeof(path), "%s.%d", base, expect_rank());
		file = fopen(path, "w");
		CHECK(file);
		fprintf(file, "asked %d\n", asked);
		fclose(file);
	}
	return PMPI_Finalize();
}
