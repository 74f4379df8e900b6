/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs in the kernel and the collector share. Both include it, after the types __u32 and __u64. */
#ifndef HYB_COLLECTOR_BPF_LAYOUT_H
#define HYB_COLLECTOR_BPF_LAYOUT_H

#include "format/format.h"
#include "format/kernel-slot.h"

/*
 * A record in a CPU's ring. `word` is word 1 of the KERNEL record that becomes of it (format/kernel.h). `a` and `b` are
 * the further words, as many as it has; only those of SWITCH differ.
 */
struct hyb_bpf_record {
	__u64 time;	/* nanoseconds of CLOCK_MONOTONIC: programs in the kernel cannot read CLOCK_MONOTONIC_RAW */
	__u64 word;
	__u64 a;
	__u64 b;
};

#define HYB_BPF_DEPTH 127	/* addresses of a call chain: the kernel's own default */

/* A record with a call chain: `kernel` addresses of the kernel, then `user` of the program. */
struct hyb_bpf_chain {
	struct hyb_bpf_record record;
	__u32 kernel;
	__u32 user;
	__u64 addresses[2 * (HYB_BPF_DEPTH + 1)];
};

/* Word a of SWITCH: who has the CPU next, and what the collector makes the task's state of. */
#define HYB_BPF_STATE_SHIFT	32	/* 16 bits: the scheduler's state of the task */
#define HYB_BPF_EXIT_SHIFT	48	/* 8 bits: its exit_state */
#define HYB_BPF_PREEMPT		(1ull << 56)

/* Records of the side ring, which says who belongs to whom. Bits 63-56 of `word`: */
enum hyb_bpf_side {
	HYB_BPF_FORKED = 1,
	HYB_BPF_RENAMED = 2,
	HYB_BPF_LEFT = 3,	/* tgid executes a program that its user may not look into */
	HYB_BPF_ENDED = 4,	/* a thread that had a slot, which is free now */
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
 * Whether a process is of the job. The collector first expects it, then looks at its rights, and records it if it is
 * still expected. If it gets other rights meanwhile, a program in the kernel clears both bits.
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

/* What both read and write while they run. */
struct hyb_bpf_shared {
	__u64 side_lost;
	__u64 profile_lost;
	__u64 slots;		/* whether some thread has one; see struct hyb_bpf_place */
	__u64 jobs[HYB_BPF_PIDS / 32];	/* two bits for each process: enum hyb_bpf_membership */
};

/* Constants for the programs when they are loaded. Branches that are not needed are not even loaded. */
struct hyb_bpf_settings {
	__s64 preempt;		/* from a CPU's run queue to its preemption counter, bytes; 0: not known */
	__u32 collector;	/* its tgid: shown in records, but not of the job */
	__u32 wake;		/* the collector is woken after so many bytes */
	__u32 pid_namespace;	/* inode of the collector's; 0: it is the first one */
	__u32 user;		/* whose job it is; 0: root's, who may look into all */
	__u8 all;		/* the details of all tasks are recorded */
	__u8 chains;
	__u8 state_given;	/* sched_switch has the state as an argument */
	__u8 trace;		/* records are wanted */
	__u8 profile;		/* sums are wanted */
	__u8 reserved[3];
};

/* A transfer of a block device that the job issued. */
struct hyb_bpf_request {
	__u64 what;	/* as in the record: device << 32 | bytes */
	__u64 sector;
	__u64 back;	/* the driver gave it back, to be issued again */
};

/* The profile. An event is enum hyb_profile_kind, and in the bits below its number of that kind. */
#define HYB_BPF_KIND_SHIFT	HYB_SLOT_EVENT_SHIFT
#define HYB_BPF_FRAMES		16	/* a power of two */

struct hyb_bpf_profile_key {
	__u32 task;
	__u32 event;
};

struct hyb_bpf_profile {
	__u64 count;
	__u64 inclusive;	/* nanoseconds */
	__u64 exclusive;	/* without the events in it */
	__u64 histogram[HYB_PROFILE_BUCKETS];
};

struct hyb_bpf_frame {
	__u64 begin;
	__u64 inside;	/* nanoseconds of the events in it */
	__u32 event;
	__u32 node;	/* of the thread's slot, by its place plus 1; 0: none */
};

struct hyb_bpf_frames {
	__u64 depth;
	struct hyb_bpf_frame frames[HYB_BPF_FRAMES];
};

/*
 * Where the slot of a thread is that asked for one (format/kernel-slot.h). Slots lie in blocks, which are made as they
 * are needed.
 */
#define HYB_BPF_SLOTS	64u	/* of a block */
#define HYB_BPF_BLOCKS	2048u

struct hyb_bpf_place {
	__u32 block;
	__u32 slot;
};

struct hyb_bpf_blank {
	struct hyb_bpf_profile profile;
	struct hyb_bpf_frames frames;
};

/* Of each CPU, in a cache line of its own. */
struct hyb_bpf_cpu {
	__u64 lost;	/* records that had no space */
	__u64 told;	/* of these, how many LOST records have told of */
	__u64 filled;	/* bytes since the collector was last woken */
	__u64 queue;	/* address of the run queue, where it is needed */
	/* In a pid namespace, who has the CPU: upper half: the kernel's number, lower half: what records show */
	__u64 running;
	__u64 reserved[3];
};

#endif
