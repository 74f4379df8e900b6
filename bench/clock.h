/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the benchmarks measure with: one CPU to stay on, the processor's counter, and how long its
 * ticks are.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* To $BENCH_CPU: what launchers bind to differs from MPI to MPI. */
static inline void bench_pin(void)
{
	const char *wanted = getenv("BENCH_CPU");
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(wanted ? atoi(wanted) : sched_getcpu(), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		perror("cannot stay on one CPU");
}

static inline uint64_t bench_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t bench_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return bench_ns();
#endif
}

/* Nanoseconds per tick, from 50 ms. */
static inline double bench_tick(void)
{
	uint64_t ns = bench_ns();
	uint64_t counter = bench_counter();

	while (bench_ns() - ns < 50000000)
		;
	return (double)(bench_ns() - ns) / (double)(bench_counter() - counter);
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
