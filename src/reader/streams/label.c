/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/streams/label.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

const char hyb_label_idle[] = "idle", hyb_label_other[] = "other";

#define NUMBERS 3u

static const struct {
	const char *before;	      /* the number's name; NULL: not known as an event */
	enum hyb_kernel_names names;  /* of the number; 0: it has none */
	const char *number[NUMBERS];  /* labels of the lowest numbers */
} labels[] = {
	[HYB_KERNEL_SWITCH] = { "", 0, { "scheduled out (voluntary)", "scheduled out (involuntary)" } },
	[HYB_KERNEL_SYSCALL_ENTER] = { "sys_", HYB_NAME_SYSCALL, { NULL } },
	[HYB_KERNEL_FAULT_BEGIN] = { "", 0, { "page fault (minor)", "page fault (major)", "page fault (unresolved)" } },
	[HYB_KERNEL_IRQ_ENTER] = { "irq ", HYB_NAME_IRQ, { NULL } },
	[HYB_KERNEL_SOFTIRQ_ENTER] = { "softirq ", HYB_NAME_SOFTIRQ, { NULL } },
	[HYB_KERNEL_SIGNAL_GENERATE] = { "send signal ", HYB_NAME_SIGNAL, { NULL } },
	[HYB_KERNEL_SIGNAL_DELIVER] = { "signal ", HYB_NAME_SIGNAL, { NULL } },
	[HYB_KERNEL_NET_SEND] = { "", 0, { "net send" } },
	[HYB_KERNEL_NET_RECV] = { "", 0, { "net receive" } },
	[HYB_KERNEL_TCP_RETRANSMIT] = { "", 0, { "tcp retransmit" } },
	[HYB_KERNEL_BLOCK_ISSUE] = { "", 0, { "block read issued", "block write issued" } },
	[HYB_KERNEL_BLOCK_COMPLETE] = { "", 0, { "block read complete", "block write complete" } },
};

static bool is_known(enum hyb_kernel_what what)
{
	return what < sizeof(labels) / sizeof(labels[0]) && labels[what].before;
}

unsigned int hyb_label_names(enum hyb_kernel_what what)
{
	return is_known(what) ? labels[what].names : 0;
}

const char *hyb_label_event(enum hyb_kernel_what what, uint32_t number, const char *name, char *buf, size_t size)
{
	if (!is_known(what))
		return NULL;
	if (!labels[what].names)
		return number < NUMBERS ? labels[what].number[number] : NULL;
	if (name)
		snprintf(buf, size, "%s%s", labels[what].before, name);
	else
		snprintf(buf, size, "%s%" PRIu32, labels[what].before, number);
	return buf;
}

enum hyb_kernel_what hyb_label_profiled(uint32_t kind)
{
	static const enum hyb_kernel_what whats[] = {
		[HYB_PROFILE_SYSCALL] = HYB_KERNEL_SYSCALL_ENTER,
		[HYB_PROFILE_FAULT] = HYB_KERNEL_FAULT_BEGIN,
		[HYB_PROFILE_IRQ] = HYB_KERNEL_IRQ_ENTER,
		[HYB_PROFILE_SOFTIRQ] = HYB_KERNEL_SOFTIRQ_ENTER,
		[HYB_PROFILE_OFF] = HYB_KERNEL_SWITCH,
	};

	return kind < sizeof(whats) / sizeof(whats[0]) ? whats[kind] : 0;
}
