/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another PMPI tool to stand in front of or behind ours: counts MPI_Send and MPI_Recv and says at
 * the end how many came by, to $TEST_TOOL.<rank>, and which levels of MPI_Pcontrol, to
 * $TEST_TOOL.<rank>.levels. Sends go on to PMPI, receives to the next definition, as there are tools
 * of either kind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>

#include "expect.h"

static int sends;
static int receives;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	sends++;
	return PMPI_Send(buf, count, type, to, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	static int (*next)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);

	if (!next)
		next = dlsym(RTLD_NEXT, "MPI_Recv");
	receives++;
	return next(buf, count, type, from, tag, comm, status);
}

/* What comes with level 2 must come through as well. */
int MPI_Pcontrol(const int level, ...)
{
	const char *base = getenv("TEST_TOOL");
	char path[PATH_MAX];
	va_list args;
	FILE *file;

	if (base) {
		snprintf(path, sizeof(path), "%s.%d.levels", base, expect_rank());
		file = fopen(path, "a");
		CHECK(file);
		fprintf(file, "%d", level);
		if (level == 2) {
			va_start(args, level);
			fprintf(file, " %s", va_arg(args, const char *));
			fprintf(file, " %g", va_arg(args, double));
			va_end(args);
		}
		fputc('\n', file);
		fclose(file);
	}
	return PMPI_Pcontrol(level);
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
		fprintf(file, "sends %d\nreceives %d\n", sends, receives);
		fclose(file);
	}
	return PMPI_Finalize();
}
