/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs in the kernel and the collector share. Included by both, after the types __u32 and __u64. */
#ifndef HYB_KERNEL_BPF_LAYOUT_H
#define HYB_KERNEL_BPF_LAYOUT_H

#include "format/format.h"

/*
 * A record in a CPU's ring: `word` is word 1 of the KERNEL record that comes of it (format/format.h), `a` and `b` are
 * its further words, as far as it has them, except where enum hyb_bpf_what says otherwise.
 */
struct hyb_bpf_record {
	__u64 time;	/* nanoseconds of CLOCK_MONOTONIC: the kernel's programs cannot have CLOCK_MONOTONIC_RAW */
	__u64 word;
	__u64 a;
	__u64 b;
};

#define HYB_BPF_DEPTH 127	/* the kernel's own default for a call chain's length */

/* A record with a call chain: `kernel` addresses of the kernel's, then `user` of the program's. */
struct hyb_bpf_chain {
	struct hyb_bpf_record record;
	__u32 kernel;
	__u32 user;
	__u64 addresses[2 * (HYB_BPF_DEPTH + 1)];
};

/* SWITCH: word a is taken to pieces by the collector. */
#define HYB_BPF_STATE_SHIFT	32	/* 16 bits: the task's state as the scheduler has it */
#define HYB_BPF_EXIT_SHIFT	48	/* 8 bits: its exit_state */
#define HYB_BPF_PREEMPT		(1ull << 56)

/* Records of the ring of all CPUs that says who belongs to whom: enum hyb_bpf_side in bits 63-56 of `word`. */
enum hyb_bpf_side {
	HYB_BPF_FORKED = 1,
	HYB_BPF_RENAMED = 2,
	HYB_BPF_LEFT = 3,	/* tgid executes what its user may not look into */
};

struct hyb_bpf_task {
	__u64 time;
	__u64 word;
	__u32 tgid;
	__u32 tid;
	__u32 ptgid;	/* FORKED: who made it */
	__u32 ptid;
	char name[16];	/* RENAMED: the new one */
};

#define HYB_BPF_PIDS (4u << 20)	/* the kernel's own limit for a task's number, PID_MAX_LIMIT */

/*
 * Whether a process is of the job. The collector first expects it, then looks at its rights, and records it only if it
 * is still expected: one that takes others' rights meanwhile loses both bits in the kernel.
 */
enum hyb_bpf_membership {
	HYB_BPF_EXPECTED = 1,
	HYB_BPF_RECORDED = 2,
	HYB_BPF_KNOWN = HYB_BPF_EXPECTED | HYB_BPF_RECORDED,
};

static inline __u64 hyb_bpf_member(__u32 tgid, enum hyb_bpf_membership what)
{
	return (__u64)what << 2 * (tgid % 32);
}

/* What can be read and written by both while they run. */
struct hyb_bpf_shared {
	__u64 side_lost;
	__u64 profile_lost;
	__u64 jobs[HYB_BPF_PIDS / 32];	/* two bits for each process: enum hyb_bpf_membership */
};

/* What is known before the programs are loaded: branches that are not needed are not loaded at all. */
struct hyb_bpf_settings {
	__s64 preempt;		/* where a CPU's preemption counter lies, from its run queue on; 0: not known */
	__u32 collector;	/* our own tgid: shown, but not of the job */
	__u32 wake;		/* bytes after which the collector is woken */
	__u32 pid_namespace;	/* the collector's, by its inode; 0: the first one */
	__u32 user;		/* whose job it is; 0: root's, who may have everybody's */
	__u8 all;		/* tasks, not only the job's */
	__u8 chains;
	__u8 state_given;	/* sched_switch has the state as its fourth argument */
	__u8 trace;		/* records are wanted */
	__u8 profile;		/* sums are wanted */
	__u8 reserved[3];
};

/* A transfer of a block device that the job began. */
struct hyb_bpf_request {
	__u64 what;	/* as in the record: device << 32 | bytes */
	__u64 sector;
	__u64 back;	/* it was taken back, to be issued again */
};

/* The profile. An event is enum hyb_profile_kind above these bits, and the number that it has of its kind in them. */
#define HYB_BPF_KIND_SHIFT	24
#define HYB_BPF_FRAMES		16	/* a power of two */

struct hyb_bpf_profile_key {
	__u32 task;
	__u32 event;
};

struct hyb_bpf_profile {
	__u64 count;
	__u64 inclusive;	/* nanoseconds */
	__u64 exclusive;	/* without what lay in it */
	__u64 histogram[HYB_PROFILE_BUCKETS];
};

struct hyb_bpf_frame {
	__u64 begin;
	__u64 inside;	/* nanoseconds of what it has in it */
	__u64 event;
};

struct hyb_bpf_frames {
	__u64 depth;
	struct hyb_bpf_frame frames[HYB_BPF_FRAMES];
};

struct hyb_bpf_blank {
	struct hyb_bpf_profile profile;
	struct hyb_bpf_frames frames;
};

/* Of each CPU; a cache line of its own. */
struct hyb_bpf_cpu {
	__u64 lost;	/* records there was no space for */
	__u64 told;	/* of these, by LOST records */
	__u64 filled;	/* bytes since the collector was last woken */
	__u64 queue;	/* address of the run queue, where it is needed */
	__u64 running;	/* who has it: the kernel's number above, what is shown below; in a pid namespace */
	__u64 reserved[3];
};

#endif
