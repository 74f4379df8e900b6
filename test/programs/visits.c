/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * visits COUNT: regions of each kind that a filter can name, some of them many and short, and what hybmon filter has to
 * make of that: lines "KIND VISITS NAME". Functions are told as compilers tell of them.
 */
#define HYBMON_WEAK
#include <hybmon.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void __cyg_profile_func_enter(void *function, void *site) __attribute__((weak));
void __cyg_profile_func_exit(void *function, void *site) __attribute__((weak));

static volatile double sink;

static void tell(int enter, void *function)
{
	if (enter && __cyg_profile_func_enter)
		__cyg_profile_func_enter(function, __builtin_return_address(0));
	else if (!enter && __cyg_profile_func_exit)
		__cyg_profile_func_exit(function, __builtin_return_address(0));
}

/* Recursion: its time is in itself. */
static __attribute__((noinline)) long visits_fib(int n)
{
	long sum;

	tell(1, (void *)visits_fib);
	sum = n < 2 ? 1 : visits_fib(n - 1) + visits_fib(n - 2) + 1;
	tell(0, (void *)visits_fib);
	return sum;
}

static void nap(void)
{
	const struct timespec time = { .tv_nsec = 5000000 };

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 30000, calls = 0;
	int rank, size, next, before, in, out = 1, flag = 0;
	MPI_Request request;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	before = (rank + size - 1) % size;
	for (long i = 0; i < count; i++) {
		HYBMON_SCOPE("many [short]* ");
		sink += MPI_Wtime();
	}
	for (long i = 0; i < count; i++) {
		HYBMON_SCOPE("kept");
		HYBMON_PARAMETER_INT("turn", i);
	}
	for (int i = 0; i < 20; i++) {
		HYBMON_SCOPE("long");
		nap();
	}
	for (long i = 0; i < count; i++)
		MPI_Sendrecv(&out, 1, MPI_INT, next, 0, &in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (!flag) {
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
		calls++;
	}
	printf("region %ld many [short]* \nregion %ld kept\nregion 20 long\n", count, count);
	printf("function %ld visits_fib\n", visits_fib(18));
	printf("mpi %ld MPI_Wtime\nmpi %ld MPI_Sendrecv\nmpi 1 MPI_Ibarrier\nmpi %ld MPI_Test\n", count, count, calls);
	printf("mpi 1 MPI_Init\nmpi 1 MPI_Finalize\nmpi 1 MPI_Comm_rank\nmpi 1 MPI_Comm_size\n");
	MPI_Finalize();
	return 0;
}
