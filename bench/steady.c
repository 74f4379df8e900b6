/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steady [CALLS [many]]: CALLS (1 million) times two cheap MPI calls, or calls that complete 200 requests and ask for
 * them, between two system calls that a system call tracer shows as writes of `begin` and `end` to descriptor -1.
 * Prints how often anything in the process allocated memory or took a lock of libpthread's between them.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

typedef int (*lock_function)(pthread_mutex_t *mutex);

/* glibc's own names for what is replaced here */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static long allocations;
static long locks;

void *malloc(size_t size)
{
	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	return __libc_realloc(old, size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function next;

	if (!next)
		next = (lock_function)dlsym(RTLD_NEXT, "pthread_mutex_lock");
	__atomic_add_fetch(&locks, 1, __ATOMIC_RELAXED);
	return next(mutex);
}

static void mark(const char *text)
{
	if (write(-1, text, strlen(text)) >= 0)
		abort();
}

#define MANY 200

/* Null requests: what is asked for is what the calls themselves need. */
static void work_many(long calls)
{
	static MPI_Request requests[MANY];
	int flag;

	for (int i = 0; i < MANY; i++)
		requests[i] = MPI_REQUEST_NULL;
	while (calls--) {
		MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
		MPI_Testall(MANY, requests, &flag, MPI_STATUSES_IGNORE);
	}
}

static void work_cheap(long calls)
{
	int rank;

	while (calls--) {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000;
	void (*work)(long) = argc > 2 ? work_many : work_cheap;
	long allocated, locked;

	MPI_Init(&argc, &argv);
	work(10000);
	allocated = allocations;
	locked = locks;
	if (!allocated || !locked) {
		fputs("steady: MPI_Init is not seen to allocate and lock: nothing is counted\n",
		      stderr);
		return 1;
	}
	mark("begin");
	work(calls);
	mark("end");
	printf("allocations %ld locks %ld\n", allocations - allocated, locks - locked);
	MPI_Finalize();
	return 0;
}
