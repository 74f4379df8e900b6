/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for the resolver behind the stubs, in a shared object with them: every stub asks it
 * once, with its own number, and lets all arguments through, at the first call and at the next.
 * Prints TAP.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pmpi/entry/dispatch.h"
#include "pmpi/table/function-info.h"
#include "pmpi/table/functions.h"

/* More of both kinds than there are registers for. */
typedef double (*target_fn)(long a, long b, long c, long d, long e, long f, long g, long h, long i,
			    long j, double k, double l, double m, double n, double o, double p,
			    double q, double r, double s);

static unsigned int asked;	/* how often the resolver was */
static unsigned int number;	/* the latest it was asked for */
static unsigned int reached;

static double target(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j,
		     double k, double l, double m, double n, double o, double p, double q, double r,
		     double s)
{
	if (a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 &&
	    i == 9 && j == 10 && k == 0.5 && l == 1.5 && m == 2.5 && n == 3.5 && o == 4.5 && p == 5.5 &&
	    q == 6.5 && r == 7.5 && s == 8.5)
		reached++;
	return 42.25;
}

/* What any function may do to the registers that the arguments are in. */
static void spoil(void)
{
#if defined(__x86_64__)
	__asm__ volatile("xor %%edi, %%edi; xor %%esi, %%esi; xor %%edx, %%edx\n\t"
			 "xor %%ecx, %%ecx\n\t"
			 "xor %%r8d, %%r8d; xor %%r9d, %%r9d\n\t"
			 "xorps %%xmm0, %%xmm0; xorps %%xmm1, %%xmm1; xorps %%xmm2, %%xmm2\n\t"
			 "xorps %%xmm3, %%xmm3; xorps %%xmm4, %%xmm4; xorps %%xmm5, %%xmm5\n\t"
			 "xorps %%xmm6, %%xmm6; xorps %%xmm7, %%xmm7"
			 ::: "rdi", "rsi", "rdx", "rcx", "r8", "r9", "xmm0", "xmm1", "xmm2",
			 "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("mov x0, #0; mov x1, #0; mov x2, #0; mov x3, #0; mov x4, #0\n\t"
			 "mov x5, #0; mov x6, #0; mov x7, #0\n\t"
			 "fmov d0, xzr; fmov d1, xzr; fmov d2, xzr; fmov d3, xzr; fmov d4, xzr\n\t"
			 "fmov d5, xzr; fmov d6, xzr; fmov d7, xzr"
			 ::: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "v0", "v1", "v2",
			 "v3", "v4", "v5", "v6", "v7");
#endif
}

void *hyb_mpi_resolve(unsigned int function, const void *site)
{
	Dl_info info;

	/* It is called from here. */
	if (!dladdr(site, &info) || !info.dli_fname || !strstr(info.dli_fname, "stubs"))
		printf("# a call from where there is none\n"), reached = 100;
	spoil();
	asked++;
	number = function;
	__atomic_store_n(&hyb_mpi_entry[function], (void *)target, __ATOMIC_RELEASE);
	return (void *)target;
}

static bool works(unsigned int function, const char *name, unsigned int times)
{
	target_fn stub = (target_fn)dlvsym(RTLD_DEFAULT, name, "HYBMON_1");
	int i;

	if (!stub)
		return false;
	asked = number = reached = 0;
	for (i = 0; i < 2; i++) {
		if (stub(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5,
			 8.5) != 42.25)
			return false;
	}
	return asked == times && (!times || number == function) && reached == 2;
}

/* As it was before its first call. */
static bool goes_back(unsigned int function, const char *name)
{
	const int32_t *first = &hyb_mpi_first[function];

	__atomic_store_n(&hyb_mpi_entry[function], (void *)((uintptr_t)first + (uintptr_t)*first), __ATOMIC_RELEASE);
	return works(function, name, 1);
}

/* All spellings lead to the same entry: the resolver is asked at the first of them. */
static bool fortran_works(unsigned int number)
{
	const char *name = hyb_fortran[number - HYB_MPI_FUNCTIONS].spellings;
	bool right = true;

	for (unsigned int times = 1; *name; name += strlen(name) + 1, times = 0) {
		if (!works(number, name, times)) {
			printf("# %s: does not reach what it should\n", name);
			right = false;
		}
	}
	if (!goes_back(number, hyb_fortran[number - HYB_MPI_FUNCTIONS].spellings)) {
		printf("# %s: does not go back\n", hyb_fortran[number - HYB_MPI_FUNCTIONS].spellings);
		right = false;
	}
	return right;
}

HYB_EXPORT int hyb_test_stubs(void)
{
	unsigned int function, wrong = 0;

	for (function = 1; function < HYB_MPI_FUNCTIONS; function++) {
		if (!works(function, hyb_functions[function].name, 1) || !goes_back(function, hyb_functions[function].name)) {
			printf("# %s: asked %u times, for %u; %u times as it should\n",
			       hyb_functions[function].name, asked, number, reached);
			wrong++;
		}
	}
	printf("# %u stubs\n", function - 1);
	for (function++; function < HYB_MPI_ENTRIES; function++)
		wrong += !fortran_works(function);
	printf("# %u with Fortran's\n", function - 2);
	return wrong > 0;
}
