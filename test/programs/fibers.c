/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fibers WHAT: calls that are left, by a program that goes on elsewhere. The way out of a call is the error handler.
 *
 *	jump	by longjmp; the next calls are made where an untouched buffer of their callers lies over the frame of the
 *		call that was left
 *	switch	to another stack of the same thread, which calls MPI and leaves a call too, and back
 *	above	the same with the other stack at higher addresses
 *	move	to another thread, which goes on with the call
 *	inside	not at all: the handler calls MPI, which belongs to the call
 *
 * Counts the calls of MPI_Comm_rank that are to be seen.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK (256 << 10)

static const char *what;
static jmp_buf back;
static ucontext_t first, second, mover;
static volatile int stage, calls, failing;
static char low[STACK];
static void *stack = low;

static void __attribute__((noinline)) rank(void)
{
	int it;

	MPI_Comm_rank(MPI_COMM_WORLD, &it);
	calls++;
}

/* Sends to a rank that there is not. */
static void __attribute__((noinline)) fail(void)
{
	int data = 0;

	failing++;
	MPI_Send(&data, 1, MPI_INT, 1000, 1, MPI_COMM_WORLD);
}

static void on_error(MPI_Comm *comm, int *error, ...)
{
	int it;

	(void)error;
	if (!strcmp(what, "jump"))
		longjmp(back, 1);
	if (!strcmp(what, "inside")) {
		MPI_Comm_rank(*comm, &it);
		return;
	}
	if (!stage++) {
		swapcontext(&first, !strcmp(what, "move") ? &mover : &second);
	} else {
		/* the other stack's call waits, too, until the first one's is over */
		swapcontext(&second, &first);
	}
}

/* Nothing is written to the buffer. */
static void __attribute__((noinline)) over(size_t size)
{
	volatile char *buffer = __builtin_alloca(size);

	__asm__ volatile("" : : "r"(buffer) : "memory");
	rank();
}

static void jump(void)
{
	for (volatile size_t size = 0; size < 8192; size += 32) {
		if (!setjmp(back))
			fail();
		over(size);
		rank();
	}
}

static void other(void)
{
	rank();
	fail();
	rank();
	setcontext(&first);
}

static void switched(void)
{
	getcontext(&second);
	second.uc_stack.ss_sp = stack;
	second.uc_stack.ss_size = STACK;
	makecontext(&second, other, 0);
	rank();
	fail();
	rank();
	/* and to the end of the other one's call */
	swapcontext(&first, &second);
	rank();
}

static void moved(void)
{
	rank();
	fail();
	rank();
	setcontext(&second);
}

static void *carry_on(void *arg)
{
	(void)arg;
	rank();
	swapcontext(&second, &first);
	rank();
	return NULL;
}

static void move(void)
{
	static char own[STACK];
	static ucontext_t begin;
	pthread_t thread;

	getcontext(&begin);
	begin.uc_stack.ss_sp = own;
	begin.uc_stack.ss_size = STACK;
	makecontext(&begin, moved, 0);
	swapcontext(&mover, &begin);
	/* here when it left its call */
	rank();
	pthread_create(&thread, NULL, carry_on, NULL);
	pthread_join(thread, NULL);
	rank();
}

int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	int provided;

	if (argc != 2)
		return 2;
	what = argv[1];
	/* some MPIs hold a lock while the handler runs */
	if (!strcmp(what, "move"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(on_error, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (!strcmp(what, "jump")) {
		jump();
	} else if (!strcmp(what, "inside")) {
		for (int i = 0; i < 100; i++) {
			rank();
			fail();
		}
	} else if (!strcmp(what, "move")) {
		move();
	} else {
		char here[STACK * 2];

		/* within this function's frame, which is above what it calls */
		if (!strcmp(what, "above"))
			stack = here + STACK / 2;
		switched();
	}
	MPI_Finalize();
	printf("ranks %d sends %d\n", calls, failing);
	return 0;
}
