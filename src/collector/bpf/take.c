/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taking the records of the programs in the kernel; see take.h. Most are as streams have them. What is left to do is to
 * define what they name, to hide the kernel's addresses, and to drop what only the collector knows is not the job's.
 */
#include "collector/bpf/take.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "collector/common/address.h"
#include "collector/common/chain.h"
#include "collector/common/map.h"
#include "collector/common/name.h"
#include "collector/common/proc.h"
#include "collector/common/socket.h"
#include "collector/common/task.h"

/* The scheduler's states as prev_state has them, include/linux/sched.h */
#define STATE_REPORTED	0x7fu
#define STATE_UNINTERRUPTIBLE 0x02u
#define STATE_IDLE	0x402u	/* uninterruptible, and no load */
#define STATE_LOCK	0x1000u	/* sleeps for a lock of a kernel with PREEMPT_RT */
#define STATE_FROZEN	0x8000u
#define REPORT_IDLE	0x80u
#define REPORT_PREEMPTED 0x100u

static struct hyb_map irqs;

/* The state as the tracepoint's own record has it: the highest of the bits that it reports. */
static uint32_t state_of(uint64_t a)
{
	uint32_t state = (uint32_t)(a >> HYB_BPF_STATE_SHIFT) & 0xffff;
	uint32_t told = (state | ((uint32_t)(a >> HYB_BPF_EXIT_SHIFT) & 0xff)) & STATE_REPORTED;

	if (a & HYB_BPF_PREEMPT)
		return REPORT_PREEMPTED;
	if ((state & STATE_IDLE) == STATE_IDLE)
		return REPORT_IDLE;
	if (state & (STATE_LOCK | STATE_FROZEN))
		return STATE_UNINTERRUPTIBLE;
	return told ? 1u << (31 - __builtin_clz(told)) : 0;
}

/* What records have for the task, which is defined first. */
static uint32_t define(uint32_t id)
{
	return id == HYB_TASK_OTHER ? id : hyb_task_shown(hyb_tasks_find(id, NULL));
}

void hyb_bpf_name_irq(uint32_t number)
{
	char path[64];
	char text[128];
	long n;

	if (hyb_map_get(&irqs, number))
		return;
	hyb_map_put(&irqs, number, &irqs);
	if (number >= HYB_IRQ_VECTOR) {
		hyb_name_irq(number, NULL);
		return;
	}
	hyb_text_format(path, sizeof(path), "/sys/kernel/irq/%u/actions", number);
	n = hyb_sys_read_file(path, text, sizeof(text));
	if (n <= 0)
		return;
	/* Devices that share it are listed with commas. */
	text[strcspn(text, ",\n")] = 0;
	hyb_name_irq(number, text);
}

/* Defines what the record names. False: the record is not the job's. */
static bool note(uint32_t what, uint32_t detail, const struct hyb_bpf_record *r)
{
	switch (what) {
	case HYB_KERNEL_SYSCALL_ENTER:
	case HYB_KERNEL_SYSCALL_EXIT:
		hyb_name_syscall(detail);
		return true;
	case HYB_KERNEL_IRQ_ENTER:
		hyb_bpf_name_irq(detail);
		return true;
	case HYB_KERNEL_NET_SEND:
	case HYB_KERNEL_NET_RECV:
		hyb_socket_add(r->b);
		return true;
	case HYB_KERNEL_TCP_RETRANSMIT:
		return hyb_socket_is_recorded(r->b);
	case HYB_KERNEL_BLOCK_ISSUE:
	case HYB_KERNEL_BLOCK_COMPLETE:
		hyb_name_device((uint32_t)(r->a >> 32));
		return true;
	}
	return true;
}

/* Defines the chain, with the marks that perf has before the kernel's addresses and before the program's. */
static void take_chain(struct hyb_output *out, const struct hyb_bpf_chain *chain, uint32_t size, uint32_t task)
{
	uint64_t addresses[2 * HYB_BPF_DEPTH + 2];
	const struct hyb_task *t = hyb_tasks_find(task, NULL);
	uint64_t n = 0;

	if (!t || chain->kernel > HYB_BPF_DEPTH || chain->user > HYB_BPF_DEPTH ||
	    size < offsetof(struct hyb_bpf_chain, addresses) + 8 * (chain->kernel + chain->user))
		return;
	addresses[n++] = (uint64_t)PERF_CONTEXT_KERNEL;
	for (uint32_t i = 0; i < chain->kernel; i++)
		addresses[n++] = chain->addresses[i];
	addresses[n++] = (uint64_t)PERF_CONTEXT_USER;
	for (uint32_t i = 0; i < chain->user; i++)
		addresses[n++] = chain->addresses[chain->kernel + i];
	out->stack = hyb_chain_define(addresses, n, t->tgid);
}

void hyb_bpf_take(struct hyb_output *out, const struct hyb_bpf_record *r, uint32_t size, uint64_t time)
{
	const enum hyb_kernel_what what = (enum hyb_kernel_what)(r->word >> HYB_TYPE_SHIFT);
	const int words = hyb_kernel_extra_words(what);
	uint32_t detail = (uint32_t)(r->word >> 32) & 0xffffff;
	uint32_t task = (uint32_t)r->word;
	uint64_t a = 0, b = 0;

	if (words < 0 || size < 16 + 8 * (uint32_t)words || !note(what, detail, r))
		return;
	if (words)
		a = r->a;
	if (words > 1)
		b = r->b;
	if (size >= offsetof(struct hyb_bpf_chain, addresses) &&
	    (what == HYB_KERNEL_SWITCH || what == HYB_KERNEL_SOFTIRQ_ENTER))
		take_chain(out, (const struct hyb_bpf_chain *)r, size, task);
	task = define(task);
	switch (what) {
	case HYB_KERNEL_LOST:
		b = out->last;
		break;
	case HYB_KERNEL_SWITCH:
		detail = state_of(a);
		if (!(detail & 0xff))
			detail |= HYB_SWITCH_INVOLUNTARY;
		a = define((uint32_t)a);
		break;
	case HYB_KERNEL_FAULT_BEGIN:
	case HYB_KERNEL_FAULT_END:
		a = hyb_address_shown(a);
		b = hyb_address_shown(b);
		break;
	case HYB_KERNEL_NET_SEND:
	case HYB_KERNEL_NET_RECV:
	case HYB_KERNEL_TCP_RETRANSMIT:
		b = hyb_address_hide(b);
		break;
	case HYB_KERNEL_WAKING:
	case HYB_KERNEL_MIGRATE:
	case HYB_KERNEL_FORK:
	case HYB_KERNEL_SIGNAL_GENERATE:
		a = (a & ~(uint64_t)UINT32_MAX) | define((uint32_t)a);
		break;
	default:
		break;
	}
	if (!words)
		hyb_output_event(out, time, what, detail, task);
	else if (words == 1)
		hyb_output_event1(out, time, what, detail, task, a);
	else
		hyb_output_event2(out, time, what, detail, task, a, b);
	out->stack = 0;
}

static void know_thread(uint32_t tgid, uint32_t tid)
{
	hyb_tasks_current(tid, tgid, tid);
}

void hyb_bpf_take_start(bool all)
{
	/* Records have numbers only. The side ring tells of the threads that begin later. */
	if (all)
		hyb_proc_all_threads(know_thread);
	/* The collector itself is in the records, too. */
	know_thread((uint32_t)getpid(), (uint32_t)getpid());
}
