/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs say what they did, for omp-check.py, in the file that OMP_STATEMENTS names. */
#ifndef HYB_TEST_SAY_H
#define HYB_TEST_SAY_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static inline void say(const char *format, ...)
{
	const char *path = getenv("OMP_STATEMENTS");
	FILE *f = path ? fopen(path, "a") : NULL;
	va_list va;

	if (!f)
		return;
	va_start(va, format);
	vfprintf(f, format, va);
	va_end(va);
	fputc('\n', f);
	fclose(f);
}

/* A region of that name is on that line. */
#define FILE_NAME (__builtin_strrchr("/" __FILE__, '/') + 1)
#define AT(name, line) say("line %s %s %d", name, FILE_NAME, line)

#endif
