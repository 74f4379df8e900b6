/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error directives, with a message and without, as the compiler translates them or, where it does not, by the call that
 * others make of them.
 *
 *	errors			warnings, the first of them before anything else of OpenMP
 *	errors fatal		the program ends by one, outside of a parallel region
 *	errors fatal-silent	without a message
 *	errors load FILE	calls warn() of a library, which is loaded for itself alone
 *
 * Built with -DLIBRARY: that library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

/* Compilers before clang 16 read the directive and do nothing at run time, those before GCC 12 do not know it. */
#if __clang_major__ >= 16 || (!defined(__clang__) && __GNUC__ >= 12)
#define TRANSLATED 1
#endif

#ifndef TRANSLATED
extern void __kmpc_error(void *place, int severity, const char *message);
#endif

static void warning(void)
{
#ifdef TRANSLATED
#pragma omp error at(execution) severity(warning) message("too warm")
#else
	__kmpc_error(NULL, 1, "too warm");
#endif
}

static int x;

static void silent(void)
{
#ifdef TRANSLATED
	AT("error", __LINE__ + 1);
#pragma omp error at(execution) severity(warning)
#else
	AT("error", __LINE__ + 1);
	__kmpc_error(NULL, 1, NULL);
#endif
#pragma omp atomic
	x++;			/* so that the call above is not the last thing here */
}

#ifdef LIBRARY
int warn(void);

int warn(void)
{
	warning();
	silent();
	return 0;
}
#else
static int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*warn)(void) = library ? (int (*)(void))dlsym(library, "warn") : NULL;

	if (!warn)
		fprintf(stderr, "%s\n", dlerror());
	return warn ? warn() : 1;
}

int main(int argc, char **argv)
{
	/* one by warning, one by silent on each thread */
	say("count error %d", 1 + (argc > 2 ? 1 : 2) + (argc == 2));
	if (argc > 2 && !strcmp(argv[1], "load"))
		return load(argv[2]);
#ifndef LOADER
	warning();
#pragma omp parallel num_threads(2)
	silent();
	if (argc > 1 && !strcmp(argv[1], "fatal")) {
#ifdef TRANSLATED
#pragma omp error at(execution) severity(fatal) message("on fire")
#else
		__kmpc_error(NULL, 2, "on fire");
#endif
	} else if (argc > 1) {
#ifdef TRANSLATED
#pragma omp error at(execution) severity(fatal)
#else
		__kmpc_error(NULL, 2, NULL);
#endif
	}
#endif
	return 0;
}
#endif
