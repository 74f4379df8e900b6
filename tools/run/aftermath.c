/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording in a few lines; see aftermath.h. hybmon report finds what weighs most, as a process of its own: it may need
 * much memory, and fail.
 */
#include "tools/run/aftermath.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/config.h"
#include "tools/run/filter-price.h"
#include "tools/common/tool.h"
#include "reader/streams/experiment.h"
#include "reader/streams/printable.h"

#define MIB (1024.0 * 1024)

struct sums {
	uint64_t bytes;
	uint64_t lost; /* records */
};

static uint64_t size_of(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* False: it cannot be read. */
static bool add_up(const char *recording, struct sums *sums)
{
	struct hyb_experiment *x;

	memset(sums, 0, sizeof(*sums));
	if (hyb_experiment_open(recording, NULL, &x))
		return false;
	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];

		sums->bytes += size_of(p->defs);
		for (size_t k = 0; k < p->stream_count; k++)
			sums->bytes += size_of(p->streams[k].path);
		sums->lost += p->manifest.lost;
	}
	hyb_experiment_close(x);
	return true;
}

/* As short as it can be typed here. */
static const char *shorten(const char *path)
{
	static char here[PATH_MAX];
	size_t n;

	if (!getcwd(here, sizeof(here)))
		return path;
	n = strlen(here);
	return n > 1 && !strncmp(path, here, n) && path[n] == '/' && path[n + 1] ? path + n + 1 : path;
}

/* A line below the first one. */
static void put_command(const char *what, const char *command, const char *recording)
{
	hyb_show(stderr, "    %s%s ", what, command);
	hyb_tool_put_word(shorten(recording), stderr);
	fputc('\n', stderr);
}

/* What the recording cost and what weighs most, as text; NULL: that could not be found out. */
static char *find(const char *recording)
{
	char *place = hyb_tool_format("%s", recording), *price = NULL, *text;
	char self[] = "/proc/self/exe", report[] = "report", brief[] = "--brief", end[] = "--";
	char *argv[] = { self, report, brief, end, place, NULL, NULL };
	double ns;

	if (!hyb_price_measure(NULL, &ns)) {
		price = hyb_tool_format("--price=%.1f", ns);
		argv[3] = price;
		argv[4] = end;
		argv[5] = place;
	}
	/* It is no program to be recorded. */
	unsetenv("LD_PRELOAD");
	text = hyb_tool_output(argv);
	free(place);
	free(price);
	return text;
}

static void tell_one(const char *recording)
{
	const bool order = hyb_config.order == HYB_ORDER_WISH_ONLY;
	bool large;
	char *findings = NULL;
	struct sums sums;

	if (!add_up(recording, &sums))
		return;
	large = sums.bytes > hyb_config.findings;
	if (!large && !order)
		findings = find(recording);
	/* Once more: a collector writes what it has lost in the end, and the findings waited for that. */
	add_up(recording, &sums);
	hyb_show(stderr, "hybmon run: recorded into %s, %.1f MiB; ", shorten(recording), (double)sums.bytes / MIB);
	if (sums.lost)
		fprintf(stderr, "%llu records lost\n", (unsigned long long)sums.lost);
	else
		fputs("no records lost\n", stderr);
	if (findings)
		fputs(findings, stderr);
	else if (large && hyb_config.findings && !order)
		fprintf(stderr, "    over %.4g MiB (HYBMON_FINDINGS): what weighs most is not looked for\n",
			(double)hyb_config.findings / MIB);
	put_command(order ? "again: " : "more: ", order ? "hybmon replay" : "hybmon report", recording);
	free(findings);
}

static void tell(char *const recordings[])
{
	size_t count = 0;

	while (recordings[count])
		count++;
	if (count == 1) {
		tell_one(recordings[0]);
		return;
	}
	hyb_show(stderr, "hybmon run: recorded into %zu directories, from %s\n", count, shorten(recordings[0]));
	hyb_show(stderr, "    to %s\n", shorten(recordings[count - 1]));
	put_command("more, of each: ", "hybmon report", recordings[0]);
}

void hyb_aftermath_tell(char *const recordings[])
{
	pid_t pid = fork();
	sigset_t none;
	int status;

	if (!pid) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		tell(recordings);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		;
}
