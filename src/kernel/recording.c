/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's directory and manifest, and what src/record asks of who records; see recording.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/config.h"
#include "base/sys.h"
#include "base/text.h"
#include "job/job.h"
#include "job/place.h"
#include "kernel/recording.h"
#include "record/definitions.h"
#include "record/manifest.h"
#include "record/recorder.h"

static struct hyb_place place;
static bool recording;

static bool is_recording(void)
{
	return recording;
}

static long open_file(const char *name, int flags, struct hyb_identity *identity)
{
	return hyb_place_open(&place, name, flags, identity);
}

static void unlink_file(const char *name)
{
	hyb_place_unlink(&place, name);
}

static void report_loss(int err)
{
	hyb_manifest_set("lost-why", "%s", hyb_text_errno(-err));
}

static const struct hyb_recorder recorder = {
	.is_recording = is_recording,
	.open = open_file,
	.unlink = unlink_file,
	.report_loss = report_loss,
};

const char *hyb_kernel_recording_directory(void)
{
	return place.process;
}

void hyb_kernel_recording_note(const char *key, const char *value)
{
	hyb_manifest_add(key, value, strlen(value));
}

static void add_facts(const struct hyb_collect_options *options)
{
	static const char *const counters[] = { "", "tsc", "cntvct", "monotonic_raw" };
	char text[256];
	long n;

	hyb_kernel_recording_note("hybmon", PACKAGE_VERSION);
	hyb_kernel_recording_note("program", "hybmon-collect");
	hyb_job_host(text, sizeof(text));
	hyb_kernel_recording_note("host", text);
	n = hyb_sys_read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	if (n > 1)
		hyb_manifest_add("boot", text, (size_t)n - 1);
	hyb_text_format(text, sizeof(text), "%u", (unsigned int)getuid());
	hyb_kernel_recording_note("uid", text);
	hyb_text_utc(text, sizeof(text), (long long)time(NULL));
	hyb_kernel_recording_note("started", text);
	hyb_text_format(text, sizeof(text), "%s %llu", counters[hyb_clock_kind()],
			(unsigned long long)hyb_clock_second());
	hyb_kernel_recording_note("counter", text);
	hyb_kernel_recording_note("experiment", options->experiment);
	hyb_kernel_recording_note("job", options->job);
	if (place.final[0])
		hyb_kernel_recording_note("spool", place.process);
}

int hyb_kernel_recording_begin(const struct hyb_collect_options *options)
{
	char host[65];
	char name[80];
	int err;

	if (hyb_text_format(place.experiment, sizeof(place.experiment), "%s",
			    options->inside ? "." : options->experiment) >= sizeof(place.experiment) - 512)
		return -ENAMETOOLONG;
	hyb_record_for(&recorder);
	hyb_job_host(host, sizeof(host));
	hyb_text_format(name, sizeof(name), "%s.kernel", host);
	err = hyb_place_add(&place, options->directory, name);
	if (!err)
		err = hyb_manifest_create();
	if (err)
		return err;
	hyb_manifest_set("state", "running");
	hyb_manifest_set("lost", "0");
	hyb_manifest_set("threads", "0");
	hyb_manifest_set("pid", "%ld", (long)getpid());
	err = hyb_defs_start();
	if (err)
		return err;
	recording = true;
	hyb_def_clock();
	add_facts(options);
	return 0;
}

void hyb_kernel_recording_source(const struct hyb_source *source, const struct hyb_collect_options *options)
{
	char text[128];

	hyb_source_group_names(options->wish.events, text, sizeof(text));
	hyb_kernel_recording_note("kernel", source->name);
	hyb_kernel_recording_note("events", text);
	hyb_kernel_recording_note("tasks", options->wish.all ? "all" : "job");
	if (options->limited)
		hyb_source_missing("buffer", options->limited);
}

void hyb_kernel_recording_until(uint64_t now, uint64_t lost)
{
	hyb_manifest_set("until", "%llu", (unsigned long long)now);
	hyb_manifest_set("lost", "%llu", (unsigned long long)lost);
}

/* The collector's own CPU time. What an event costs the task that caused it is not in it. */
static void add_cost(void)
{
	struct rusage usage;
	char text[64];

	if (getrusage(RUSAGE_SELF, &usage))
		return;
	snprintf(text, sizeof(text), "%ld.%06ld user %ld.%06ld system", (long)usage.ru_utime.tv_sec,
		 (long)usage.ru_utime.tv_usec, (long)usage.ru_stime.tv_sec, (long)usage.ru_stime.tv_usec);
	hyb_kernel_recording_note("cpu-seconds", text);
}

static bool file_name(unsigned int n, char *buf, size_t size, const void *source)
{
	static const char *const names[] = { "manifest", "defs.hyb", "profile" /* may not be there */ };
	const struct hyb_source *s = source;

	if (n >= sizeof(names) / sizeof(names[0]))
		return s && s->stream_name(n - sizeof(names) / sizeof(names[0]), buf, (unsigned int)size);
	hyb_text_format(buf, size, "%s", names[n]);
	return true;
}

void hyb_kernel_recording_end(const struct hyb_source *source, uint64_t lost)
{
	char name[64];
	unsigned int streams = 0;

	if (!recording)
		return;
	while (source && source->stream_name(streams, name, sizeof(name)))
		streams++;
	hyb_def_clock();
	add_cost();
	hyb_manifest_set("threads", "%u", streams);
	hyb_manifest_set("lost", "%llu", (unsigned long long)(lost + hyb_defs_lost()));
	hyb_manifest_set("ended", "exit 0");
	recording = false;
	hyb_defs_end();
	hyb_manifest_set("state", "ended");
	if (place.final[0])
		hyb_place_move(&place, file_name, source);
}
