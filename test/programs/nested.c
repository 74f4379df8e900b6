/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nested [N]: regions of the program's own in each other, N (10) times, the inner ones short, the outer ones much longer
 * than what a track keeps as one (2048 records), with calls of MPI in all of them.
 */
#define HYBMON_WEAK
#include <hybmon.h>
#include <mpi.h>
#include <stdlib.h>

static int me;

static void begin(const char *name)
{
	if (HYBMON_HAS(hybmon_begin))
		hybmon_begin(name);
}

static void inner(int i)
{
	begin("inner");
	for (int k = 0; k < 100; k++) {
		begin("leaf");
		MPI_Comm_rank(MPI_COMM_WORLD, &me);
		if (k % 7 == i % 7)
			MPI_Barrier(MPI_COMM_WORLD);
		HYBMON_CALL(hybmon_end);
	}
	HYBMON_CALL(hybmon_end);
}

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 10;

	MPI_Init(&argc, &argv);
	begin("all");
	for (int i = 0; i < wanted; i++) {
		begin("outer");
		for (int k = 0; k < 20; k++)
			inner(i + k);
		HYBMON_CALL(hybmon_end);
	}
	HYBMON_CALL(hybmon_end);
	MPI_Finalize();
	return 0;
}
