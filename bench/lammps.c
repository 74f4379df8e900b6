/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lammps INPUT STEPS PAIRS: lammps, driven through its library, runs STEPS steps again and again, with recording
 * switched on and off in turn. One line a pair: seconds with recording, seconds without. Runs of a tenth of a second
 * right after each other, in the same memory and on the same machine, tell differences of tenths of a per cent, which
 * whole runs do not on a machine that others use too.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "clock.h"

static void *lammps;
static char *(*command)(void *handle, const char *line);

/* of lammps' own C interface (src/library.h), which the library's package comes without */
static void open_lammps(void)
{
	char *arguments[] = { "lammps", "-log", "none", "-screen", "none", NULL };
	void *library = dlopen("liblammps.so.0", RTLD_NOW | RTLD_GLOBAL);
	void *(*open)(int, char **, MPI_Comm, void **) = NULL;

	if (library) {
		open = (void *(*)(int, char **, MPI_Comm, void **))dlsym(library, "lammps_open");
		command = (char *(*)(void *, const char *))dlsym(library, "lammps_command");
	}
	if (!open || !command) {
		fprintf(stderr, "lammps: %s\n", dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
		exit(1);
	}
	lammps = open(5, arguments, MPI_COMM_WORLD, NULL);
}

static double seconds_of(const char *run, int recorded)
{
	double start;

	MPI_Pcontrol(recorded);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	command(lammps, run);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
	char line[4200];
	int rank;

	MPI_Init(&argc, &argv);
	if (argc != 4) {
		fprintf(stderr, "usage: lammps INPUT STEPS PAIRS\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	open_lammps();
	command(lammps, "variable steps index 5000");
	snprintf(line, sizeof(line), "include %s", argv[1]);
	command(lammps, line);
	snprintf(line, sizeof(line), "run %d pre no post no", atoi(argv[2]));
	for (int pair = 0; pair < atoi(argv[3]); pair++) {
		double seconds[2];
		int first = pair & 1;

		seconds[first] = seconds_of(line, first);
		seconds[!first] = seconds_of(line, !first);
		if (rank == 0)
			printf("%.6f %.6f\n", seconds[1], seconds[0]);
	}
	MPI_Pcontrol(1);
	MPI_Finalize();
	return 0;
}
