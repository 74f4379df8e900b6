/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * small-stack HOW: calls with little stack. `first`: the process's first call is that of a thread with the smallest
 * stack; `threads`: threads with 16 to 32 KiB whose first acts are calls, so many that chunks fill; `handler`: the
 * process ends in a signal handler on a stack of 8 KiB; `wait`: a handler there collects a child; `depth`: how much of
 * a stack each act took, into the file $TEST_DEPTH.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "count.h"

#define KIB 1024
#define LARGE (256 * KIB)
#define PAINT 0x5a
#define ROUNDS 3000	/* two records each: a chunk of the smallest size is full several times */

struct thread {
	void (*act)(void);
	volatile uint64_t *count;
	char *stack;
	size_t size;
};

static void *run(void *data)
{
	struct thread *t = data;

	count_self = t->count;
	t->act();
	return NULL;
}

static void prepare(struct thread *t, size_t size, int number)
{
	t->size = size;
	t->stack = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(t->stack != MAP_FAILED);
	memset(t->stack, PAINT, size);
	/* what grows beyond it is to be seen */
	CHECK(mprotect(t->stack + LARGE - 4 * KIB, 4 * KIB, PROT_NONE) == 0);
	t->count = count_map(number);
}

/* Sizes are what a thread has for itself; libraries' thread-local memory comes off its stack. */
static size_t start_and_join(struct thread *t, void (*act)(void))
{
	pthread_attr_t attr;
	pthread_t thread;
	size_t unused = 0;

	t->act = act;
	CHECK(pthread_attr_init(&attr) == 0);
	CHECK(pthread_attr_setstack(&attr, t->stack, t->size) == 0);
	CHECK(pthread_create(&thread, &attr, run, t) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	while (unused < t->size && t->stack[unused] == PAINT)
		unused++;
	return t->size - unused;
}

static void nothing(void)
{
}

static void ask(void)
{
	int flag;

	COUNT(MPI_Initialized(&flag));
}

static void call(void)
{
	int value;

	COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &value));
}

static void many_calls(void)
{
	int value;

	for (int i = 0; i < ROUNDS; i++) {
		COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &value));
		COUNT(MPI_Comm_size(MPI_COMM_WORLD, &value));
	}
	COUNT(MPI_Wtime());
}

static void end_here(int number)
{
	(void)number;
	_exit(7);
}

static void collect(int number)
{
	int status;

	(void)number;
	CHECK(wait(&status) > 0);
}

/* A handler with 8 KiB, of which the kernel takes up to three for its frame. */
static void handle(void (*handler)(int))
{
	static char memory[3 * 4 * KIB] __attribute__((aligned(4 * KIB)));
	stack_t stack = { .ss_sp = memory + 4 * KIB, .ss_size = 8 * KIB };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	CHECK(mprotect(memory, 4 * KIB, PROT_NONE) == 0);
	CHECK(sigaltstack(&stack, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(raise(SIGUSR1) == 0);
	stack.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&stack, NULL) == 0);
}

static void measure(FILE *out, const char *what, void (*act)(void), int number)
{
	struct thread t;
	size_t before;

	prepare(&t, LARGE / 2, number);
	before = start_and_join(&t, nothing);
	memset(t.stack, PAINT, t.size);
	fprintf(out, "%s %zu\n", what, start_and_join(&t, act) - before);
}

static FILE *depths(void)
{
	const char *path = getenv("TEST_DEPTH");
	FILE *out = fopen(path ? path : "/dev/null", "w");

	CHECK(out);
	return out;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "threads";
	FILE *out = depths();
	struct thread t;
	int threads = 0;

	count_open(0);
	if (strcmp(how, "first") == 0) {
		prepare(&t, 16 * KIB, ++threads);
		start_and_join(&t, ask);
	}
	if (strcmp(how, "depth") == 0)
		measure(out, "first", ask, ++threads);
	COUNT(MPI_Init(&argc, &argv));
	if (strcmp(how, "depth") == 0) {
		measure(out, "call", call, ++threads);
		measure(out, "many", many_calls, ++threads);
	}
	for (size_t size = 16 * KIB; strcmp(how, "threads") == 0 && size <= 32 * KIB; size += 4 * KIB) {
		prepare(&t, size, ++threads);
		start_and_join(&t, many_calls);
	}
	if (strcmp(how, "wait") == 0) {
		pid_t child = fork();

		CHECK(child >= 0);
		if (child == 0)
			_exit(3);
		handle(collect);
	}
	COUNT(MPI_Finalize());
	fclose(out);
	if (strcmp(how, "handler") == 0)
		handle(end_here);
	return 0;
}
