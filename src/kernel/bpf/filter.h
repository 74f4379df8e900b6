/* SPDX-License-Identifier: BSD-3-Clause */
/* In the kernel: whose tasks are recorded, and what is seen of others. */
#ifndef HYB_KERNEL_BPF_FILTER_H
#define HYB_KERNEL_BPF_FILTER_H

#include "kernel/bpf/kernel.h"
#include "kernel/bpf/layout.h"

#include "trace/format.h"

struct hyb_bpf_shared shared;			/* all of .bss */
const volatile struct hyb_bpf_settings settings = { .wake = 1 }; /* all of .rodata */

static __always_inline bool is_job(__u32 tgid)
{
	return tgid < HYB_BPF_PIDS && shared.jobs[tgid / 64] >> tgid % 64 & 1;
}

static __always_inline void set_job(__u32 tgid)
{
	if (tgid < HYB_BPF_PIDS)
		__sync_fetch_and_or(&shared.jobs[tgid / 64], 1ull << tgid % 64);
}

static __always_inline void clear_job(__u32 tgid)
{
	if (tgid < HYB_BPF_PIDS)
		__sync_fetch_and_and(&shared.jobs[tgid / 64], ~(1ull << tgid % 64));
}

/* What stands for the task in a record. */
static __always_inline __u32 shown(const struct task_struct *task)
{
	__u32 id = task->pid, tgid = task->tgid;

	if (!id || settings.all || is_job(tgid) || tgid == settings.collector)
		return id;
	return HYB_TASK_OTHER;
}

static __always_inline bool is_recorded(const struct task_struct *task)
{
	return settings.all || is_job(task->tgid);
}

#endif
