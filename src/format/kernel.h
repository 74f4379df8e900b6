/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw trace format, continued: what records and definitions of the kernel hold. Part of format.h, which includes
 * it; to be included through that.
 */
#ifndef HYB_FORMAT_KERNEL_H
#define HYB_FORMAT_KERNEL_H

#include <stdint.h>

/*
 * The kernel. Times in CPU and TASK streams are nanoseconds of CLOCK_MONOTONIC_RAW; the DEFS stream beside them
 * has the counter that programs record and tuples of both, as every DEFS stream.
 *
 * Tasks have the number that the source gives them, which DEF_TASK translates: the kernel's own (that of the
 * first pid namespace) in CPU streams, that of the writer's namespace in TASK streams. 0: idle.
 */
#define HYB_TASK_OTHER UINT32_MAX	/* some task whose details are not to be seen */

/* What HYB_KERNEL says; `detail` is bits 55-32 of word 1, further words follow that one. */
enum hyb_kernel_what {
	/* The current task left the CPU. detail: enum hyb_switch_flag, task state; word 2: bits 31-0 who has it next */
	HYB_KERNEL_SWITCH = 1,
	HYB_KERNEL_RESUME,	/* TASK streams only: the task has a CPU again. detail: which */
	/* Word 2: bits 31-0 the task that is woken. detail: enum hyb_waking_flag, CPU it is meant for */
	HYB_KERNEL_WAKING,
	/* word 2: bits 63-48 CPU it was on, 47-32 CPU it goes to, 31-0 the task */
	HYB_KERNEL_MIGRATE,
	HYB_KERNEL_FORK,	/* word 2: bits 31-0 the new task */
	HYB_KERNEL_EXIT,	/* the current task ends */
	HYB_KERNEL_SYSCALL_ENTER,	/* detail: number */
	HYB_KERNEL_SYSCALL_EXIT,	/* detail: number; word 2: return value */
	/*
	 * A page fault that the kernel takes up, and its end. detail: enum hyb_fault_flag; word 2: address; BEGIN:
	 * word 3: the instruction's. A BEGIN without an END before the task's next BEGIN was none that could be
	 * resolved: a signal, or an error of the system call, came of it.
	 */
	HYB_KERNEL_FAULT_BEGIN,
	HYB_KERNEL_FAULT_END,
	HYB_KERNEL_IRQ_ENTER,	/* detail: number */
	HYB_KERNEL_IRQ_EXIT,	/* detail: number */
	HYB_KERNEL_SOFTIRQ_ENTER,	/* detail: vector */
	HYB_KERNEL_SOFTIRQ_EXIT,
	/*
	 * The current task sends one. detail: number; word 2: bits 63-32 si_code, 31-0 to whom; word 3: enum
	 * hyb_signal_flag
	 */
	HYB_KERNEL_SIGNAL_GENERATE,
	/* detail: number; word 2: bits 63-32 si_code; word 3: handler, 0: default, 1: ignored */
	HYB_KERNEL_SIGNAL_DELIVER,
	/* detail: bits 23-16 address family, 15-0 protocol; word 2: bytes, negative: errno; word 3: the socket */
	HYB_KERNEL_NET_SEND,
	HYB_KERNEL_NET_RECV,
	/* detail: bits 23-16 address family; word 2: bits 31-16 port here, 15-0 port there; word 3: the socket */
	HYB_KERNEL_TCP_RETRANSMIT,
	/* detail: enum hyb_block_flag; word 2: bits 63-32 device (kernel's dev_t), 31-0 bytes; word 3: sector */
	HYB_KERNEL_BLOCK_ISSUE,
	HYB_KERNEL_BLOCK_COMPLETE,
	/*
	 * Events are missing between the time in word 3 and this record. detail: enum hyb_lost_why;
	 * word 2: how many, 0: not known
	 */
	HYB_KERNEL_LOST,
	/*
	 * TASK streams only: what the kernel counted of the task since its COUNTS before, or the stream's begin. words
	 * 2-7: voluntary and involuntary switches, minor and major page faults, ns on CPUs, ns ready and waiting for
	 * one
	 */
	HYB_KERNEL_COUNTS,
	/*
	 * A sample of the current task. detail: which event, a HYB_DEF_METRIC; word 2: the event's count since the
	 * task's sample before, its weight. STACK: where it was; STACK_COPY: what that is to be unwound from
	 */
	HYB_KERNEL_SAMPLE,
};

/* How many words a record has after its first two, at least. -1: this version does not know it. */
static inline int hyb_kernel_extra_words(enum hyb_kernel_what what)
{
	switch (what) {
	case HYB_KERNEL_RESUME:
	case HYB_KERNEL_EXIT:
	case HYB_KERNEL_SYSCALL_ENTER:
	case HYB_KERNEL_IRQ_ENTER:
	case HYB_KERNEL_IRQ_EXIT:
	case HYB_KERNEL_SOFTIRQ_ENTER:
	case HYB_KERNEL_SOFTIRQ_EXIT:
		return 0;
	case HYB_KERNEL_SWITCH:
	case HYB_KERNEL_WAKING:
	case HYB_KERNEL_MIGRATE:
	case HYB_KERNEL_FORK:
	case HYB_KERNEL_SYSCALL_EXIT:
	case HYB_KERNEL_FAULT_END:
	case HYB_KERNEL_SAMPLE:
		return 1;
	case HYB_KERNEL_FAULT_BEGIN:
	case HYB_KERNEL_SIGNAL_GENERATE:
	case HYB_KERNEL_SIGNAL_DELIVER:
	case HYB_KERNEL_NET_SEND:
	case HYB_KERNEL_NET_RECV:
	case HYB_KERNEL_TCP_RETRANSMIT:
	case HYB_KERNEL_BLOCK_ISSUE:
	case HYB_KERNEL_BLOCK_COMPLETE:
	case HYB_KERNEL_LOST:
		return 2;
	case HYB_KERNEL_COUNTS:
		return 6;
	}
	return -1;
}

enum hyb_switch_flag {	/* bits 23-16; bits 15-0: prev_state as sched_switch has it, 0xffff: not known */
	HYB_SWITCH_INVOLUNTARY = 1 << 16,	/* it could have gone on: getrusage counts it so, too */
};
enum hyb_waking_flag {	/* who wakes it, if not the current task itself; bits 21-0: the CPU */
	HYB_WAKING_IRQ = 1 << 23,
	HYB_WAKING_SOFTIRQ = 1 << 22,
};

/* bit 0 sleeps, 1 sleeps for I/O or a lock, 2 stopped, 3 traced, 4, 5 dead, ... */
#define HYB_SWITCH_STATE	0xffffu

enum hyb_fault_flag {
	HYB_FAULT_USER = 1,	/* user code's; else the kernel's, on the program's behalf */
	HYB_FAULT_MAJOR = 2,	/* END: waited for I/O; else minor */
	HYB_FAULT_NO_BEGIN = 4,	/* END alone: the source does not tell when it began */
};

enum hyb_signal_flag {
	HYB_SIGNAL_GROUP = 1,	/* to the process, not to one thread */
	HYB_SIGNAL_NOT_SENT = 2, /* ignored, pending already, or lost */
};

/*
 * Interrupts that are no device's, so that Linux has no number for them: x86's vectors. Numbers of IRQ_ENTER and EXIT
 * from HYB_IRQ_VECTOR on.
 */
enum hyb_irq_vector {
	HYB_IRQ_VECTOR = 0x800000,
	HYB_IRQ_LOCAL_TIMER = HYB_IRQ_VECTOR,	/* the scheduler's tick, and timers of high resolution */
	HYB_IRQ_IRQ_WORK,
	HYB_IRQ_CALL_FUNCTION,	/* another CPU asks for something: pages to be forgotten, for one */
	HYB_IRQ_CALL_FUNCTION_SINGLE,
	HYB_IRQ_THERMAL_APIC,
};

enum hyb_block_flag {
	HYB_BLOCK_WRITE = 1,
	HYB_BLOCK_READ_AHEAD = 2,
	HYB_BLOCK_FLUSH = 4,
	HYB_BLOCK_DISCARD = 8,
	HYB_BLOCK_META = 16,
	HYB_BLOCK_ERROR = 32,	/* COMPLETE: it failed */
};

enum hyb_lost_why {
	HYB_LOST_FULL = 1,	/* the source's buffer was full */
	HYB_LOST_THROTTLED = 2,	/* the kernel held the source back */
	HYB_LOST_SWITCH = 3,	/* a switch, to the current task or to one before it: what else there was is recorded */
};

/* The rows of the file `profile`, which is text: what a thread was in. */
enum hyb_profile_kind {
	HYB_PROFILE_SYSCALL = 1,
	HYB_PROFILE_FAULT = 2,	/* number: 1 major, 0 minor */
	HYB_PROFILE_IRQ = 3,
	HYB_PROFILE_SOFTIRQ = 4,
	HYB_PROFILE_OFF = 5,	/* without a CPU. number: 1 involuntary, 0 voluntary */
};

/* number i: from 2^i nanoseconds to twice that; the last: and all above, the first: below */
#define HYB_PROFILE_BUCKETS 32

enum hyb_kernel_names {	/* whose numbers DEF_KERNEL_NAME names */
	HYB_NAME_SYSCALL = 1, HYB_NAME_IRQ, HYB_NAME_SOFTIRQ, HYB_NAME_SIGNAL, HYB_NAME_DEVICE,
};

/* The structs below follow the first word of their definition. */

enum hyb_task_kind {
	HYB_TASK_KIND_OTHER = 0,	/* of no interest here */
	HYB_TASK_KIND_JOB = 1,		/* a thread of the program that is recorded, or of what it started */
	HYB_TASK_KIND_HYBMON = 2,	/* hybmon's own: the collector */
	HYB_TASK_KIND_KERNEL = 3,	/* a thread of the kernel */
};

/*
 * From `start` on this is the task of that number; numbers are used again, and a task may change its name: then
 * there is another definition with a later start.
 */
struct hyb_def_task {
	uint64_t start;		/* nanoseconds of CLOCK_MONOTONIC_RAW; 0: from the stream's beginning */
	uint32_t tid;		/* in the pid namespace of the writer, 0: not there */
	uint32_t tgid;		/* the process it is a thread of, 0: not known */
	uint32_t parent;	/* tgid of who made it, 0: not known */
	uint32_t kind;		/* enum hyb_task_kind */
	char name[16];		/* zero behind it, unless it is as long */
};

/* Addresses: `kernel` of the kernel's, then `user` of the program's, each from the innermost outwards. */
struct hyb_def_stack {
	uint32_t kernel;
	uint32_t user;
	uint32_t tgid;		/* whose program; 0: none */
	uint32_t reserved;
};

#define HYB_KERNEL_VDSO "vdso.so" /* the file beside the streams with what processes have mapped as [vdso] */

struct hyb_def_symbol {		/* of the kernel */
	uint64_t address;	/* of its first byte */
	uint32_t size;		/* 0: not known */
	uint32_t name_length;	/* bytes behind the struct, padded to words with zeroes */
};

/*
 * A file that task group `id` has mapped to be executed. Code that is in none has "//anon" or another name of the
 * kernel's.
 */
struct hyb_def_mapping {
	uint64_t start;		/* nanoseconds of CLOCK_MONOTONIC_RAW; 0: before anything else */
	uint64_t address;
	uint64_t length;
	uint64_t offset;	/* in the file */
	uint64_t path_length;	/* bytes behind the struct, padded to words with zeroes */
};

#endif
