/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * beneath N DIR [kill]: does known things in regions, each N times: naps, page faults, system calls, and waiting for a
 * CPU that another thread wants as well. Says what getrusage counted there. Waits before until the collector of the
 * experiment DIR records. DIR may be `-`: there is none. With kill it ends by SIGKILL, in a region.
 */
#define _GNU_SOURCE

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HYBMON_WEAK
#include "collector.h"
#include "hybmon.h"

static volatile int over;

static struct rusage used(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage;
}

static void rest(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

/* Regions so often that a thread which has no data of the kernel yet gets it. */
static void come_to(void)
{
	for (int i = 0; i < 100; i++) {
		HYBMON_BEGIN(ready, "ready");
		rest(2000000);
		HYBMON_END(ready);
	}
}

static void naps(long n)
{
	struct rusage before, after;

	HYBMON_BEGIN(region, "naps");
	before = used();
	for (long i = 0; i < n; i++)
		rest(1000000);
	after = used();
	HYBMON_END(region);
	printf("naps voluntary %ld\n", after.ru_nvcsw - before.ru_nvcsw);
}

static void faults(long n)
{
	char *at = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, (size_t)n * 4096, MADV_NOHUGEPAGE);
	HYBMON_BEGIN(region, "faults");
	for (long i = 0; i < n; i++)
		((volatile char *)at)[i * 4096] = 1;
	HYBMON_END(region);
}

/* As many in a region within. */
static void calls(long n)
{
	HYBMON_BEGIN(region, "calls");
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	HYBMON_BEGIN(within, "within");
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	HYBMON_END(within);
	HYBMON_END(region);
}

/* On the first CPU that it may have. */
static void pin(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void *compete(void *unused)
{
	pin();
	while (!over)
		;
	return unused;
}

/* n ms of this thread's time. */
static void spins(long n)
{
	struct rusage before, after;
	struct timespec t;
	pthread_t thread;
	long long begin;

	pin();
	pthread_create(&thread, NULL, compete, NULL);
	HYBMON_BEGIN(region, "spins");
	before = used();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	begin = t.tv_sec * 1000000000LL + t.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000LL + t.tv_nsec < begin + n * 1000000LL);
	after = used();
	HYBMON_END(region);
	over = 1;
	pthread_join(thread, NULL);
	printf("spins involuntary %ld\n", after.ru_nivcsw - before.ru_nivcsw);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;

	MPI_Init(&argc, &argv);
	if (argc > 2 && strcmp(argv[2], "-"))
		wait_for_collector(argv[2]);
	come_to();
	naps(n);
	faults(n);
	calls(n);
	spins(n);
	fflush(stdout);
	if (argc > 3 && !strcmp(argv[3], "kill")) {
		HYBMON_BEGIN(last, "last");
		for (long i = 0; i < n; i++)
			syscall(SYS_getppid);
		HYBMON_BEGIN(killed, "killed");
		kill(getpid(), SIGKILL);
	}
	MPI_Finalize();
	return 0;
}
