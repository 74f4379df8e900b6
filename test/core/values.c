/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values ROUNDS SEED: counters and parameters of each type, from several threads, one after the other, with the values
 * that are most likely to be spoilt. Says, in lines: THREAD counter NAME VALUE, THREAD parameter NAME VALUE.
 */
#define HYBMON_WEAK
#include <hybmon.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

HYBMON_COUNTER(level, "level", "bytes", HYBMON_COUNTER_INT, HYBMON_COUNTER_LEVEL);
HYBMON_COUNTER(sample, "sample", "", HYBMON_COUNTER_DOUBLE, HYBMON_COUNTER_SAMPLE);
HYBMON_COUNTER(large, "large", "things", HYBMON_COUNTER_UINT, HYBMON_COUNTER_LEVEL);
HYBMON_COUNTER(sum, "sum", "events", HYBMON_COUNTER_UINT, HYBMON_COUNTER_SUM);

static const int64_t whole[] = { 0, 1, -1, 63, -64, 64, -65, INT64_MAX, INT64_MIN, INT32_MIN, UINT32_MAX };
static const double real[] = { 0, -0.0, 1, -1.5, 1e300, -1e-300, 0.1, 4503599627370497.5 };
static const char *const texts[] = { "", "plain", "with blanks and \"quotes\"", "\xc3\xbc" "ber" };

static unsigned long long state;
static long rounds;

static unsigned int next_random(unsigned int below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(state >> 33) % below;
}

#define PICK(list) ((list)[next_random(sizeof(list) / sizeof((list)[0]))])

static void say(int thread)
{
	int64_t i = PICK(whole);
	double d = PICK(real);
	const char *s = PICK(texts);

	HYBMON_PARAMETER_INT("whole", i);
	printf("%d parameter whole %" PRId64 "\n", thread, i);
	HYBMON_PARAMETER_UINT("size", (uint64_t)i);
	printf("%d parameter size %" PRIu64 "\n", thread, (uint64_t)i);
	HYBMON_PARAMETER_DOUBLE("real", d);
	printf("%d parameter real %.17g\n", thread, d);
	HYBMON_PARAMETER_STRING("text", s);
	printf("%d parameter text %s\n", thread, s);
}

static void *work(void *arg)
{
	int thread = *(int *)arg;
	uint64_t grown = 0;

	for (long k = 0; k < rounds; k++) {
		HYBMON_SCOPE("round");
		int64_t i = PICK(whole);
		double d = PICK(real);

		if (next_random(3) == 0)
			say(thread);
		HYBMON_COUNT_INT(level, i);
		printf("%d counter level %" PRId64 "\n", thread, i);
		HYBMON_COUNT_UINT(large, (uint64_t)i);
		printf("%d counter large %" PRIu64 "\n", thread, (uint64_t)i);
		HYBMON_COUNT_DOUBLE(sample, d);
		printf("%d counter sample %.17g\n", thread, d);
		grown += next_random(1000);
		HYBMON_COUNT_UINT(sum, grown);
		printf("%d counter sum %" PRIu64 "\n", thread, grown);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[] = { 0, 1, 2 };
	pthread_t thread;

	rounds = argc > 1 ? atol(argv[1]) : 100;
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	work(&numbers[0]);
	for (int i = 1; i < 3; i++)
		if (!pthread_create(&thread, NULL, work, &numbers[i]))
			pthread_join(thread, NULL);
	return 0;
}
