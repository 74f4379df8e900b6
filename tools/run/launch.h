/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which words of a command line are the programs that are to be recorded, behind launchers and other commands that
 * start what they are given: mpirun -n 4 numactl -l ./app. A guess where a command is not known: it only decides what
 * can be said and prepared beforehand.
 */
#ifndef HYB_TOOLS_RUN_LAUNCH_H
#define HYB_TOOLS_RUN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

enum hyb_mpi_launcher {
	HYB_LAUNCH_NONE,
	HYB_LAUNCH_OPENMPI,	/* hands on to other nodes only what it is told to */
	HYB_LAUNCH_OTHER,	/* hands on all of the environment */
};

struct hyb_launch {
	enum hyb_mpi_launcher mpi;
	size_t launcher;	/* index of the MPI launcher's name, if there is one */
	size_t *programs;	/* indices of programs; several behind one launcher with colons between them */
	size_t count;
	bool opaque;		/* what else it starts is not known */
	bool picky;		/* the launcher is told to hand on chosen variables only */
	bool emptied;		/* env is told to begin with no variables */
	bool contained;		/* they run in a container, where other files are than here */
	const char *stripper;	/* the command that takes LD_PRELOAD away, such as sudo or env -u; NULL: none */
	const char *user;	/* name or number of whom the programs are run as; NULL: who runs this */
};

void hyb_launch_read(struct hyb_launch *launch, char *const argv[]);
void hyb_launch_free(struct hyb_launch *launch);

/*
 * argv with an option for Open MPI's launcher for each of the variables, NULL at the end, that its user does not hand
 * on himself; where a launcher's options give LD_PRELOAD a value, `preload` is put in front of it. The list is new, and
 * some words.
 */
char **hyb_launch_export(const struct hyb_launch *launch, char *const argv[], const char *const *variables,
			 const char *preload);

#endif
