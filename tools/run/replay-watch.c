/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks whether a replay goes on; see replay-watch.h. What a program does otherwise than when it was recorded is found
 * at the call, but for what is not compared: communicators, what is in messages, calls of other threads. Then somebody
 * may wait for what never comes. hybmon check finds who that is.
 */
#include "tools/run/replay-watch.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "format/format.h"
#include "tools/common/tool.h"
#include "reader/streams/experiment.h"

#define PATIENCE 10	/* s, if somebody waits for what never comes, */
#define LONG_PATIENCE 20 /* and if that is not sure: somebody may compute */
#define REMOTE 12	/* times as long where nodes write files that others see later */

static pid_t watcher;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	return x ^ x >> 33;
}

/* How far a stream is written: which chunk is the newest, and how much of it is published; see format/format.h. */
static uint64_t written(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct hyb_chunk_header chunk = { 0 };
	struct hyb_file_header h = { 0 };

	if (fd < 0)
		return 0;
	/* A part is as good as nothing: it differs from all of it. */
	if (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.newest_seq && h.slots &&
	    pread(fd, &chunk, sizeof(chunk),
		  (off_t)(h.header_size + (h.newest_seq - 1) % h.slots * h.chunk_size)) < 0)
		chunk.used = 0;
	close(fd);
	return mix(h.newest_seq) + chunk.used;
}

/* Two of these differ if something was recorded between them. 0: nothing was so far. */
static uint64_t look(const char *recording, bool *remote)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct hyb_experiment *x;
	uint64_t all = 0;

	if (access(recording, R_OK) || hyb_experiment_open(recording, NULL, &x))
		return 0;
	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];

		*remote |= p->has_manifest && strcmp(p->manifest.host, host) != 0;
		for (size_t k = 0; k < p->stream_count; k++) {
			if (p->streams[k].kind == HYB_STREAM_THREAD)
				all += mix(written(p->streams[k].path) + mix(i << 20 | k));
		}
	}
	hyb_experiment_close(x);
	return all;
}

/* What hybmon check says; NULL: nothing. */
static char *check(const char *recording, bool *found)
{
	char *place = hyb_tool_format("%s", recording);
	char self[] = "/proc/self/exe", command[] = "check", end[] = "--";
	char *argv[] = { self, command, end, place, NULL };
	int status;
	char *text = hyb_tool_output_anyway(argv, &status);

	*found = text && strstr(text, "\nFound\n");
	free(place);
	if (text && WIFEXITED(status) && WEXITSTATUS(status) < EXIT_USAGE)
		return text;
	free(text);
	return NULL;
}

/* It has not gone on for so long. Whether that was said. */
static bool say(const char *recording, int idle, bool is_long)
{
	bool found;
	char *text = check(recording, &found);
	const bool over = text && strstr(text, "\nnothing was found: ");
	const bool said = text && !over && (found || is_long);

	if (said)
		fprintf(stderr, "hybmon replay: nothing has come for %d s%s:\n%s", idle,
			found ? ", and something is wrong" : "", text);
	free(text);
	return said;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/*
 * Until it is ended. Looking takes a fifth of the time at most. A time in which this process was stopped does not count
 * as one in which nothing came: the others were, too.
 */
static _Noreturn void watch(const char *recording)
{
	uint64_t last = 0;
	double idle = 0;
	int said = 0; /* of the two */
	double took = 0;

	for (;;) {
		const double rest = 1 + 4 * took;
		const double begin = now();
		bool remote = false;
		uint64_t seen;
		double rested;
		int times;

		for (unsigned int left = (unsigned int)rest; left; left = sleep(left))
			;
		rested = now() - begin;
		seen = look(recording, &remote);
		took = now() - begin - rested;
		times = remote ? REMOTE : 1;
		idle = seen && seen == last ? idle + (rested < rest + 1 ? rested : rest) : 0;
		if (idle == 0)
			said = 0;
		last = seen;
		if (said < 1 && idle >= times * PATIENCE)
			said = say(recording, times * PATIENCE, false) ? 2 : 1;
		if (said < 2 && idle >= times * LONG_PATIENCE)
			said = say(recording, times * LONG_PATIENCE, true) ? 2 : said;
	}
}

static bool shows(void)
{
	return *hyb_config.replay && !*hyb_config.replay_gdb && hyb_config.replay_at_end != HYB_REPLAY_STOPS &&
	       hyb_config.mpi && hyb_config.mode != HYB_MODE_PROFILE;
}

/* Nobody is to wait for what this process has open, nor for its end. */
static void let_go(void)
{
	const int nothing = open("/dev/null", O_RDWR);

	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
	}
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
}

void hyb_replay_watch(const char *recording)
{
	const pid_t parent = getpid();

	if (!recording || !shows())
		return;
	watcher = fork();
	if (watcher)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OK);
	let_go();
	unsetenv("LD_PRELOAD");
	watch(recording);
}

void hyb_replay_watch_end(void)
{
	/* If it is there still, no other process can have its number. */
	if (watcher > 0 && !waitpid(watcher, NULL, WNOHANG)) {
		kill(watcher, SIGKILL);
		waitpid(watcher, NULL, 0);
	}
	watcher = 0;
}
