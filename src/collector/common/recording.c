/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's directory and manifest, and what src/core/record asks of who records; see recording.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "core/job/place.h"
#include "collector/common/recording.h"
#include "collector/common/output.h"
#include "core/record/definitions.h"
#include "core/record/manifest.h"
#include "core/record/recorder.h"

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

static void add_facts(const struct hyb_request *request)
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
	hyb_kernel_recording_note("experiment", request->text[HYB_COLLECT_EXPERIMENT]);
	hyb_kernel_recording_note("job", request->text[HYB_COLLECT_JOB]);
	if (place.final[0])
		hyb_kernel_recording_note("spool", place.process);
}

int hyb_kernel_recording_begin(const struct hyb_request *request)
{
	char host[65];
	char name[80];
	int err;

	/* It is the working directory, whatever its path says here. */
	hyb_text_format(place.experiment, sizeof(place.experiment), ".");
	hyb_record_for(&recorder);
	hyb_job_host(host, sizeof(host));
	hyb_text_format(name, sizeof(name), "%s.kernel", host);
	err = hyb_place_add(&place, request->text[HYB_COLLECT_DIRECTORY], name);
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
	add_facts(request);
	return 0;
}

void hyb_kernel_recording_source(const struct hyb_source *source, const struct hyb_request *request)
{
	const char *sample = request->text[HYB_COLLECT_SAMPLE];
	char text[128];

	hyb_source_group_names(request->wish.events, text, sizeof(text));
	hyb_kernel_recording_note("kernel", source->name);
	if (source != &hyb_source_off)
		hyb_kernel_recording_note("events", text);
	if (*sample)
		hyb_kernel_recording_note("sample", sample);
	if (*sample && request->wish.sample_stack) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)request->wish.sample_stack);
		hyb_kernel_recording_note("sample-stack", text);
	}
	hyb_kernel_recording_note("tasks", request->wish.tasks == HYB_KERNEL_ALL ? "all" : "job");
	if (request->limited)
		hyb_source_missing("buffer", request->limited);
}

void hyb_kernel_recording_from(uint64_t now)
{
	char text[32];

	hyb_text_format(text, sizeof(text), "%llu", (unsigned long long)now);
	hyb_kernel_recording_note("from", text);
}

void hyb_kernel_recording_until(uint64_t now, uint64_t lost)
{
	hyb_manifest_set("until", "%llu", (unsigned long long)now);
	hyb_manifest_set("lost", "%llu", (unsigned long long)lost);
}

/*
 * The code that this kernel maps into all programs, which is in no file: there are samples in it, and copies of stacks
 * are unwound through it. It is mapped here, too.
 */
void hyb_kernel_recording_vdso(void)
{
	const Elf64_Ehdr *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct hyb_identity identity;
	long fd;

	if (!recording || !vdso || memcmp(vdso->e_ident, ELFMAG, SELFMAG) || vdso->e_ident[EI_CLASS] != ELFCLASS64)
		return;
	fd = open_file(HYB_KERNEL_VDSO, O_WRONLY | O_CREAT, &identity);
	if (fd < 0)
		return;
	/* What comes last in it are the descriptions of its sections. */
	hyb_sys_write((int)fd, vdso, vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize);
	hyb_sys_close(fd);
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

static bool file_name(unsigned int n, char *buf, size_t size, const void *stream_name)
{
	static const char *const names[] = { "manifest", "defs.hyb", "profile", HYB_KERNEL_VDSO /* may not be there */ };
	const hyb_kernel_stream_name *name = stream_name;

	if (n >= sizeof(names) / sizeof(names[0]))
		return (*name)(n - sizeof(names) / sizeof(names[0]), buf, (unsigned int)size);
	hyb_text_format(buf, size, "%s", names[n]);
	return true;
}

void hyb_kernel_recording_end(hyb_kernel_stream_name stream_name, uint64_t lost)
{
	char name[64];
	unsigned int streams = 0;

	if (!recording)
		return;
	while (stream_name(streams, name, sizeof(name)))
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
		hyb_place_move(&place, file_name, &stream_name);
}

void hyb_source_missing(const char *what, const char *why)
{
	char text[512];

	if (hyb_output_none) {
		printf("missing: %s: %s\n", what, why);
		return;
	}
	hyb_text_format(text, sizeof(text), "%s: %s", what, why);
	hyb_kernel_recording_note("missing", text);
}

void hyb_source_cut(uint64_t wanted, uint64_t size)
{
	char text[256];

	hyb_text_format(text, sizeof(text), "%llu bytes for each CPU instead of %llu: this user may not lock more memory; "
			"raise ulimit -l, or ask for the service hybmon-collect", (unsigned long long)size,
			(unsigned long long)wanted);
	hyb_source_missing("buffer", text);
}

void hyb_source_group_names(uint32_t events, char *buf, size_t size)
{
	char name[HYB_CONFIG_WORD];
	size_t n = 0;

	*buf = 0;
	for (unsigned int i = 0; *hyb_config_word("KERNEL_EVENTS", i, name) && n < size; i++) {
		if (events >> i & 1)
			n += hyb_text_format(buf + n, size - n, "%s%s", n ? "," : "", name);
	}
}
