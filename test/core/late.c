/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late OBJECT [ARGUMENT...]: a program without MPI that loads one with MPI while it runs, for itself alone
 * (RTLD_LOCAL), as interpreters load their extensions, and runs its main.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *object;
	void *entry;

	if (argc < 2) {
		fprintf(stderr, "usage: late OBJECT [ARGUMENT...]\n");
		return 2;
	}
	object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	entry = object ? dlsym(object, "main") : NULL;
	if (!entry) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return (*(int (**)(int, char **))&entry)(argc - 1, argv + 1);
}
