/* SPDX-License-Identifier: BSD-3-Clause */
/* See usage.h. Reading one's own takes three system calls and a file of /proc. */
#include "core/record/usage.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "core/record/definitions.h"
#include "core/record/recorder.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

/* The number at *p, which moves behind it and the blanks before it; HYB_USAGE_UNKNOWN: there is none. */
static uint64_t take_number(const char **p)
{
	uint64_t n = 0;

	while (**p == ' ')
		(*p)++;
	if (**p < '0' || **p > '9')
		return HYB_USAGE_UNKNOWN;
	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

/* Both of a thread; kernels without schedstat have zeroes there, and no file. */
static bool read_schedstat(const char *path, uint64_t *cpu, uint64_t *delayed)
{
	char text[96];
	const char *at = text;

	if (hyb_sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	*cpu = take_number(&at);
	*delayed = take_number(&at);
	return true;
}

static void write_usage(const struct hyb_def_usage *usage)
{
	hyb_def_record(HYB_DEF_USAGE, 0, usage, sizeof(*usage), NULL, 0);
}

void hyb_usage_note(const struct hyb_stream *stream, enum hyb_usage_when when)
{
	struct hyb_def_usage u = {
		.counter = hyb_counter(), .stream = stream->number, .when = when, .cpu = HYB_USAGE_UNKNOWN,
		.delayed = HYB_USAGE_UNKNOWN, .voluntary = HYB_USAGE_UNKNOWN, .involuntary = HYB_USAGE_UNKNOWN,
		.minor = HYB_USAGE_UNKNOWN, .major = HYB_USAGE_UNKNOWN,
	};
	struct timespec ts;
	struct rusage r;

	read_schedstat("/proc/thread-self/schedstat", &u.cpu, &u.delayed);
	/* The file's is as old as the last tick. */
	if (!HYB_SYS(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ts, 0, 0, 0, 0))
		u.cpu = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	if (!HYB_SYS(getrusage, RUSAGE_THREAD, &r, 0, 0, 0, 0)) {
		u.voluntary = (uint64_t)r.ru_nvcsw;
		u.involuntary = (uint64_t)r.ru_nivcsw;
		u.minor = (uint64_t)r.ru_minflt;
		u.major = (uint64_t)r.ru_majflt;
	}
	write_usage(&u);
}

void hyb_usage_note_other(const struct hyb_stream *stream, enum hyb_usage_when when)
{
	struct hyb_def_usage u = {
		.counter = hyb_counter(), .stream = stream->number, .when = when, .voluntary = HYB_USAGE_UNKNOWN,
		.involuntary = HYB_USAGE_UNKNOWN, .minor = HYB_USAGE_UNKNOWN, .major = HYB_USAGE_UNKNOWN,
	};
	const uint32_t tid = __atomic_load_n(&stream->writer, __ATOMIC_RELAXED);
	char path[64];

	hyb_text_format(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	if (tid && read_schedstat(path, &u.cpu, &u.delayed))
		write_usage(&u);
}

static void note_here(void *when)
{
	const struct hyb_stream *stream = hyb_self.stream;

	if (stream && stream->file && hyb_recorder_is_recording())
		hyb_usage_note(stream, *(const enum hyb_usage_when *)when);
}

void hyb_usage_here(enum hyb_usage_when when)
{
	int saved = errno;

	hyb_stack_run(note_here, &when);
	errno = saved;
}
