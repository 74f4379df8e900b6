/* SPDX-License-Identifier: BSD-3-Clause */
/* In the kernel: which tasks are recorded, and what records show of others. */
#ifndef HYB_COLLECTOR_BPF_FILTER_BPF_H
#define HYB_COLLECTOR_BPF_FILTER_BPF_H

#include "collector/bpf/kernel.bpf.h"
#include "collector/bpf/layout.h"

#include "format/format.h"

struct hyb_bpf_shared shared;			/* all of .bss */
const volatile struct hyb_bpf_settings settings = { .wake = 1 }; /* all of .rodata */

/* The number in the collector's pid namespace. 0: it has none there, or none any more. */
static __always_inline __u32 number_of(struct pid *pid)
{
	const struct upid *number;

	if (!pid)
		return 0;
	number = (const void *)pid + bpf_core_field_offset(pid->numbers) +
		 (__u64)BPF_CORE_READ(pid, level) * sizeof(*number);
	if (BPF_CORE_READ(number, ns, ns.inum) != settings.pid_namespace)
		return 0;
	return (__u32)BPF_CORE_READ(number, nr);
}

/* The task's number, and its process's, as the collector knows them. */
static __always_inline __u32 tid_of(const struct task_struct *task)
{
	return settings.pid_namespace && task->pid ? number_of(BPF_CORE_READ(task, thread_pid)) : (__u32)task->pid;
}

static __always_inline __u32 tgid_of(const struct task_struct *task)
{
	return settings.pid_namespace && task->tgid ? number_of(BPF_CORE_READ(task, group_leader, thread_pid)) :
						      (__u32)task->tgid;
}

static __always_inline bool is_job(__u32 tgid)
{
	return tgid < HYB_BPF_PIDS && shared.jobs[tgid / 32] & hyb_bpf_member(tgid, HYB_BPF_RECORDED);
}

/* It is of the job, or the collector is looking whether it may be. */
static __always_inline bool is_known(__u32 tgid)
{
	return tgid < HYB_BPF_PIDS && shared.jobs[tgid / 32] & hyb_bpf_member(tgid, HYB_BPF_KNOWN);
}

static __always_inline void set_job(__u32 tgid)
{
	if (tgid < HYB_BPF_PIDS)
		__sync_fetch_and_or(&shared.jobs[tgid / 32], hyb_bpf_member(tgid, HYB_BPF_KNOWN));
}

static __always_inline void clear_job(__u32 tgid)
{
	if (tgid < HYB_BPF_PIDS)
		__sync_fetch_and_and(&shared.jobs[tgid / 32], ~hyb_bpf_member(tgid, HYB_BPF_KNOWN));
}

/* What records have for the task. */
static __always_inline __u32 shown(const struct task_struct *task)
{
	__u32 id, tgid;

	if (!task->pid)
		return 0;
	id = tid_of(task);
	tgid = tgid_of(task);
	if (id && (settings.all || is_job(tgid) || tgid == settings.collector))
		return id;
	return HYB_TASK_OTHER;
}

static __always_inline bool is_recorded(const struct task_struct *task)
{
	return (settings.all && tid_of(task)) || is_job(tgid_of(task));
}

#endif
