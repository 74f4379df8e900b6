/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's types and constants that the programs use. Structs have only the members that are used. libbpf finds
 * where these lie by the BTF of the running kernel when it loads the programs, so no BTF is needed to build them.
 */
#ifndef HYB_COLLECTOR_BPF_KERNEL_BPF_H
#define HYB_COLLECTOR_BPF_KERNEL_BPF_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

/* include/uapi/linux/bpf.h */
enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};
#define BPF_NOEXIST		1
#define BPF_F_NO_PREALLOC	1
#define BPF_F_USER_STACK	(1 << 8)
#define BPF_F_MMAPABLE		(1 << 10)
#define BPF_RB_NO_WAKEUP	1
#define BPF_RB_FORCE_WAKEUP	2

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq;

struct thread_info {
	__u32 cpu;
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

/* Its numbers, one for each namespace that it is in, the innermost last. */
struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct mm_struct {
	unsigned long flags;
};

/* since 6.18 */
struct mm_struct___bits {
	struct {
		unsigned long __mm_flags[1];
	} flags;
};

struct linux_binprm {
	unsigned int secureexec : 1;
};

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
	int exit_state;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct mm_struct *mm;
	char comm[16];
};

/* before 5.14 */
struct task_struct___state {
	long state;
};

struct task_struct___now {
	unsigned int __state;
};

/* x86 before 5.16 */
struct task_struct___cpu {
	unsigned int cpu;
};

/* arm64: a part of the task */
struct thread_info___preempt {
	struct {
		__u32 count;
	} preempt;
};

struct task_struct___preempt {
	struct thread_info___preempt thread_info;
};

struct kernel_siginfo {
	int si_code;
};

struct sigaction {
	void (*sa_handler)(int);
};

struct k_sigaction {
	struct sigaction sa;
};

struct pt_regs {
#if defined(__TARGET_ARCH_x86)
	unsigned long orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	int syscallno;
#else
#error "which register has a system call's number here?"
#endif
};

struct sock_common {
	unsigned short skc_family;
	union {
		struct {
			__be16 skc_dport;
			__u16 skc_num;
		};
	};
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_protocol;
};

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
};

/* before 5.15 */
struct request___disk {
	struct gendisk *rq_disk;
};

/* Their numbers differ between kernels. */
enum req_flag_bits {
	__REQ_META,
	__REQ_FUA,
	__REQ_PREFLUSH,
	__REQ_RAHEAD,
};

#pragma clang attribute pop

enum { /* operations: the lowest 8 bits of cmd_flags, in all kernels so far */
	REQ_OP_WRITE = 1,
	REQ_OP_FLUSH = 2,
	REQ_OP_DISCARD = 3,
	REQ_OP_SECURE_ERASE = 5,
	REQ_OP_DRV_IN = 34,
	REQ_OP_DRV_OUT = 35,
};

#define SOFTIRQ_SERVED	(1u << 8)	/* bits of the preemption counter: in_serving_softirq() */
#define HARDIRQ_MASK	0xf0000u

#endif
