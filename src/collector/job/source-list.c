/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of sources, which of them is opened, and with which rights; see source-list.h. */
#include "collector/job/source-list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/common/memory-limit.h"
#include "collector/common/output.h"
#include "collector/common/privilege.h"
#include "collector/common/recording.h"

/* Whatever has the most to tell comes first. */
static const struct hyb_source *const sources[] = { &hyb_source_bpf, &hyb_source_perf, &hyb_source_self };

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

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

static int open_source(const struct hyb_source *source, const struct hyb_collect_request *wish, int poll)
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
	if (wish->profile != HYB_KERNEL_PROFILE_NO && !source->has_profile && source != &hyb_source_off)
		hyb_source_missing("profile", "only the source bpf has one");
	return 0;
}

int hyb_source_open(const char *name, const struct hyb_collect_request *wish, int poll, const struct hyb_source **source)
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

