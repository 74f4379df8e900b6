/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shares SECONDS: takes so much CPU time in functions with known shares: main_spin in the program, library_spin in a
 * shared library, bare_spin without frame pointers, calls in a system call, and faults in page faults. Prints
 * what each took by the thread's clock, in seconds. With OpenMP each thread does so, and the sums are printed.
 */
#define _GNU_SOURCE

#ifndef NO_MPI
#include <mpi.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "dither.h"

/* Each part takes some periods of the sampling at a time, and another time in each round: see deep.c. */
#define STEPS 1000000L
#define CALLS_AT_ONCE 15000
#define PAGES 1024

double main_spin(long steps);
double library_spin(long steps);
double bare_spin(long steps);

enum { MAIN, LIBRARY, BARE, CALLS, FAULTS, PARTS };

static const char *const names[PARTS] = { "main_spin", "library_spin", "bare_spin", "calls", "faults" };
static volatile double result;
static double sum[PARTS];

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A function of libc would have no frame of its own for its caller to be found by. */
static __attribute__((noinline)) void calls(int n)
{
	while (n-- > 0) {
		long number = SYS_getppid;
#if defined(__x86_64__)
		__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
#else
		syscall(number);
#endif
	}
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory");
}

static __attribute__((noinline)) void faults(char *pages, long page)
{
	for (long i = 0; i < PAGES; i++)
		*(volatile char *)(pages + i * page) = 1;
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory");
}

static void work(double seconds)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, (size_t)(PAGES * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double took[PARTS] = { 0 }, at[PARTS + 1], all = 0;

	if (pages == MAP_FAILED)
		abort();
	madvise(pages, (size_t)(PAGES * page), MADV_NOHUGEPAGE);
	while (all < seconds) {
		madvise(pages, (size_t)(PAGES * page), MADV_DONTNEED);
		at[MAIN] = now(CLOCK_THREAD_CPUTIME_ID);
		result = main_spin(dithered(5 * STEPS));
		at[LIBRARY] = now(CLOCK_THREAD_CPUTIME_ID);
		result = library_spin(dithered(3 * STEPS));
		at[BARE] = now(CLOCK_THREAD_CPUTIME_ID);
		result = bare_spin(dithered(2 * STEPS));
		at[CALLS] = now(CLOCK_THREAD_CPUTIME_ID);
		calls((int)dithered(CALLS_AT_ONCE));
		at[FAULTS] = now(CLOCK_THREAD_CPUTIME_ID);
		faults(pages, page);
		at[PARTS] = now(CLOCK_THREAD_CPUTIME_ID);
		for (int i = 0; i < PARTS; i++)
			took[i] += at[i + 1] - at[i];
		all += at[PARTS] - at[MAIN];
	}
	munmap(pages, (size_t)(PAGES * page));
#ifdef _OPENMP
#pragma omp critical
#endif
	for (int i = 0; i < PARTS; i++)
		sum[i] += took[i];
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;

#ifdef NO_MPI
#pragma omp parallel
	work(seconds);
#else
	MPI_Init(&argc, &argv);
	work(seconds);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
#endif
	for (int i = 0; i < PARTS; i++)
		printf("%s %.6f\n", names[i], sum[i]);
	return 0;
}
