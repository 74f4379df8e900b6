/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that site.c loads; NAME and LINE say what its source is to be called, and where; POLLS: it asks in vain. */
#ifndef __clang__
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

#include <mpi.h>

void site_call(void (*wrote)(const char *function, const char *path, int line));

#line LINE NAME
void site_call(void (*wrote)(const char *function, const char *path, int line))
{
	int value;

#ifdef POLLS
	for (int i = 0; i < 3; i++) {
		wrote("MPI_Iprobe", __FILE__, __LINE__ + 1);
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &value, MPI_STATUS_IGNORE);
	}
	return;
#endif
	wrote("MPI_Comm_rank", __FILE__, __LINE__ + 1);
	MPI_Comm_rank(MPI_COMM_WORLD, &value);
	for (int i = 0; i < 2; i++) {
		wrote("MPI_Comm_size", __FILE__, __LINE__ + 1);
		MPI_Comm_size(MPI_COMM_WORLD, &value);
	}
}
