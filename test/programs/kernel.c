/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel WHAT N [DIR]: does N times what the kernel is known to do something for, between a call of MPI_Comm_rank and
 * one of MPI_Comm_size. Prints what there is to be found. Waits before until the collector says in the experiment DIR
 * that it records; where there is none it does not wait for ever.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"

#define PLACE 0x7e0000000000	/* where pages are touched: addresses that nothing else has */

static volatile sig_atomic_t signals;

static void getppids(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void faults(long n)
{
	char *at = mmap((void *)PLACE, (size_t)n * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at == MAP_FAILED) {
		perror("kernel: mmap");
		exit(1);
	}
	madvise(at, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		((volatile char *)at)[i * 4096] = 1;
}

/* Pages that the kernel is the first to write to, in the program's name. */
static void copies(long n)
{
	char *at = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int zeroes = open("/dev/zero", O_RDONLY);

	if (at == MAP_FAILED)
		exit(1);
	madvise(at, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++) {
		if (read(zeroes, at + i * 4096, 8) != 8)
			exit(1);
	}
}

static void handler(int signal)
{
	(void)signal;
	signals++;
}

static void raises(long n)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < n; i++)
		raise(SIGUSR1);
	if (signals != n)
		exit(1);
}

static void naps(long n)
{
	const struct timespec t = { .tv_nsec = 100000 };

	for (long i = 0; i < n; i++)
		nanosleep(&t, NULL);
}

static cpu_set_t every;	/* that there was at first */

/* On the first CPU, or on the last. */
static void pin_to(int last)
{
	cpu_set_t set;
	int cpu = 0;

	if (!CPU_COUNT(&every))
		sched_getaffinity(0, sizeof(every), &every);
	for (int left = last ? CPU_COUNT(&every) : 1; left; cpu++)
		left -= !!CPU_ISSET(cpu, &every);
	cpu--;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void pin(void)
{
	pin_to(0);
}

static int to_pong[2], to_ping[2];
static long rounds;

static void *pong(void *unused)
{
	char c;

	pin();
	for (long i = 0; i < rounds; i++) {
		if (read(to_pong[0], &c, 1) != 1 || write(to_ping[1], &c, 1) != 1)
			exit(1);
	}
	return unused;
}

static void pingpongs(long n)
{
	pthread_t thread;
	char c = 0;

	if (pipe(to_pong) || pipe(to_ping))
		exit(1);
	pin();
	rounds = n;
	pthread_create(&thread, NULL, pong, NULL);
	for (long i = 0; i < n; i++) {
		if (write(to_pong[1], &c, 1) != 1 || read(to_ping[0], &c, 1) != 1)
			exit(1);
	}
	pthread_join(thread, NULL);
}

static volatile int spun;

static void *compete(void *unused)
{
	pin();
	while (!spun)
		;
	return unused;
}

/* n ms of this thread's time, on a CPU that another one wants as well. */
static void spins(long n)
{
	struct timespec t;
	pthread_t thread;
	long long begin;

	pin();
	pthread_create(&thread, NULL, compete, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	begin = t.tv_sec * 1000000000LL + t.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000LL + t.tv_nsec < begin + n * 1000000LL);
	spun = 1;
	pthread_join(thread, NULL);
}

/* n bytes over TCP to ourselves, in pieces of 1000. */
static void sends(long n)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int out = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(a);
	char data[1000] = "";
	int in;

	if (bind(listener, (void *)&a, sizeof(a)) || listen(listener, 1) || getsockname(listener, (void *)&a, &size) ||
	    connect(out, (void *)&a, sizeof(a)))
		exit(1);
	in = accept(listener, NULL, NULL);
	for (long i = 0; i < n; i += (long)sizeof(data)) {
		if (send(out, data, sizeof(data), 0) != sizeof(data) ||
		    recv(in, data, sizeof(data), MSG_WAITALL) != sizeof(data))
			exit(1);
	}
}

/*
 * n transfers from a block device, of 4096 bytes each, apart from each other and one after the other. Where files are
 * not on one, or it cannot be read so: exit status 77.
 */
static void reads(long n)
{
	int out = open("blocks", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int in = open("blocks", O_RDONLY | O_DIRECT);
	char *data;

	if (in < 0 || posix_memalign((void **)&data, 4096, 16384))
		exit(77);
	memset(data, 1, 16384);
	for (long i = 0; i < n; i++) {
		if (write(out, data, 16384) != 16384)
			exit(77);
	}
	if (fsync(out))
		exit(77);
	close(out);
	for (long i = 0; i < n; i++) {
		if (pread(in, data, 4096, i * 16384) != 4096)
			exit(77);
	}
}

/* A process of the job that is not a rank. */
static void children(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			getppids(100);
			syscall(SYS_exit_group, 0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Processes of processes that it starts: those on the last CPU, these on the first. */
/* The program `other` in the working directory */
static void executes(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			execl("./other", "other", (char *)NULL);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			exit(1);
	}
}

static void grandchildren(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t pid;

		pin_to(1);
		pid = fork();
		if (!pid) {
			pin_to(0);
			children(1);
			syscall(SYS_exit_group, 0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Until it is told to go on: a file `go` in the working directory. */
static void waits(long n)
{
	printf("waiting\n");
	fflush(stdout);
	while (access("go", F_OK))
		nap(n);
}

static const struct {
	const char *name;
	void (*run)(long n);
} actions[] = {
	{ "getppid", getppids }, { "fault", faults }, { "copy", copies }, { "signal", raises }, { "nap", naps }, { "pingpong", pingpongs },
	{ "spin", spins }, { "send", sends }, { "child", children },
	{ "grandchild", grandchildren }, { "execute", executes },
	{ "read", reads }, { "wait", waits },
};

int main(int argc, char **argv)
{
	struct rusage before, after;
	int unused;

	MPI_Init(&argc, &argv);
	if (argc > 3)
		wait_for_collector(argv[3]);
	for (size_t i = 0; argc > 2 && i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, argv[1]))
			continue;
		MPI_Comm_rank(MPI_COMM_WORLD, &unused);
		getrusage(RUSAGE_THREAD, &before);
		actions[i].run(strtol(argv[2], NULL, 10));
		getrusage(RUSAGE_THREAD, &after);
		MPI_Comm_size(MPI_COMM_WORLD, &unused);
	}
	printf("tid=%ld voluntary=%ld involuntary=%ld\n", (long)syscall(SYS_gettid), after.ru_nvcsw - before.ru_nvcsw,
	       after.ru_nivcsw - before.ru_nivcsw);
	MPI_Finalize();
	return 0;
}
