/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions in all the ways that C has: nested, recursive, in threads, with names made at run time, in signal handlers,
 * left by longjmp, by return and by goto, with all kinds of parameters. Is also C++, of any standard.
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "said.h"

static jmp_buf back;

static int fibonacci(int n)
{
	int result;

	BEGIN(region, "fibonacci");
	PARAMETER(region, int, INT, "int", "%d", "n", n);
	result = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	END(region);
	return result;
}

#ifndef __cplusplus
static void left_scope(const int *line)
{
	SAID("leave", "scope", *line);
}
#else
struct left_scope {
	int line;
	~left_scope()
	{
		SAID("leave", "scope", line);
	}
};
#endif

/* Left in many ways. */
static int scopes(int how)
{
#ifdef __cplusplus
	const left_scope left = { __LINE__ + 4 };
#else
	const int left __attribute__((cleanup(left_scope), unused)) = __LINE__ + 2;
#endif
	HYBMON_SCOPE("scope"); SAID("enter", "scope", __LINE__);
	for (int i = 0; i < 4; i++) {
		if (i == how)
			return i;
		if (i == 2 && how == 5)
			goto out;
	}
out:
	return how;
}

static void parameters(void)
{
	BEGIN(region, "parameters");
	PARAMETER(region, int, INT, "int", "%" PRId64, "smallest", INT64_MIN);
	PARAMETER(region, int, INT, "int", "%" PRId64, "largest", INT64_MAX);
	PARAMETER(region, uint, UINT, "unsigned", "%" PRIu64, "largest", UINT64_MAX);
	PARAMETER(region, double, DOUBLE, "double", "%.17g", "third", 1.0 / 3);
	PARAMETER(region, double, DOUBLE, "double", "%.17g", "least", -5e-324);
	PARAMETER(region, string, STRING, "string", "%s", "text", "one");
	PARAMETER(region, string, STRING, "string", "\"%s\"", "text", "two words");
	PARAMETER(region, string, STRING, "string", "\"%s\"", "text", "");
	END(region);
}

static void run_time_names(void)
{
	struct hybmon_region *region;
	char name[64];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "made-%d", i % 2);
		if (HYBMON_HAS(hybmon_begin))
			hybmon_begin(name);
		said("enter %s", name);
		BEGIN(inner, "inner");
		END(inner);
		if (HYBMON_HAS(hybmon_end))
			hybmon_end();
		said("leave %s", name);
	}
	if (!HYBMON_HAS(hybmon_region_named))
		return;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	region = hybmon_region_named(name, "/made/up/file.f90", 4711, HYBMON_ROLE_LOOP);
	hybmon_region_begin(region);
	said("enter %s @file.f90:4711", name);
	hybmon_region_end(region);
	said("leave %s @file.f90:4711", name);
	/* Nothing, and nothing to end. */
	hybmon_region_begin(NULL);
	hybmon_region_end(NULL);
}

static void jumps(void)
{
	BEGIN(here, "here");
	if (!setjmp(back)) {
		BEGIN(there, "there");
		BEGIN(farther, "farther");
		longjmp(back, 1);
		END(farther);
		END(there);
	}
	END(here);
}

static void on_signal(int number)
{
	BEGIN(region, "handler");
	PARAMETER(region, int, INT, "int", "%d", "signal", number);
	END(region);
}

static void signals(void)
{
	BEGIN(region, "signals");
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	fibonacci(1);
	raise(SIGUSR1);
	END(region);
}

/* The end of what was never begun, as of a region that another thread began. */
static void stray(void)
{
	static struct hybmon_region region = HYBMON_REGION_INIT("stray", HYBMON_ROLE_FUNCTION);
	const int region_line = __LINE__ - 1;

	HYBMON_BEGIN_AGAIN(region);
	SAID("enter", "stray", region_line);
	END(region);
	END(region);
	fibonacci(0);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *number)
{
	said_thread(*(int *)number);
	BEGIN(region, "thread");
	pthread_mutex_unlock(&turn);
	PARAMETER(region, int, INT, "int", "%d", "number", *(int *)number);
	for (int i = 0; i < 100; i++)
		fibonacci(4);
	END(region);
	if (said_file)
		fclose(said_file);
	return NULL;
}

/* Streams are numbered by the first event of each. */
static void threads(void)
{
	static int numbers[8];
	pthread_t ids[8];

	for (int i = 0; i < 8; i++) {
		numbers[i] = i + 1;
		pthread_mutex_lock(&turn);
		pthread_create(&ids[i], NULL, thread, &numbers[i]);
	}
	for (int i = 0; i < 8; i++)
		pthread_join(ids[i], NULL);
}

int main(void)
{
	int all = 0;

	said_thread(0);
	HYBMON_PHASE_BEGIN(phase, "phase"); const int phase_line = __LINE__;
	SAID("enter", "phase", phase_line);
	all += fibonacci(10);
	for (int i = 0; i < 7; i++)
		all += scopes(i);
	parameters();
	run_time_names();
	jumps();
	signals();
	END(phase);
	/* Of nothing: not recorded. */
	HYBMON_PARAMETER_INT("nobody's", 1);
	stray();
	threads();
	for (int i = 0; i < 3; i++) {
		HYBMON_ITERATION("step", i); const int step_line = __LINE__;
		SAID("enter", "step", step_line);
		SAID("point", "step", step_line);
		said("  parameter iteration int=%d", i);
		SAID("leave", "step", step_line);
	}
	printf("%d\n", all);
	return 0;
}
