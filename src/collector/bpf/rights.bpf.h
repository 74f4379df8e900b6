/* SPDX-License-Identifier: BSD-3-Clause */
/* In the kernel: telling the collector who belongs to whom, and who leaves the job because of other rights. */
#ifndef HYB_COLLECTOR_BPF_RIGHTS_BPF_H
#define HYB_COLLECTOR_BPF_RIGHTS_BPF_H

#include "collector/bpf/emit.bpf.h"

#define MMF_DUMPABLE	3	/* two bits of mm_struct's flags */
#define SUID_DUMP_USER	1

/* Begins a record of the side ring, for the caller to submit. NULL: there is no space. */
static __always_inline struct hyb_bpf_task *begin_side(enum hyb_bpf_side what, __u32 tgid, __u32 tid)
{
	struct hyb_bpf_task *r = bpf_ringbuf_reserve(&side, sizeof(*r), 0);

	if (!r) {
		__sync_fetch_and_add(&shared.side_lost, 1);
		return NULL;
	}
	r->time = bpf_ktime_get_ns();
	r->word = (__u64)what << HYB_TYPE_SHIFT;
	r->tgid = tgid;
	r->tid = tid;
	r->ptgid = 0;
	r->ptid = 0;
	return r;
}

static __always_inline bool is_dumpable(const struct task_struct *task)
{
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	unsigned long flags;

	if (!mm)
		return false;
	if (bpf_core_field_exists(struct mm_struct___bits, flags.__mm_flags))
		flags = BPF_CORE_READ((const struct mm_struct___bits *)mm, flags.__mm_flags[0]);
	else
		flags = BPF_CORE_READ(mm, flags);
	return (flags & MMF_DUMPABLE) == SUID_DUMP_USER;
}

static __always_inline void leave_job(__u32 tgid)
{
	struct hyb_bpf_task *r;

	clear_job(tgid);
	r = begin_side(HYB_BPF_LEFT, tgid, 0);
	if (r)
		bpf_ringbuf_submit(r, 0);
}

#endif
