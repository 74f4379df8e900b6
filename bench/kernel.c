/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel WHAT N [EXPERIMENT]: nanoseconds for each of N system calls (syscall), round trips over a pipe between two
 * threads on one CPU (switch), pages touched (fault), or pieces of work with a barrier behind each (work); or N ms of
 * doing nothing (nap). Waits before until the collector says in the experiment that it records. Any number of ranks.
 */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "collector.h"

static void syscalls(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static int there[2], back[2];
static long rounds;

static void *answer(void *unused)
{
	char c;

	bench_pin();
	for (long i = 0; i < rounds; i++) {
		if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
			exit(1);
	}
	return unused;
}

static void switches(long n)
{
	pthread_t thread;
	char c = 0;

	if (pipe(there) || pipe(back))
		exit(1);
	bench_pin();
	rounds = n;
	pthread_create(&thread, NULL, answer, NULL);
	for (long i = 0; i < n; i++) {
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(1);
	}
	pthread_join(thread, NULL);
}

static void faults(long n)
{
	char *at = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		((volatile char *)at)[i * 4096] = 1;
}

/* 200 us or so of arithmetic between two barriers */
static void work(long n)
{
	volatile double x = 1;

	for (long i = 0; i < n; i++) {
		for (int k = 0; k < 100000; k++)
			x = x * 1.0000001 + 1e-9;
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void naps(long n)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (long i = 0; i < n; i++)
		nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} actions[] = { { "syscall", syscalls }, { "switch", switches }, { "fault", faults }, { "work", work },
			{ "nap", naps } };
	long n = argc > 2 ? atol(argv[2]) : 1;
	uint64_t begin;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 3)
		wait_for_collector(argv[3]);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = bench_ns();
	for (size_t i = 0; argc > 2 && i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!strcmp(actions[i].name, argv[1]))
			actions[i].run(n);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("%.1f\n", (double)(bench_ns() - begin) / (double)n);
	MPI_Finalize();
	return 0;
}
