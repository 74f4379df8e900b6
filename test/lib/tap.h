/* SPDX-License-Identifier: BSD-3-Clause */
/* The Test Anything Protocol, as much of it as the unit tests need. */
#ifndef HYB_TEST_TAP_H
#define HYB_TEST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count;
static int tap_failed;

/* One result; what it is about comes as for printf. Returns ok. */
__attribute__((format(printf, 2, 3))) static inline bool tap(bool ok, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", ok ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	tap_failed += !ok;
	return ok;
}

/* Two numbers that must be equal; where they are not, both are shown. */
static inline bool tap_equal(long long got, long long expected, const char *what)
{
	if (!tap(got == expected, "%s", what))
		printf("# got %lld, expected %lld\n", got, expected);
	return got == expected;
}

/* What main returns. */
static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif
