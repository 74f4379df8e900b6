/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a region of the program's own costs, and an instrumented function: nanoseconds of each, less those of an empty
 * loop, in one line: two reads of the counter, region, short region with an integer parameter, region by a name made at
 * run time, value of a counter, function.
 */
#include "clock.h"

#define HYBMON_WEAK
#include <hybmon.h>

#define TURNS 200000
#define PLAIN __attribute__((no_instrument_function))

PLAIN static double per_turn(void (*turns)(int))
{
	uint64_t begin = bench_ns();

	turns(TURNS);
	return (double)(bench_ns() - begin) / TURNS;
}

PLAIN static void reads(int n)
{
	for (int i = 0; i < n; i++) {
		__asm__ volatile("" : : "r"(bench_counter()));
		__asm__ volatile("" : : "r"(bench_counter()));
	}
}

PLAIN static void regions(int n)
{
	for (int i = 0; i < n; i++) {
		HYBMON_SCOPE("region");
		__asm__ volatile("");
	}
}

PLAIN static void parameters(int n)
{
	for (int i = 0; i < n; i++) {
		HYBMON_SCOPE("parameter");
		HYBMON_PARAMETER_INT("turn", i);
	}
}

PLAIN static void names(int n)
{
	for (int i = 0; i < n; i++) {
		if (HYBMON_HAS(hybmon_begin))
			hybmon_begin("a name made at run time");
		if (HYBMON_HAS(hybmon_end))
			hybmon_end();
	}
}

PLAIN static void counters(int n)
{
	HYBMON_COUNTER(counter, "value", "", HYBMON_COUNTER_INT, HYBMON_COUNTER_LEVEL);

	for (int i = 0; i < n; i++)
		HYBMON_COUNT_INT(counter, i);
}

__attribute__((noinline)) static void function(void)
{
	__asm__ volatile("");
}

PLAIN static void functions(int n)
{
	for (int i = 0; i < n; i++)
		function();
}

PLAIN int main(void)
{
	void (*const what[])(int) = { reads, regions, parameters, names, counters, functions };

	bench_pin();
	for (unsigned int i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
		per_turn(what[i]);
		printf("%s%.2f", i ? " " : "", per_turn(what[i]));
	}
	printf("\n");
	return 0;
}
