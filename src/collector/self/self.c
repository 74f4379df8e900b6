/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `self`: what every user may know of his own threads, without any privilege. It records when a thread lost
 * its CPU, whether it could have gone on, when and where it had one again, and its page faults in user code.
 *
 * Each thread has a ring of its own, since threads can share a ring only on one CPU. A second ring, of a page, tells of
 * new threads. It wakes the collector at once, so that little of them is missed.
 *
 * If not even that is allowed (kernel.perf_event_paranoid of some distributions, a container's filter of system calls),
 * it records what the kernel counts of each thread: counts.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/sys/capability.h"
#include "core/sys/clock.h"
#include "core/config/config.h"
#include "collector/common/proc.h"
#include "collector/self/counts.h"
#include "collector/self/self.h"
#include "collector/common/source.h"

static void add_process(uint32_t tgid)
{
	if (hyb_self_state.counting)
		hyb_counts_add_process(tgid);
	else
		hyb_proc_threads(tgid, hyb_self_begun);
}

static int open_self(const struct hyb_collect_request *wish, int poll)
{
	const uint32_t can = HYB_KERNEL_SCHED | HYB_KERNEL_FAULT;
	char names[128];
	int err;

	memset(&hyb_self_state, 0, sizeof(hyb_self_state));
	hyb_self_state.groups = wish->events & can;
	hyb_self_state.poll = poll;
	hyb_self_share(wish->buffer);
	hyb_tasks_use_tids();
	err = hyb_self_try();
	hyb_self_state.counting = err == -EACCES || err == -EPERM || err == -ENOSYS;
	if (wish->events & ~can) {
		hyb_source_group_names(wish->events & ~can, names, sizeof(names));
		hyb_source_missing(names, "threads cannot see this of themselves");
	}
	if (hyb_self_state.counting) {
		/* Each thread has five records a second: most of a usual chunk would be empty. */
		hyb_config.chunk = HYB_CHUNK_MIN;
		hyb_source_missing("sched,fault", "this user may have no events: kernel.perf_event_paranoid is too high, or "
				   "a container forbids perf_event_open; switches and page faults are counted only");
	} else if (wish->events & HYB_KERNEL_SCHED) {
		hyb_source_missing("sched", "threads see when they have no CPU, and not who has it or who wakes them");
	}
	if (hyb_self_state.counting)
		return hyb_counts_open();
	return err ? err : hyb_output_open(&hyb_self_state.out, HYB_STREAM_TASK, 0, 0, 0, hyb_clock_raw());
}

static void drain(void)
{
	if (hyb_self_state.counting)
		hyb_counts_take();
	else
		hyb_self_drain(false);
}

static void close_self(void)
{
	char text[80];

	if (hyb_self_state.counting) {
		hyb_counts_close();
		return;
	}
	hyb_self_drain(true);
	if (hyb_self_state.missed) {
		snprintf(text, sizeof(text), "%u had ended before their events could be opened", hyb_self_state.missed);
		hyb_source_missing("threads", text);
	}
	hyb_output_close(&hyb_self_state.out);
}

static uint64_t lost(void)
{
	return hyb_self_state.lost;
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (hyb_self_state.counting)
		return hyb_counts_stream_name(index, buf, size);
	if (index)
		return false;
	snprintf(buf, size, "task-0.hyb");
	return true;
}

const struct hyb_source hyb_source_self = {
	.name = "self",
	.not_allowed = "kernel.perf_event_paranoid is above 2: nobody but root may have events",
	.capabilities = HYB_CAPABILITY(CAP_IPC_LOCK),
	.as_user = true,
	.open = open_self,
	.add_process = add_process,
	.drain = drain,
	.close = close_self,
	.lost = lost,
	.stream_name = stream_name,
};
