/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals all the time, whose handler tells regions, too, and leaves by longjmp now and then, while the program does.
 * Prints how often the program's own regions were begun.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <hybmon.h>

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;
static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	(void)number;
	{
		HYBMON_SCOPE("handler");
		HYBMON_PARAMETER_INT("turn", handled);
		handled++;
	}
	if (may_jump && handled % 64 == 0) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void work(int n)
{
	HYBMON_SCOPE("work");
	HYBMON_PARAMETER_INT("n", n);
	HYBMON_COUNTER(level, "level", "bytes", HYBMON_COUNTER_INT, HYBMON_COUNTER_LEVEL);
	HYBMON_COUNT_INT(level, n - 100);
	for (int i = 0; i < 4; i++) {
		HYBMON_SCOPE("short");
	}
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 60 }, { 0, 60 } }, never = { { 0, 0 }, { 0, 0 } };
	const int turns = argc > 1 ? atoi(argv[1]) : 200000;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < turns; i++)
		work(i);
	/* Left in the middle of anything. */
	for (volatile int i = 0; i < 50; i++) {
		HYBMON_BEGIN(around, "around");
		if (!sigsetjmp(back, 1)) {
			may_jump = 1;
			for (;;) {
				HYBMON_SCOPE("endless");
			}
		}
		HYBMON_END(around);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("work %d\nshort %d\naround %d\n", turns, 4 * turns, 50);
	return handled < 100;
}
