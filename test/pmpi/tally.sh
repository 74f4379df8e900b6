#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tally.sh PROGRAM: the source of a preload library that counts the calls PROGRAM makes of each MPI function it is
# linked with, to $TEST_TOOL.<rank> when the process ends. It stands behind ours and knows nothing of it: what it
# counts is what was called. GCC's __builtin_apply hands the arguments on without knowing them.
cat <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define ARGUMENTS 256	/* bytes of arguments on the stack, more than any MPI function has */

#define TALLY(name) \
	static long calls_##name; \
	void *name(void) \
	{ \
		static void (*next)(); \
		void *args = __builtin_apply_args(); \
		if (!next) \
			next = (void (*)())dlsym(RTLD_NEXT, #name); \
		__atomic_add_fetch(&calls_##name, 1, __ATOMIC_RELAXED); \
		__builtin_return(__builtin_apply(next, args, ARGUMENTS)); \
	}

END
names=$(nm -D -u "$1" | sed -n 's/.* U \(MPI_[A-Za-z_0-9]*\).*/\1/p' | sort -u)
for name in $names; do
	echo "TALLY($name)"
done
cat <<'END'

static struct { const char *name; long *calls; } all[] = {
END
for name in $names; do
	echo "	{ \"$name\", &calls_$name },"
done
cat <<'END'
};

__attribute__((destructor)) static void report(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	const char *base = getenv("TEST_TOOL");
	char path[PATH_MAX];
	FILE *file;

	if (!rank)
		rank = getenv("PMI_RANK");
	if (!base || !rank || !calls_MPI_Finalize)
		return;
	snprintf(path, sizeof(path), "%s.%s", base, rank);
	file = fopen(path, "w");
	for (size_t i = 0; file && i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i].calls)
			fprintf(file, "%s %s %ld\n", rank, all[i].name, *all[i].calls);
	if (file)
		fclose(file);
}
END
