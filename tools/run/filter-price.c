/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures what recording a region costs: this program runs itself with the library preloaded, which records into a
 * folder that is removed, and tells the price on its standard output.
 */
#define HYBMON_WEAK
#include "tools/run/filter-price.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Not the tools' own header of that name. */
#include "../include/hybmon.h"
#include "tools/common/tool.h"
#include "tools/run/prepare.h"
#include "reader/streams/printable.h"

#define BATCHES 41
#define PAIRS	20000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int hyb_price_program(void)
{
	static struct hybmon_region region = { .name = "priced" };
	double times[BATCHES], begin;

	if (!HYBMON_HAS(hybmon_region_begin))
		return 1;
	for (int i = 0; i < BATCHES; i++) {
		begin = now();
		for (int k = 0; k < PAIRS; k++) {
			hybmon_region_begin(&region);
			hybmon_region_end(&region);
		}
		times[i] = (now() - begin) / PAIRS;
	}
	qsort(times, BATCHES, sizeof(*times), by_value);
	printf("%.3f\n", times[BATCHES / 2]);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

/* What others may have set is not for this one: where it goes, and what takes its time. */
static void set_environment(const char *library, const char *folder)
{
	setenv("LD_PRELOAD", library, 1);
	setenv("HYBMON_TRACE_DIR", folder, 1);
	setenv("HYBMON_VERBOSE", "quiet", 1);
	setenv("HYBMON_ENABLE", "yes", 1);
	setenv("HYBMON_USER", "all", 1);
	setenv("HYBMON_KERNEL", "off", 1);
	unsetenv("HYBMON_SPOOL");
	unsetenv("HYBMON_FILTER");
	unsetenv("HYBMON_SAMPLE");
	unsetenv("HYBMON_RUN");
}

__attribute__((format(printf, 2, 3))) static void complain(const char *tool, const char *format, ...)
{
	va_list arguments;

	if (!tool)
		return;
	hyb_show(stderr, "%s: --price=measure: ", tool);
	va_start(arguments, format);
	hyb_show_va(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int hyb_price_measure(const char *tool, double *ns)
{
	const char *tmp = getenv("TMPDIR"), *before = getenv("LD_PRELOAD");
	char *library = hyb_prepare_library(), *folder = hyb_tool_format("%s/hybmon-price-XXXXXX", tmp ? tmp : "/tmp");
	char *kept = before ? hyb_tool_format("%s", before) : NULL, *recording, *output = NULL;
	char self[] = "/proc/self/exe", argument[] = HYB_PRICE_ARGUMENT, *argv[] = { self, argument, NULL };
	int ret = -1;

	if (!library) {
		complain(tool, "libhybmon.so is not beside this program");
	} else if (!mkdtemp(folder)) {
		complain(tool, "cannot make %s: %s", folder, strerror(errno));
	} else {
		recording = hyb_tool_format("%s/price", folder);
		set_environment(library, recording);
		output = hyb_tool_output(argv);
		if (kept)
			setenv("LD_PRELOAD", kept, 1);
		else
			unsetenv("LD_PRELOAD");
		nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		free(recording);
		*ns = output ? strtod(output, NULL) : 0;
		ret = *ns > 0 ? 0 : -1;
		if (ret)
			complain(tool, "the library could not be preloaded, so nothing was measured");
	}
	free(output);
	free(kept);
	free(folder);
	free(library);
	return ret;
}
