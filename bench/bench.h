/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of the benchmarks share: one CPU to stay on, time, and numbers from the command line. */
#ifndef HYB_BENCH_H
#define HYB_BENCH_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/record.h"

/* The last CPU, or $BENCH_CPU: whatever a launcher binds to is not the same for all MPIs. */
static inline void bench_pin(void)
{
	const char *wanted = getenv("BENCH_CPU");
	long cpu = wanted ? atol(wanted) : sysconf(_SC_NPROCESSORS_ONLN) - 1;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("cannot stay on one CPU");
}

static inline double bench_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline long bench_number(int argc, char **argv, int i, long otherwise)
{
	return argc > i ? atol(argv[i]) : otherwise;
}

#endif
