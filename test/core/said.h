/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For programs that tell regions: they write what they tell into a file of their own for each thread, in
 * $TEST_SAID/RANK.THREAD, in the words of hybmon-print --events --no-times. The rank is - where there is no MPI.
 */
#ifndef HYB_TEST_SAID_H
#define HYB_TEST_SAID_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybmon.h>

static const char *said_rank = "-";
static __thread FILE *said_file;
static __thread char said_label[32];

/* Each thread once, before it tells anything. */
static inline void said_thread(int number)
{
	const char *folder = getenv("TEST_SAID");
	char path[4096];

	snprintf(said_label, sizeof(said_label), "%s.%d", said_rank, number);
	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", said_label);
	said_file = folder ? fopen(path, "w") : NULL;
	if (said_file)
		setvbuf(said_file, NULL, _IOLBF, 1 << 16);
}

__attribute__((format(printf, 1, 2))) static inline void said(const char *format, ...)
{
	va_list va;

	if (!said_file)
		return;
	fprintf(said_file, "%s ", said_label);
	va_start(va, format);
	vfprintf(said_file, format, va);
	va_end(va);
	fputc('\n', said_file);
}

static inline const char *said_base(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

#define SAID(what, name, line) said("%s %s @%s:%d", what, name, said_base(__FILE__), line)

/* A region and what is to be recorded of it, from the same line. */
#define BEGIN(region, name) \
	HYBMON_BEGIN(region, name); \
	const int region##_line = __LINE__; \
	SAID("enter", name, __LINE__)
#define END(region) HYBMON_END(region); SAID("leave", region.name, region##_line)

#define PARAMETER(region, kind, KIND, word, format, text, value) do { \
		HYBMON_PARAMETER_##KIND(text, value); \
		SAID("point", region.name, region##_line); \
		said("  parameter %s " word "=" format, text, value); \
	} while (0)

#endif
