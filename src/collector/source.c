/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of sources, which of them is opened, and with which rights; see source.h. */
#include "collector/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/memory-limit.h"
#include "collector/output.h"
#include "collector/privilege.h"
#include "collector/recording.h"

/* Whatever has the most to tell comes first. */
static const struct hyb_source *const sources[] = { &hyb_source_bpf, &hyb_source_perf, &hyb_source_self };

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static int open_nothing(const struct hyb_kernel_wish *wish, int poll)
{
	(void)wish;
	(void)poll;
	return 0;
}

static void add_to_nothing(uint32_t tgid)
{
	(void)tgid;
}

static void do_nothing(void)
{
}

static uint64_t lost_nothing(void)
{
	return 0;
}

static bool has_no_stream(unsigned int index, char *buf, unsigned int size)
{
	(void)index;
	(void)buf;
	(void)size;
	return false;
}

/* Samples are opened later, as threads come, so only with what the user may do himself. */
const struct hyb_source hyb_source_off = {
	.name = "off",
	.capabilities = HYB_CAPABILITY(CAP_IPC_LOCK) | HYB_CAPABILITY(CAP_PERFMON) | HYB_CAPABILITY(CAP_SYSLOG),
	.as_user = true,
	.open = open_nothing,
	.add_process = add_to_nothing,
	.drain = do_nothing,
	.close = do_nothing,
	.lost = lost_nothing,
	.stream_name = has_no_stream,
};

/* A source has several descriptors for each CPU, or for each thread. */
static void raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static void say_why_not(const struct hyb_source *source, int err)
{
	switch (err) {
	case -ECANCELED:
		break;
	case -EDQUOT:
		hyb_source_missing(source->name, "this user has no memory left for its buffers: raise ulimit -l");
		break;
	case -EACCES:
	case -EPERM:
		hyb_source_missing(source->name, source->not_allowed);
		break;
	default:
		hyb_source_missing(source->name, hyb_text_errno(-err));
	}
}

static int open_source(const struct hyb_source *source, const struct hyb_kernel_wish *wish, int poll)
{
	uint64_t keep = source->as_user ? hyb_privilege_own(source->capabilities) : source->capabilities;
	int err;

	if (source->as_user)
		hyb_privilege_done(keep);
	err = source->open(wish, poll);
	if (err) {
		hyb_memory_give_back();
		say_why_not(source, err);
		return err;
	}
	/* The names of the kernel's functions are read at the end. */
	if (wish->events & HYB_KERNEL_CALLCHAIN)
		keep |= HYB_CAPABILITY(CAP_SYSLOG);
	hyb_privilege_done(keep);
	if (wish->profile && !source->has_profile && source != &hyb_source_off)
		hyb_source_missing("profile", "only the source bpf has one");
	return 0;
}

int hyb_source_open(const char *name, const struct hyb_kernel_wish *wish, int poll, const struct hyb_source **source)
{
	int err = -EINVAL;

	raise_limit();
	/* How much memory may be locked, the user's limits say, and not what this file may. */
	hyb_privilege_done((HYB_COLLECTOR_CAPABILITIES & ~HYB_CAPABILITY(CAP_IPC_LOCK)) | hyb_memory_privilege());
	if (!strcmp(name, hyb_source_off.name)) {
		*source = &hyb_source_off;
		return open_source(*source, wish, poll);
	}
	for (size_t i = 0; i < SOURCES; i++) {
		if (strcmp(name, "auto") && strcmp(name, sources[i]->name))
			continue;
		err = open_source(sources[i], wish, poll);
		if (!err) {
			*source = sources[i];
			break;
		}
	}
	return err;
}

void hyb_source_prepare_all(void)
{
	for (size_t i = 0; i < SOURCES; i++) {
		if (sources[i]->prepare)
			sources[i]->prepare();
	}
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
