/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that counts with PAPI itself: all that PAPI says is written down, which is to be the same whatever hybmon
 * counts beside it. Arguments: names of events, whose values may be any; of fake:::SWITCHES the value is written, too.
 */
#include "../core/work.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void *library;

static int call(const char *name, long a, long b)
{
	int (*function)(long, long) = (int (*)(long, long))dlsym(library, name);

	return function ? function(a, b) : -999;
}

static void say(const char *what, int result)
{
	printf("%s %d\n", what, result);
}

int main(int argc, char **argv)
{
	long long values[16] = { 0 };
	int set = -1;

	library = dlopen("libpapi.so.7.0", RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		return 77;
	MPI_Init(&argc, &argv);
	say("initialized", call("PAPI_is_initialized", 0, 0));
	say("init", call("PAPI_library_init", 7 << 24, 0));
	say("create", call("PAPI_create_eventset", (long)&set, 0));
	for (int i = 1; i < argc && i < 16; i++)
		say(argv[i], call("PAPI_add_named_event", set, (long)argv[i]));
	say("start", call("PAPI_start", set, 0));
	for (int i = 0; i < 3; i++) {
		MPI_Barrier(MPI_COMM_SELF);
		work(10, 3, 1);
	}
	say("read", call("PAPI_read", set, (long)values));
	for (int i = 1; i < argc && i < 16; i++) {
		if (!strcmp(argv[i], "fake:::SWITCHES"))
			printf("%s %lld\n", argv[i], values[i - 1]);
	}
	say("stop", call("PAPI_stop", set, 0));
	MPI_Finalize();
	say("initialized", call("PAPI_is_initialized", 0, 0));
	return 0;
}
