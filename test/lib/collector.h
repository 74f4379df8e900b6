/* SPDX-License-Identifier: BSD-3-Clause */
/* Test programs that begin when the collector of kernel events says in their experiment that it records. */
#ifndef TEST_COLLECTOR_H
#define TEST_COLLECTOR_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void nap(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&t, &t))
		;
}

static inline int collector_records(const char *manifest)
{
	char line[512];
	FILE *f = fopen(manifest, "r");
	int found = 0;

	while (f && fgets(line, sizeof(line), f))
		found |= !strncmp(line, "kernel: ", 8);
	if (f)
		fclose(f);
	return found;
}

/* Where there is none it does not wait for ever. */
static inline void wait_for_collector(const char *experiment)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*.kernel*/manifest", experiment);
	for (int i = 0; i < 600; i++) {
		int ready = 0;

		if (!glob(pattern, 0, NULL, &found)) {
			ready = collector_records(found.gl_pathv[found.gl_pathc - 1]);
			globfree(&found);
		}
		if (ready)
			return;
		nap(100);
	}
	fprintf(stderr, "there is no collector\n");
	exit(1);
}

#endif
