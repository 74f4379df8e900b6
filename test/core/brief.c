/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * brief STEPS SEED: regions in each other, at random, and what is to be recorded of them where a filter says
 *
 *	shortest 1000s region never*
 *	shortest 1us region always*
 *
 * as hybmon-print --events --no-times shows it: a region of the first kind is there if something else is recorded in it,
 * and then from its begin on.
 */
#define HYBMON_WEAK
#include <hybmon.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 40

static const char *const names[] = { "never", "never more", "always", "plain" };

static struct {
	const char *name;
	int waits; /* for something in it */
	int brief; /* and is left out without */
} open[DEPTH];

static int depth;
static unsigned long long state;

static unsigned int next_random(unsigned int below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(state >> 33) % below;
}

/* Something is recorded: what it is in is recorded before it. */
static void recorded(void)
{
	for (int i = 0; i < depth; i++) {
		if (open[i].waits)
			printf("-.0 enter %s\n", open[i].name);
		open[i].waits = 0;
	}
}

static void begin(void)
{
	const char *name = names[next_random(4)];

	if (HYBMON_HAS(hybmon_begin))
		hybmon_begin(name);
	if (*name == 'p') {
		recorded();
		printf("-.0 enter %s\n", name);
	}
	open[depth].name = name;
	open[depth].waits = *name != 'p';
	open[depth++].brief = *name == 'n';
}

/* Longer than that: virtual machines have counters that hardly go on now and then. */
static void last(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec == begin.tv_sec && now.tv_nsec < begin.tv_nsec + 2000);
}

static void end(void)
{
	if (*open[depth - 1].name == 'a')
		last();
	if (HYBMON_HAS(hybmon_end))
		hybmon_end();
	/* Long enough, or not. */
	if (!open[depth - 1].brief)
		recorded();
	if (!open[--depth].waits)
		printf("-.0 leave %s\n", open[depth].name);
}

static void say(void)
{
	int value = (int)next_random(1000);

	HYBMON_PARAMETER_INT("said", value);
	recorded();
	printf("-.0 point %s\n-.0   parameter said int=%d\n", open[depth - 1].name, value);
}

int main(int argc, char **argv)
{
	long steps = argc > 1 ? atol(argv[1]) : 1000;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (long i = 0; i < steps; i++) {
		unsigned int what = next_random(20);

		if (what < 9 && depth < DEPTH)
			begin();
		else if (what < 18 && depth)
			end();
		else if (what >= 19 && depth)
			say();
	}
	while (depth)
		end();
	return 0;
}
