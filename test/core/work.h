/* SPDX-License-Identifier: BSD-3-Clause */
/* Exactly so many page faults, voluntary switches and milliseconds of CPU time. */
#ifndef HYB_TEST_WORK_H
#define HYB_TEST_WORK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Who maps may have to wait for other threads that do so, which is a switch. By system calls, since libraries beneath
 * MPI (UCX) put themselves before those of libc, and have faults of their own there.
 */
static void work_faults(int n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *at;

	if (!n)
		return;
	at = (char *)syscall(SYS_mmap, NULL, (size_t)((n + 1) * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0L);
	syscall(SYS_madvise, at, (size_t)((n + 1) * page), MADV_NOHUGEPAGE);
	for (int i = 0; i < n; i++)
		*(volatile char *)(at + i * page) = 1;
	syscall(SYS_munmap, at, (size_t)((n + 1) * page));
}

static inline long work_voluntary(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* A nap that ends before the thread has gone to sleep is no switch, nor is one voluntary that loses its CPU on the way. */
static void work_switches(int n)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	long end = work_voluntary() + n;

	while (work_voluntary() < end)
		nanosleep(&moment, NULL);
}

static inline int64_t work_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void work_time(int ms)
{
	int64_t end = work_cpu() + ms * INT64_C(1000000);

	while (ms && work_cpu() < end)
		;
}

static void work(int faults, int switches, int ms)
{
	work_faults(faults);
	work_switches(switches);
	work_time(ms);
}

#endif
