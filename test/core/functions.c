/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that the compiler tells of (-finstrument-functions), which the program says, too. Is also C++, where
 * exceptions leave some.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIET __attribute__((no_instrument_function))

static __thread FILE *said_file;
static __thread int said_thread;

QUIET static void begin_thread(int number)
{
	const char *folder = getenv("TEST_SAID");
	char path[4096];

	snprintf(path, sizeof(path), "%s/-.%d", folder ? folder : ".", number);
	said_file = fopen(path, "w");
	said_thread = number;
}

/* As the merge names it: in C++ with the types of its parameters. */
QUIET static void say(const char *what, const char *name, const char *types, int line)
{
#ifdef __cplusplus
	fprintf(said_file, "-.%d %s \"%s%s\" @functions.c:%d\n", said_thread, what, name, types, line);
#else
	(void)types;
	fprintf(said_file, "-.%d %s %s @functions.c:%d\n", said_thread, what, name, line);
#endif
}

#define ENTER(name, types) enum { line = __LINE__ - 2 }; say("enter", #name, types, line)
#define LEAVE(name, types) say("leave", #name, types, line)

__attribute__((noinline)) static int fibonacci(int n)
{
	ENTER(fibonacci, "(int)");
	int result = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);

	LEAVE(fibonacci, "(int)");
	return result;
}

static jmp_buf back;
static volatile int always = 1;

__attribute__((noinline)) static void jumps(int depth)
{
	ENTER(jumps, "(int)");
	if (depth)
		jumps(depth - 1);
	if (always)
		longjmp(back, 1);
}

__attribute__((noinline)) static void caught(void)
{
	ENTER(caught, "()");
	if (!setjmp(back))
		jumps(2);
	LEAVE(caught, "()");
}

#ifdef __cplusplus
__attribute__((noinline)) static int thrower(int depth)
{
	ENTER(thrower, "(int)");
	try {
		if (!depth)
			throw depth;
		depth += thrower(depth - 1);
	} catch (...) {
		LEAVE(thrower, "(int)");
		throw;
	}
	return depth;
}

__attribute__((noinline)) static void catcher(void)
{
	ENTER(catcher, "()");
	try {
		thrower(3);
	} catch (int) {
	}
	LEAVE(catcher, "()");
}
#endif

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void work(void)
{
	ENTER(work, "()");
	pthread_mutex_unlock(&turn);
	fibonacci(6);
	LEAVE(work, "()");
}

QUIET static void *thread(void *number)
{
	begin_thread(*(int *)number);
	work();
	fclose(said_file);
	return NULL;
}

QUIET int main(void)
{
	static int numbers[4];
	pthread_t ids[4];

	begin_thread(0);
	fibonacci(8);
	caught();
#ifdef __cplusplus
	catcher();
#endif
	for (int i = 0; i < 4; i++) {
		numbers[i] = i + 1;
		pthread_mutex_lock(&turn);
		pthread_create(&ids[i], NULL, thread, &numbers[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	fclose(said_file);
	return 0;
}
