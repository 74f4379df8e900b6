/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * victim NAPS DISTURBANCE DIR: two ranks, each on a CPU of its own if there are two. Both call MPI_Reduce_local NAPS
 * times with an operation that naps for 2 ms; rank 0 waits in MPI_Recv for a rank that naps for 200 ms. Then rank 0
 * computes and rank 1 waits for it, while, for DISTURBANCE ms of its own time, a process that rank 0 started spins on
 * rank 0's CPU, and naps after each 30 ms for 70 ms: KTAU's 3 s of every 10. Rank 0 prints how long that was, in ns, as
 * the process measured it. Begins when the collector says in the experiment DIR that it records; where there is none it
 * does not wait for ever.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"

#define PULSE 30000000	/* ns */

static int rank;

/* On the first CPU that there is, or on the second. */
static void pin(int which)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	which %= CPU_COUNT(&set);
	while (!CPU_ISSET(cpu, &set) || which-- > 0)
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void sleepy(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)type;
	nap(2);
	for (int i = 0; i < *count; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void naps(long n)
{
	int one = 1, sum = 0;
	MPI_Op op;

	MPI_Op_create(sleepy, 1, &op);
	for (long i = 0; i < n; i++)
		MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
	MPI_Op_free(&op);
	if (sum != n)
		exit(1);
}

static void wait_for_rank_1(void)
{
	int value = 0;

	if (rank == 1) {
		nap(200);
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static long long own_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The process that spins: says when it begins, and how long it did. */
static void compete(long ms, int out)
{
	long long begin, now, pulse;

	prctl(PR_SET_NAME, "competitor");
	begin = now = own_time();
	if (write(out, &now, sizeof(now)) != sizeof(now))
		syscall(SYS_exit_group, 1);
	for (pulse = now + PULSE; now < begin + ms * 1000000; now = own_time()) {
		if (now < pulse)
			continue;
		nap(70);
		pulse += PULSE;
	}
	now -= begin;
	if (write(out, &now, sizeof(now)) != sizeof(now))
		syscall(SYS_exit_group, 1);
	syscall(SYS_exit_group, 0);
}

/* Computes for as long as the other one spins, and for 50 ms where nobody does. */
static void be_disturbed(long ms)
{
	long long spun = 0, begin = own_time();
	volatile double x = 1;
	int ends[2];
	pid_t pid = 0;

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC))
		exit(1);
	if (ms)
		pid = fork();
	if (!pid && ms)
		compete(ms, ends[1]);
	do {
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001;
	} while ((ms && waitpid(pid, NULL, WNOHANG) == 0) || own_time() < begin + 50000000);
	if (ms && (read(ends[0], &spun, sizeof(spun)) != sizeof(spun) ||
		   read(ends[0], &spun, sizeof(spun)) != sizeof(spun)))
		exit(1);
	printf("spun=%lld\n", spun);
}

int main(int argc, char **argv)
{
	int value = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 4 || rank > 1)
		MPI_Abort(MPI_COMM_WORLD, 2);
	pin(rank);
	wait_for_collector(argv[3]);
	MPI_Barrier(MPI_COMM_WORLD);
	naps(atol(argv[1]));
	wait_for_rank_1();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		be_disturbed(atol(argv[2]));
		MPI_Ssend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
