/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `bpf`, in the kernel: a program for each tracepoint, with its name. The kernel calls it with the
 * tracepoint's own arguments, which the comment of a program lists. What may not be recorded is not even written. The
 * records are those that src/collector/perf/decode.c makes of perf's, so both sources have the same streams.
 */
#include "collector/bpf/block.bpf.h"
#include "collector/bpf/emit.bpf.h"
#include "collector/bpf/profile.bpf.h"
#include "collector/bpf/rights.bpf.h"

char license_name[] SEC("license") = "Dual BSD/GPL";

#define CURRENT() ((struct task_struct *)bpf_get_current_task_btf())

enum { SLOT_SWITCH, SLOT_SOFTIRQ };

/* Not idle tasks: all CPUs' have one number, and there is nothing to learn about them. */
static __always_inline bool is_profiled(const struct task_struct *task)
{
	return settings.profile && task->pid && is_recorded(task);
}

static __always_inline __u64 state_of(const struct task_struct *task)
{
	if (bpf_core_field_exists(struct task_struct___now, __state))
		return ((struct task_struct___now *)task)->__state;
	return ((struct task_struct___state *)task)->state;
}

/*
 * A thread that has ended has no number in a namespace when it leaves its CPU for the last time. So the CPU remembers
 * who got it.
 */
static __always_inline __u32 remember(const struct task_struct *prev, __u32 from, const struct task_struct *next,
				      __u32 to)
{
	__u32 number = bpf_get_smp_processor_id();
	struct hyb_bpf_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);

	if (!cpu)
		return from;
	if (from == HYB_TASK_OTHER && cpu->running >> 32 == (__u32)prev->pid)
		from = (__u32)cpu->running;
	cpu->running = (__u64)next->pid << 32 | to;
	return from;
}

/* preempt, prev, next, prev_state */
SEC("tp_btf/sched_switch")
int sched_switch(__u64 *args)
{
	struct task_struct *prev = (void *)args[1], *next = (void *)args[2];
	__u32 from = shown(prev), to = shown(next);
	__u64 state, a, now;

	if (settings.pid_namespace)
		from = remember(prev, from, next, to);
	if (from == HYB_TASK_OTHER && to == HYB_TASK_OTHER)
		return 0;
	state = settings.state_given ? args[3] : state_of(prev);
	a = to | (state & 0xffff) << HYB_BPF_STATE_SHIFT | ((__u64)prev->exit_state & 0xff) << HYB_BPF_EXIT_SHIFT;
	if (args[0] & 1)
		a |= HYB_BPF_PREEMPT;
	if (settings.chains && is_recorded(prev))
		now = emit_chain(args, SLOT_SWITCH, word_of(HYB_KERNEL_SWITCH, 0, from), a);
	else
		now = emit(HYB_KERNEL_SWITCH, 0, from, 1, a, 0);
	if (is_profiled(prev))
		profile_begin(from, PROFILE_EVENT(HYB_PROFILE_OFF, args[0] & 1 || !(state & 0xffff)), false, now);
	if (is_profiled(next))
		profile_end(to, HYB_PROFILE_OFF, 0, now);
	return 0;
}

static __always_inline __u32 cpu_of(const struct task_struct *task)
{
	if (bpf_core_field_exists(struct thread_info, cpu))
		return task->thread_info.cpu;
	return ((struct task_struct___cpu *)task)->cpu;
}

/*
 * The kernel's preemption counter, which says whether the CPU handles an interrupt; 0 if it is not known. On x86 it is
 * a per-CPU variable. Programs may name it only if the kernel keeps the names of its variables, as few do. But BTF has
 * its offset among the per-CPU variables, and each task has the address of another one of them, the run queue.
 */
static __always_inline __u32 preempt_count(void)
{
#if defined(__TARGET_ARCH_x86)
	__u32 number = bpf_get_smp_processor_id();
	struct hyb_bpf_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);
	int count = 0;

	if (!settings.preempt || !cpu)
		return 0;
	if (!cpu->queue)
		cpu->queue = (__u64)BPF_CORE_READ(CURRENT(), se.cfs_rq, rq);
	if (cpu->queue)
		bpf_probe_read_kernel(&count, sizeof(count), (const void *)(cpu->queue + settings.preempt));
	return (__u32)count;
#else
	return ((struct task_struct___preempt *)CURRENT())->thread_info.preempt.count;
#endif
}

/* p */
SEC("tp_btf/sched_waking")
int sched_waking(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	__u32 target = shown(task);
	__u32 detail, count;

	if (target == HYB_TASK_OTHER)
		return 0;
	detail = cpu_of(task) & (HYB_WAKING_SOFTIRQ - 1);
	count = preempt_count();
	if (count & HARDIRQ_MASK)
		detail |= HYB_WAKING_IRQ;
	else if (count & SOFTIRQ_SERVED)
		detail |= HYB_WAKING_SOFTIRQ;
	emit(HYB_KERNEL_WAKING, detail, shown(CURRENT()), 1, target, 0);
	return 0;
}

/* p, dest_cpu */
SEC("tp_btf/sched_migrate_task")
int sched_migrate_task(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	__u32 target = shown(task);

	if (target != HYB_TASK_OTHER)
		emit(HYB_KERNEL_MIGRATE, 0, shown(CURRENT()), 1,
		     (__u64)cpu_of(task) << 48 | (args[1] & 0xffff) << 32 | target, 0);
	return 0;
}

/* parent, child */
SEC("tp_btf/sched_process_fork")
int sched_process_fork(__u64 *args)
{
	struct task_struct *parent = (void *)args[0], *child = (void *)args[1];
	const bool job = is_job(tgid_of(parent));
	struct hyb_bpf_task *r;

	/* In a namespace the bits of an ended process are still set: see sched_process_free. */
	if (!job && settings.pid_namespace && child->pid == child->tgid)
		clear_job(tid_of(child));
	if (!is_recorded(parent))
		return 0;
	if (job)
		set_job(tgid_of(child));
	if (settings.profile)
		profile_forget(tid_of(child));
	r = begin_side(HYB_BPF_FORKED, tgid_of(child), tid_of(child));
	if (r) {
		r->ptgid = tgid_of(parent);
		r->ptid = tid_of(parent);
		bpf_ringbuf_submit(r, 0);
	}
	emit(HYB_KERNEL_FORK, 0, tid_of(parent), 1, tid_of(child), 0);
	return 0;
}

/*
 * task, bprm. The program that it executes has rights that are not its user's: by the file's mode or capabilities, or
 * by a security module. Nothing of the new program has run yet. Kernels before 6.9 do not tell so early.
 */
SEC("tp_btf/sched_prepare_exec")
int sched_prepare_exec(__u64 *args)
{
	const struct linux_binprm *program = (void *)args[1];
	const __u32 tgid = tgid_of((struct task_struct *)args[0]);

	if (settings.user && is_known(tgid) && BPF_CORE_READ_BITFIELD_PROBED(program, secureexec))
		leave_job(tgid);
	return 0;
}

/* p, old_pid, bprm. The same, and for programs that may not be read. perf's own events of a task end here, too. */
SEC("tp_btf/sched_process_exec")
int sched_process_exec(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	const struct linux_binprm *program = (void *)args[2];
	const __u32 tgid = tgid_of(task);

	if (settings.user && is_known(tgid) &&
	    (BPF_CORE_READ_BITFIELD_PROBED(program, secureexec) || !is_dumpable(task)))
		leave_job(tgid);
	return 0;
}

/* p */
SEC("tp_btf/sched_process_exit")
int sched_process_exit(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	struct hyb_bpf_task *r;

	if (!is_recorded(task))
		return 0;
	emit(HYB_KERNEL_EXIT, 0, tid_of(task), 0, 0, 0);
	if (!settings.profile || !slot_end(tid_of(task)))
		return 0;
	r = begin_side(HYB_BPF_ENDED, tgid_of(task), tid_of(task));
	if (r)
		bpf_ringbuf_submit(r, 0);
	return 0;
}

/* p. The task is gone, and its number may become another's. In a namespace it has lost its number before. */
SEC("tp_btf/sched_process_free")
int sched_process_free(__u64 *args)
{
	struct task_struct *task = (void *)args[0];

	if (!settings.pid_namespace && task->pid == task->tgid && is_known(task->tgid))
		clear_job(task->tgid);
	return 0;
}

/* task, comm */
SEC("tp_btf/task_rename")
int task_rename(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	struct hyb_bpf_task *r;

	if (!is_recorded(task))
		return 0;
	r = begin_side(HYB_BPF_RENAMED, tgid_of(task), tid_of(task));
	if (!r)
		return 0;
	bpf_probe_read_kernel_str(r->name, sizeof(r->name), (const void *)args[1]);
	bpf_ringbuf_submit(r, 0);
	return 0;
}

/* Instead of an info there may be the numbers 0 and 1, which stand for SI_USER and SI_KERNEL. */
static __always_inline __u64 code_of(__u64 info)
{
	if (!info)
		return 0;
	barrier_var(info);	/* the verifier has to see this comparison as it is written */
	if (info == 1)
		return 0x80ull << 32;
	return (__u64)(__u32)BPF_CORE_READ((struct kernel_siginfo *)info, si_code) << 32;
}

/* sig, info, task, group, result */
SEC("tp_btf/signal_generate")
int signal_generate(__u64 *args)
{
	struct task_struct *current = CURRENT();
	__u32 target = shown((struct task_struct *)args[2]);
	__u32 flags = 0;

	if (target == HYB_TASK_OTHER && !is_recorded(current))
		return 0;
	if ((__u32)args[3])
		flags |= HYB_SIGNAL_GROUP;
	if ((__u32)args[4])
		flags |= HYB_SIGNAL_NOT_SENT;
	emit(HYB_KERNEL_SIGNAL_GENERATE, (__u32)args[0], shown(current), 2, code_of(args[1]) | target, flags);
	return 0;
}

/* sig, info, ka */
SEC("tp_btf/signal_deliver")
int signal_deliver(__u64 *args)
{
	struct task_struct *current = CURRENT();

	if (is_recorded(current))
		emit(HYB_KERNEL_SIGNAL_DELIVER, (__u32)args[0], tid_of(current), 2, code_of(args[1]),
		     (__u64)BPF_CORE_READ((struct k_sigaction *)args[2], sa.sa_handler));
	return 0;
}

/* regs, id */
SEC("tp_btf/sys_enter")
int sys_enter(__u64 *args)
{
	struct task_struct *current = CURRENT();
	__u64 now = 0;

	if (is_recorded(current))
		now = emit(HYB_KERNEL_SYSCALL_ENTER, (__u32)args[1], tid_of(current), 0, 0, 0);
	if (is_profiled(current))
		profile_begin(tid_of(current), PROFILE_EVENT(HYB_PROFILE_SYSCALL, args[1]), true, now);
	return 0;
}

/* regs, ret */
SEC("tp_btf/sys_exit")
int sys_exit(__u64 *args)
{
	struct task_struct *current = CURRENT();
	struct pt_regs *regs = (void *)args[0];
	__u64 now;

	if (!is_recorded(current))
		return 0;
#if defined(__TARGET_ARCH_x86)
	now = emit(HYB_KERNEL_SYSCALL_EXIT, (__u32)regs->orig_ax, tid_of(current), 1, args[1], 0);
#else
	now = emit(HYB_KERNEL_SYSCALL_EXIT, (__u32)regs->syscallno, tid_of(current), 1, args[1], 0);
#endif
	if (is_profiled(current))
		profile_end(tid_of(current), HYB_PROFILE_SYSCALL, 0, now);
	return 0;
}

static __always_inline int irq_enter(__u32 number)
{
	struct task_struct *current = CURRENT();
	__u64 now = emit(HYB_KERNEL_IRQ_ENTER, number, shown(current), 0, 0, 0);

	if (is_profiled(current))
		profile_begin(tid_of(current), PROFILE_EVENT(HYB_PROFILE_IRQ, number), false, now);
	return 0;
}

static __always_inline int irq_exit(__u32 number)
{
	struct task_struct *current = CURRENT();
	__u64 now = emit(HYB_KERNEL_IRQ_EXIT, number, shown(current), 0, 0, 0);

	if (is_profiled(current))
		profile_end(tid_of(current), HYB_PROFILE_IRQ, 0, now);
	return 0;
}

/* irq, action */
SEC("tp_btf/irq_handler_entry")
int irq_handler_entry(__u64 *args)
{
	return irq_enter((__u32)args[0]);
}

SEC("tp_btf/irq_handler_exit")
int irq_handler_exit(__u64 *args)
{
	return irq_exit((__u32)args[0]);
}

/* vector: it depends on the kernel, so each tracepoint has its own number here. */
#define VECTOR(name, number)                    \
	SEC("tp_btf/" #name "_entry")           \
	int name##_entry(__u64 *args)           \
	{                                       \
		(void)args;                     \
		return irq_enter(number);       \
	}                                       \
	SEC("tp_btf/" #name "_exit")            \
	int name##_exit(__u64 *args)            \
	{                                       \
		(void)args;                     \
		return irq_exit(number);        \
	}

VECTOR(local_timer, HYB_IRQ_LOCAL_TIMER)
VECTOR(irq_work, HYB_IRQ_IRQ_WORK)
VECTOR(call_function, HYB_IRQ_CALL_FUNCTION)
VECTOR(call_function_single, HYB_IRQ_CALL_FUNCTION_SINGLE)
VECTOR(thermal_apic, HYB_IRQ_THERMAL_APIC)

/* vec */
SEC("tp_btf/softirq_entry")
int softirq_entry(__u64 *args)
{
	struct task_struct *current = CURRENT();
	__u64 now;

	if (settings.chains && is_recorded(current))
		now = emit_chain(args, SLOT_SOFTIRQ, word_of(HYB_KERNEL_SOFTIRQ_ENTER, (__u32)args[0], shown(current)), 0);
	else
		now = emit(HYB_KERNEL_SOFTIRQ_ENTER, (__u32)args[0], shown(current), 0, 0, 0);
	if (is_profiled(current))
		profile_begin(tid_of(current), PROFILE_EVENT(HYB_PROFILE_SOFTIRQ, args[0]), false, now);
	return 0;
}

SEC("tp_btf/softirq_exit")
int softirq_exit(__u64 *args)
{
	struct task_struct *current = CURRENT();
	__u64 now = emit(HYB_KERNEL_SOFTIRQ_EXIT, (__u32)args[0], shown(current), 0, 0, 0);

	if (is_profiled(current))
		profile_end(tid_of(current), HYB_PROFILE_SOFTIRQ, 0, now);
	return 0;
}

#define MSG_PEEK 2

static __always_inline void transfer(__u64 *args, __u32 what)
{
	struct task_struct *current = CURRENT();
	struct sock *socket = (void *)args[0];
	__u32 family, protocol;

	if (!is_recorded(current))
		return;
	family = BPF_CORE_READ(socket, __sk_common.skc_family);
	protocol = BPF_CORE_READ(socket, sk_protocol);
	emit(what, (family & 0xff) << 16 | (protocol & 0xffff), tid_of(current), 2, (__u64)(__s64)(__s32)args[1],
	     (__u64)socket);
}

/* sk, ret, flags */
SEC("tp_btf/sock_send_length")
int sock_send_length(__u64 *args)
{
	transfer(args, HYB_KERNEL_NET_SEND);
	return 0;
}

/* sk, ret, flags. A message that is only peeked at will be received once more. */
SEC("tp_btf/sock_recv_length")
int sock_recv_length(__u64 *args)
{
	if (!(args[2] & MSG_PEEK))
		transfer(args, HYB_KERNEL_NET_RECV);
	return 0;
}

/* sk, skb, ... Of all sockets: the collector knows which are the job's. */
SEC("tp_btf/tcp_retransmit_skb")
int tcp_retransmit_skb(__u64 *args)
{
	struct sock *socket = (void *)args[0];
	__u32 here = BPF_CORE_READ(socket, __sk_common.skc_num);
	__u32 there = __builtin_bswap16(BPF_CORE_READ(socket, __sk_common.skc_dport));
	__u32 family = BPF_CORE_READ(socket, __sk_common.skc_family);

	emit(HYB_KERNEL_TCP_RETRANSMIT, (family & 0xff) << 16, shown(CURRENT()), 2, (__u64)here << 16 | there,
	     (__u64)socket);
	return 0;
}

/* rq. A request that the driver gave back may be issued again by a thread of the kernel. */
SEC("tp_btf/block_rq_issue")
int block_rq_issue(__u64 *args)
{
	const struct request *request = (void *)args[0];
	__u64 key = args[0];
	struct hyb_bpf_request *known = bpf_map_lookup_elem(&requests, &key);
	struct hyb_bpf_request r = { .back = 0 };

	if (known && known->back) {
		known->back = 0;
		if (!is_recorded(CURRENT()))
			return 0;
	}
	if (!is_recorded(CURRENT())) {
		/* Another request has the address of an earlier one. */
		if (known)
			bpf_map_delete_elem(&requests, &key);
		return 0;
	}
	r.what = device_of(request) << 32 | BPF_CORE_READ(request, __data_len);
	r.sector = sector_of(request);
	if (bpf_map_update_elem(&requests, &key, &r, 0))
		count_lost();
	emit(HYB_KERNEL_BLOCK_ISSUE, request_flags(BPF_CORE_READ(request, cmd_flags)), shown(CURRENT()), 2, r.what,
	     r.sector);
	return 0;
}

/* rq. The driver had no room for it. */
SEC("tp_btf/block_rq_requeue")
int block_rq_requeue(__u64 *args)
{
	__u64 key = args[0];
	struct hyb_bpf_request *known = bpf_map_lookup_elem(&requests, &key);

	if (known)
		known->back = 1;
	return 0;
}

/* rq, error, nr_bytes. If the device does a request in parts, the last part completes it. */
SEC("tp_btf/block_rq_complete")
int block_rq_complete(__u64 *args)
{
	const struct request *request = (void *)args[0];
	__u32 flags = request_flags(BPF_CORE_READ(request, cmd_flags)) | ((__u8)args[1] ? HYB_BLOCK_ERROR : 0);
	__u64 key = args[0];
	struct hyb_bpf_request *known = bpf_map_lookup_elem(&requests, &key);
	struct hyb_bpf_request r;

	if (known) {
		if ((__u32)args[2] < BPF_CORE_READ(request, __data_len))
			return 0;
		r = *known;
		bpf_map_delete_elem(&requests, &key);
		emit(HYB_KERNEL_BLOCK_COMPLETE, flags, shown(CURRENT()), 2, r.what, r.sector);
	} else if (settings.all) {
		/* It was issued before recording began. */
		emit(HYB_KERNEL_BLOCK_COMPLETE, flags, shown(CURRENT()), 2,
		     device_of(request) << 32 | ((__u32)args[2] & ~511u), sector_of(request));
	}
	return 0;
}

/*
 * Page faults are perf's software events here, too. They mean the same as in the source `perf`, tell of a fault's end
 * as well, and exist on every architecture.
 */
struct fault {
#if defined(__TARGET_ARCH_x86)
	__u64 regs[21];
#else
	__u64 regs[34];
#endif
	__u64 period;
	__u64 address;
};

static __always_inline __u32 fault_flags(const volatile struct fault *f)
{
#if defined(__TARGET_ARCH_x86)
	return f->regs[17] & 3 ? HYB_FAULT_USER : 0;	/* cs */
#else
	return f->regs[33] & 0xf ? 0 : HYB_FAULT_USER;	/* pstate */
#endif
}

static __always_inline __u64 fault_ip(const volatile struct fault *f)
{
#if defined(__TARGET_ARCH_x86)
	return f->regs[16];
#else
	return f->regs[32];
#endif
}

SEC("perf_event")
int fault_begin(const volatile struct fault *f)
{
	struct task_struct *current = CURRENT();
	__u64 now = 0;

	if (is_recorded(current))
		now = emit(HYB_KERNEL_FAULT_BEGIN, fault_flags(f), shown(current), 2, f->address, fault_ip(f));
	if (is_profiled(current))
		profile_begin(tid_of(current), PROFILE_EVENT(HYB_PROFILE_FAULT, 0), fault_flags(f) & HYB_FAULT_USER, now);
	return 0;
}

static __always_inline int fault_end(const volatile struct fault *f, bool major)
{
	struct task_struct *current = CURRENT();
	__u64 now = 0;

	if (is_recorded(current))
		now = emit(HYB_KERNEL_FAULT_END, fault_flags(f) | (major ? HYB_FAULT_MAJOR : 0), shown(current), 1,
			   f->address, 0);
	if (is_profiled(current))
		profile_end(tid_of(current), HYB_PROFILE_FAULT, PROFILE_EVENT(HYB_PROFILE_FAULT, major), now);
	return 0;
}

SEC("perf_event")
int fault_minor(const volatile struct fault *f)
{
	return fault_end(f, false);
}

SEC("perf_event")
int fault_major(const volatile struct fault *f)
{
	return fault_end(f, true);
}
