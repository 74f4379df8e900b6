/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that the program comes to in many ways, of each of which it writes down the lines that led there, the innermost
 * first: what call paths are to have. What is to be done the argument says: calls, threads N, library A.so, fibers, hang.
 * Built in several ways by callstack.test.
 */
#include "hybmon.h"

#include <alloca.h>
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define APART static __attribute__((noinline))
#define DEEPEST 256

static int rank;
static __thread FILE *expect;
static __thread int thread;
static __thread int lines[DEEPEST];
static __thread int depth;
static volatile int sink;

/* Calls a function of the program, from a line that is on the way. What comes after keeps it from being a jump. */
#define VIA(...) \
	do { \
		lines[depth++] = __LINE__; \
		__VA_ARGS__; \
		__asm__ volatile("" : : "i"(__LINE__) : "memory"); \
		depth--; \
	} while (0)
/* The same of the call that is recorded. */
#define AT(function, ...) \
	do { \
		wrote(#function, __LINE__); \
		function(__VA_ARGS__); \
		__asm__ volatile("" : : "i"(__LINE__) : "memory"); \
	} while (0)

static void wrote(const char *function, int line)
{
	char name[4096];

	if (!expect) {
		snprintf(name, sizeof(name), "%s/%d.%d", getenv("TEST_EXPECT"), rank, thread);
		expect = fopen(name, "w");
		if (!expect)
			abort();
	}
	fprintf(expect, "%d.%d %s %d", rank, thread, function, line);
	for (int i = depth; i-- > 0;)
		fprintf(expect, "<%d", lines[i]);
	putc('\n', expect);
	/* What hangs does not come to its end. */
	if (!strcmp(function, "MPI_Recv"))
		fflush(expect);
}

APART void call(void)
{
	int value;

	AT(MPI_Comm_rank, MPI_COMM_WORLD, &value);
	AT(MPI_Comm_size, MPI_COMM_WORLD, &value);
	AT(MPI_Comm_rank, MPI_COMM_WORLD, &value);
}

APART void recursive(int times)
{
	char frame[100];

	memset(frame, times, sizeof(frame));
	sink += frame[times % 100];
	if (times)
		VIA(recursive(times - 1));
	else
		VIA(call());
	sink += frame[0];
}

/* A frame whose size is known at run time only: there is no way but by the frame pointer. */
APART void sized(int size)
{
	char *frame = alloca((size_t)size);

	memset(frame, size, (size_t)size);
	VIA(call());
	sink += frame[size / 2];
}

/* One that has to be aligned: where it ends is stored in it. */
APART void aligned(int times)
{
	__attribute__((aligned(128))) char frame[256];
	char *more = alloca((size_t)times * 16 + 16);

	memset(frame, times, sizeof(frame));
	memset(more, times, 16);
	VIA(call());
	sink += frame[times] + more[3];
}

APART int compare(const void *a, const void *b)
{
	if (depth < 20 && *(const int *)a + *(const int *)b == 3)
		VIA(call());
	return *(const int *)a - *(const int *)b;
}

/* By way of the C library. */
APART void sorted(void)
{
	int list[] = { 2, 1 };

	VIA(qsort(list, 2, sizeof(*list), compare));
	sink += list[0];
}

/* A call that is recorded is inside of a longjmp's way, and what comes after lies where it was. */
static jmp_buf out;

APART void jumps(int times)
{
	VIA(call());
	if (times)
		longjmp(out, 1);
}

APART void jumped(void)
{
	volatile int before = depth;

	if (!setjmp(out))
		VIA(jumps(1));
	depth = before;
	VIA(jumps(0));
}

static void handler(int signal)
{
	(void)signal;
	VIA(call());
}

/* Interrupted in the middle of a function, on its stack or on another one. */
APART void interrupted(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	stack_t other = { .ss_size = 256 << 10 };

	other.ss_sp = malloc(other.ss_size);
	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	VIA(raise(SIGUSR1));
	other.ss_flags = SS_DISABLE;
	sigaltstack(&other, NULL);
	free(other.ss_sp);
}

static ucontext_t here, fiber;

static void on_fiber(void)
{
	int kept = depth;

	depth = 0;
	VIA(recursive(3));
	VIA(recursive(3));
	depth = kept;
}

/* A stack of the program's own: nobody called its first function. */
APART void fibers(void)
{
	size_t size = 128 << 10;

	getcontext(&fiber);
	fiber.uc_stack.ss_sp = malloc(size);
	fiber.uc_stack.ss_size = size;
	fiber.uc_link = &here;
	makecontext(&fiber, on_fiber, 0);
	VIA(swapcontext(&here, &fiber));
	free(fiber.uc_stack.ss_sp);
}

APART void polls(void)
{
	int flag;

	wrote("MPI_Iprobe", __LINE__ + 2);
	for (int i = 0; i < 20; i++)
		MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	AT(MPI_Barrier, MPI_COMM_SELF);
}

APART void tell(int times)
{
	for (int i = 0; i < times; i++) {
		if (HYBMON_HAS(hybmon_region_begin))
			wrote("told", __LINE__ + 1);
		HYBMON_BEGIN(region, "told");
		VIA(call());
		HYBMON_END(region);
	}
}

APART void all(void)
{
	for (int i = 0; i < 3; i++) {
		VIA(recursive(i));
		VIA(sized(100 + 100 * i));
		VIA(aligned(i));
	}
	VIA(recursive(40));
	VIA(sorted());
	VIA(polls());
	VIA(tell(3));
	VIA(jumped());
	VIA(interrupted(0));
	VIA(interrupted(SA_ONSTACK));
}

static sem_t began;
static pthread_barrier_t all_here;

static void *work(void *number)
{
	thread = *(int *)number;
	VIA(call());
	sem_post(&began);
	pthread_barrier_wait(&all_here);
	for (int i = 0; i < 20; i++)
		VIA(recursive(i % 7));
	if (fclose(expect))
		abort();
	return NULL;
}

/* One after the other as far as their first call, so that it is known which has which number; then all at once. */
static void run_threads(int count)
{
	pthread_t threads[16];
	int numbers[16];

	sem_init(&began, 0, 0);
	pthread_barrier_init(&all_here, NULL, (unsigned int)count);
	for (int i = 0; i < count; i++) {
		numbers[i] = i + 1;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
		while (sem_wait(&began))
			;
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void called_back(void)
{
	VIA(call());
}

/* A library that calls the program, loaded twice, mostly where it was before. */
static void use_library(const char *path)
{
	void (*back)(void (*function)(void), int times);
	void *library;

	for (int i = 0; i < 2; i++) {
		library = dlopen(path, RTLD_NOW);
		*(void **)&back = library ? dlsym(library, "callstack_back") : NULL;
		if (!back) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		VIA(back(called_back, 5));
		if (dlclose(library))
			exit(1);
	}
}

APART void hang(void)
{
	int in;

	AT(MPI_Recv, &in, 1, MPI_INT, (rank + 1) % 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "calls";
	int level;

	/* The first call tells the rank; it is known without MPI, too. */
	if (getenv("PMI_RANK") || getenv("OMPI_COMM_WORLD_RANK"))
		rank = atoi(getenv(getenv("PMI_RANK") ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK"));
	AT(MPI_Init_thread, &argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (!strcmp(what, "calls"))
		VIA(all());
	else if (!strcmp(what, "threads") && level == MPI_THREAD_MULTIPLE)
		run_threads(atoi(argv[2]));
	else if (!strcmp(what, "library"))
		VIA(use_library(argv[2]));
	else if (!strcmp(what, "fibers"))
		VIA(fibers());
	else if (!strcmp(what, "hang"))
		VIA(hang());
	AT(MPI_Finalize);
	return expect && fclose(expect);
}
