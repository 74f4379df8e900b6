/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host [-g] [-s] ROUNDS PLUGIN...: a program that loads plugins, calls `plug` of each with a number, says what it returned, and
 * unloads it, in turn. What was unloaded leaves its place to something else, so that libraries come to lie elsewhere, or
 * with -s to the next plugin. -g: loaded for everybody (RTLD_GLOBAL). Built with WITH_MPI, it has MPI itself.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { PIECES = 64, PIECE = 64 << 10 };

/* The places of what is unloaded are taken, and those of the round before given back. */
static void take_places(void)
{
	static void *taken[2][PIECES];
	static int now;

	now = !now;
	for (int i = 0; i < PIECES; i++) {
		if (taken[now][i])
			munmap(taken[now][i], PIECE);
		taken[now][i] = mmap(NULL, PIECE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
}

static int use(const char *path, int mode, int argument)
{
	void *library = dlopen(path, RTLD_NOW | mode);
	int (*plug)(int);

	*(void **)&plug = library ? dlsym(library, "plug") : NULL;
	if (!plug) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	printf("%s %d\n", strrchr(path, '/') + 1, plug(argument));
	return dlclose(library);
}

int main(int argc, char **argv)
{
	int mode = RTLD_LOCAL, moves = 1, argument = 0, at = 1;

	for (; at < argc && *argv[at] == '-'; at++) {
		if (argv[at][1] == 'g')
			mode = RTLD_GLOBAL;
		else
			moves = 0;
	}
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
	argument = MPI_Comm_c2f(MPI_COMM_WORLD);
#endif
	for (int round = atoi(argv[at]); round > 0; round--) {
		for (int i = at + 1; i < argc; i++) {
			if (use(argv[i], mode, argument))
				return 1;
			if (moves)
				take_places();
		}
	}
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return 0;
}
