/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracepoints, one by one; see decode.h. The comment of a function lists its fields, in the order of its row in the
 * table at the end. A record of a task that is not the job's is dropped, unless it shows that another task had the CPU.
 */
#include "collector/perf/decode.h"

#include <sys/socket.h>

#include "core/config/config.h"
#include "collector/common/address.h"
#include "collector/common/map.h"
#include "collector/common/name.h"
#include "collector/common/socket.h"

/* include/linux/trace_events.h: an interface that tracefs' users rely on */
#define COMMON_FLAGS_OFFSET	2
#define COMMON_HARDIRQ		0x08
#define COMMON_SOFTIRQ		0x10

#define SECTOR_SIZE	512

static struct hyb_map transfers; /* of the job, under way: how many, by device and sector */

static int64_t get(const struct hyb_sample *s, int field)
{
	return hyb_field_get(&s->fields[field], s->raw, s->size);
}

static uint32_t current(const struct hyb_sample *s)
{
	return hyb_task_shown(s->task);
}

/* prev_comm, prev_state, next_pid, next_comm */
static void take_switch(const struct hyb_sample *s)
{
	int64_t state = get(s, 1);
	uint32_t next_id = (uint32_t)get(s, HYB_SWITCH_NEXT_PID);
	struct hyb_task *next = hyb_tasks_find(next_id, hyb_field_text(&s->fields[3], s->raw, s->size));
	uint32_t next_shown = hyb_task_shown(next);
	uint32_t detail = (uint32_t)state & HYB_SWITCH_STATE;
	const char *name;

	if (s->task && !s->task->name[0] && s->job) {
		name = hyb_field_text(&s->fields[0], s->raw, s->size);
		if (name)
			hyb_tasks_find(s->task->id, name);
	}
	if (current(s) == HYB_TASK_OTHER && next_shown == HYB_TASK_OTHER)
		return;
	if (!(state & 0xff))
		detail |= HYB_SWITCH_INVOLUNTARY;
	hyb_output_event1(s->out, s->time, HYB_KERNEL_SWITCH, detail, current(s), next_shown);
}

/* pid, target_cpu, comm */
static void take_waking(const struct hyb_sample *s)
{
	struct hyb_task *target = hyb_tasks_find((uint32_t)get(s, 0), hyb_field_text(&s->fields[2], s->raw, s->size));
	uint32_t shown = hyb_task_shown(target);
	uint32_t detail = (uint32_t)get(s, 1) & (HYB_WAKING_SOFTIRQ - 1);
	unsigned char flags;

	if (shown == HYB_TASK_OTHER || s->size <= COMMON_FLAGS_OFFSET)
		return;
	flags = ((const unsigned char *)s->raw)[COMMON_FLAGS_OFFSET];
	if (flags & COMMON_HARDIRQ)
		detail |= HYB_WAKING_IRQ;
	else if (flags & COMMON_SOFTIRQ)
		detail |= HYB_WAKING_SOFTIRQ;
	hyb_output_event1(s->out, s->time, HYB_KERNEL_WAKING, detail, current(s), shown);
}

/* pid, orig_cpu, dest_cpu */
static void take_migrate(const struct hyb_sample *s)
{
	uint32_t shown = hyb_task_shown(hyb_tasks_find((uint32_t)get(s, 0), NULL));

	if (shown != HYB_TASK_OTHER)
		hyb_output_event1(s->out, s->time, HYB_KERNEL_MIGRATE, 0, current(s),
				  (uint64_t)get(s, 1) << 48 | ((uint64_t)get(s, 2) & 0xffff) << 32 | shown);
}

/* sig, code, pid, group, result */
static void take_signal_generate(const struct hyb_sample *s)
{
	uint32_t target = hyb_task_shown(hyb_tasks_find((uint32_t)get(s, 2), NULL));
	uint32_t flags = (get(s, 3) ? HYB_SIGNAL_GROUP : 0) | (get(s, 4) ? HYB_SIGNAL_NOT_SENT : 0);

	if (target != HYB_TASK_OTHER || s->job)
		hyb_output_event2(s->out, s->time, HYB_KERNEL_SIGNAL_GENERATE, (uint32_t)get(s, 0), current(s),
				  (uint64_t)get(s, 1) << 32 | target, flags);
}

/* sig, code, sa_handler */
static void take_signal_deliver(const struct hyb_sample *s)
{
	if (s->job)
		hyb_output_event2(s->out, s->time, HYB_KERNEL_SIGNAL_DELIVER, (uint32_t)get(s, 0), current(s),
				  (uint64_t)get(s, 1) << 32, (uint64_t)get(s, 2));
}

/* id */
static void take_syscall_enter(const struct hyb_sample *s)
{
	if (!s->job)
		return;
	hyb_name_syscall((uint32_t)get(s, 0));
	hyb_output_event(s->out, s->time, HYB_KERNEL_SYSCALL_ENTER, (uint32_t)get(s, 0), current(s));
}

/* id, ret */
static void take_syscall_exit(const struct hyb_sample *s)
{
	if (!s->job)
		return;
	hyb_name_syscall((uint32_t)get(s, 0));
	hyb_output_event1(s->out, s->time, HYB_KERNEL_SYSCALL_EXIT, (uint32_t)get(s, 0), current(s),
			  (uint64_t)get(s, 1));
}

/* irq, name. Interrupts of all CPUs are recorded; the task that one interrupts is named only if it may be. */
static void take_irq_enter(const struct hyb_sample *s)
{
	hyb_name_irq((uint32_t)get(s, 0), hyb_field_text(&s->fields[1], s->raw, s->size));
	hyb_output_event(s->out, s->time, HYB_KERNEL_IRQ_ENTER, (uint32_t)get(s, 0), current(s));
}

static void take_irq_exit(const struct hyb_sample *s)
{
	hyb_output_event(s->out, s->time, HYB_KERNEL_IRQ_EXIT, (uint32_t)get(s, 0), current(s));
}

/*
 * vector: it depends on the kernel, so each tracepoint has its own number here. irq_work's is not to be had: perf itself
 * makes such interrupts.
 */
#define VECTOR(name, number)                                                                     \
	static void take_##name##_enter(const struct hyb_sample *s)                              \
	{                                                                                        \
		hyb_name_irq(number, NULL);                                                      \
		hyb_output_event(s->out, s->time, HYB_KERNEL_IRQ_ENTER, number, current(s));     \
	}                                                                                        \
	static void take_##name##_exit(const struct hyb_sample *s)                               \
	{                                                                                        \
		hyb_output_event(s->out, s->time, HYB_KERNEL_IRQ_EXIT, number, current(s));      \
	}

VECTOR(local_timer, HYB_IRQ_LOCAL_TIMER)
VECTOR(call_function, HYB_IRQ_CALL_FUNCTION)
VECTOR(call_function_single, HYB_IRQ_CALL_FUNCTION_SINGLE)
VECTOR(thermal_apic, HYB_IRQ_THERMAL_APIC)

/* vec */
static void take_softirq_enter(const struct hyb_sample *s)
{
	hyb_output_event(s->out, s->time, HYB_KERNEL_SOFTIRQ_ENTER, (uint32_t)get(s, 0), current(s));
}

static void take_softirq_exit(const struct hyb_sample *s)
{
	hyb_output_event(s->out, s->time, HYB_KERNEL_SOFTIRQ_EXIT, (uint32_t)get(s, 0), current(s));
}

/* family, protocol, ret, sk, flags */
static void take_transfer(const struct hyb_sample *s, enum hyb_kernel_what what)
{
	uint64_t socket = (uint64_t)get(s, 3);

	/* A message that is only peeked at will be received once more. */
	if (!s->job || (what == HYB_KERNEL_NET_RECV && get(s, 4) & MSG_PEEK))
		return;
	hyb_socket_add(socket);
	hyb_output_event2(s->out, s->time, what, ((uint32_t)get(s, 0) & 0xff) << 16 | ((uint32_t)get(s, 1) & 0xffff),
			  current(s), (uint64_t)get(s, 2), hyb_address_hide(socket));
}

static void take_send(const struct hyb_sample *s)
{
	take_transfer(s, HYB_KERNEL_NET_SEND);
}

static void take_receive(const struct hyb_sample *s)
{
	take_transfer(s, HYB_KERNEL_NET_RECV);
}

/* family, sport, dport, skaddr. A timer begins it, so the socket tells whose it is, and not the current task. */
static void take_retransmit(const struct hyb_sample *s)
{
	uint64_t socket = (uint64_t)get(s, 3);

	if (hyb_socket_is_recorded(socket))
		hyb_output_event2(s->out, s->time, HYB_KERNEL_TCP_RETRANSMIT, ((uint32_t)get(s, 0) & 0xff) << 16,
				  current(s), ((uint64_t)get(s, 1) & 0xffff) << 16 | ((uint64_t)get(s, 2) & 0xffff),
				  hyb_address_hide(socket));
}

/* rwbs: a letter for each property, at most ten */
static uint32_t block_flags(const char *rwbs)
{
	uint32_t flags = 0;

	for (; rwbs && *rwbs; rwbs++) {
		switch (*rwbs) {
		case 'W':
			flags |= HYB_BLOCK_WRITE;
			break;
		case 'A':
			flags |= HYB_BLOCK_READ_AHEAD;
			break;
		case 'F':
			flags |= HYB_BLOCK_FLUSH;
			break;
		case 'D':
			flags |= HYB_BLOCK_DISCARD;
			break;
		case 'M':
			flags |= HYB_BLOCK_META;
			break;
		}
	}
	return flags;
}

static uint64_t transfer_key(const struct hyb_sample *s)
{
	return (uint64_t)get(s, 0) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)get(s, 1);
}

void hyb_decode_expect(const struct hyb_sample *s)
{
	uintptr_t count = (uintptr_t)hyb_map_get(&transfers, transfer_key(s));

	if (s->job)
		hyb_map_put(&transfers, transfer_key(s), (void *)(count + 1));
}

/* True if the transfer was expected, once for each: the next one at its place may be another's. */
static bool is_expected(uint64_t key)
{
	uintptr_t count = (uintptr_t)hyb_map_take(&transfers, key);

	if (count > 1)
		hyb_map_put(&transfers, key, (void *)(count - 1));
	return count;
}

/* dev, sector, nr_sector, rwbs, bytes */
static void take_issue(const struct hyb_sample *s)
{
	uint64_t bytes = (uint64_t)(uint32_t)get(s, 4);

	if (!s->job)
		return;
	if (!bytes)
		bytes = (uint64_t)get(s, 2) * SECTOR_SIZE;
	hyb_name_device((uint32_t)get(s, 0));
	hyb_output_event2(s->out, s->time, HYB_KERNEL_BLOCK_ISSUE,
			  block_flags(hyb_field_text(&s->fields[3], s->raw, s->size)), current(s),
			  (uint64_t)get(s, 0) << 32 | (bytes & UINT32_MAX), (uint64_t)get(s, 1));
}

/* dev, sector, nr_sector, rwbs, error */
static void take_complete(const struct hyb_sample *s)
{
	uint32_t flags = block_flags(hyb_field_text(&s->fields[3], s->raw, s->size));

	/* If the device does a transfer in parts, the first part completes it. */
	if (!is_expected(transfer_key(s)) && !hyb_tasks_all())
		return;
	if (get(s, 4))
		flags |= HYB_BLOCK_ERROR;
	hyb_name_device((uint32_t)get(s, 0));
	hyb_output_event2(s->out, s->time, HYB_KERNEL_BLOCK_COMPLETE, flags, current(s),
			  (uint64_t)get(s, 0) << 32 | ((uint64_t)get(s, 2) * SECTOR_SIZE & UINT32_MAX),
			  (uint64_t)get(s, 1));
}

void hyb_decode_fault(const struct hyb_sample *s, bool end, uint32_t flags, uint64_t address, uint64_t ip)
{
	if (!s->job)
		return;
	/* The kernel's code faults, too, and its own memory may be what is missing. */
	address = hyb_address_shown(address);
	ip = hyb_address_shown(ip);
	if (end)
		hyb_output_event1(s->out, s->time, HYB_KERNEL_FAULT_END, flags, current(s), address);
	else
		hyb_output_event2(s->out, s->time, HYB_KERNEL_FAULT_BEGIN, flags, current(s), address, ip);
}

#define VECTOR_ROWS(name)                                                                                          \
	{ HYB_KERNEL_IRQ, "irq_vectors/" #name "_entry", { NULL }, take_##name##_enter, false, false, true },      \
	{ HYB_KERNEL_IRQ, "irq_vectors/" #name "_exit", { NULL }, take_##name##_exit, false, false, true }

const struct hyb_tracepoint_kind hyb_tracepoints[] = {
	[HYB_TRACEPOINT_SWITCH] =
	{ HYB_KERNEL_SCHED, "sched/sched_switch", { "prev_comm", "prev_state", "next_pid", "next_comm" },
	  take_switch, true, false },
	{ HYB_KERNEL_SCHED, "sched/sched_waking", { "pid", "target_cpu", "comm" }, take_waking, false, false },
	{ HYB_KERNEL_SCHED, "sched/sched_migrate_task", { "pid", "orig_cpu", "dest_cpu" }, take_migrate, false, false },
	{ HYB_KERNEL_SIGNAL, "signal/signal_generate", { "sig", "code", "pid", "group", "result" },
	  take_signal_generate, false, false },
	{ HYB_KERNEL_SIGNAL, "signal/signal_deliver", { "sig", "code", "sa_handler" }, take_signal_deliver, false, true },
	{ HYB_KERNEL_SYSCALL, "raw_syscalls/sys_enter", { "id" }, take_syscall_enter, false, true },
	{ HYB_KERNEL_SYSCALL, "raw_syscalls/sys_exit", { "id", "ret" }, take_syscall_exit, false, true },
	{ HYB_KERNEL_IRQ, "irq/irq_handler_entry", { "irq", "name" }, take_irq_enter, false, false },
	{ HYB_KERNEL_IRQ, "irq/irq_handler_exit", { "irq" }, take_irq_exit, false, false },
	{ HYB_KERNEL_IRQ, "irq/softirq_entry", { "vec" }, take_softirq_enter, true, false },
	{ HYB_KERNEL_IRQ, "irq/softirq_exit", { "vec" }, take_softirq_exit, false, false },
	{ HYB_KERNEL_NET, "sock/sock_send_length", { "family", "protocol", "ret", "sk", "flags" }, take_send, false, true },
	{ HYB_KERNEL_NET, "sock/sock_recv_length", { "family", "protocol", "ret", "sk", "flags" }, take_receive, false, true },
	{ HYB_KERNEL_NET, "tcp/tcp_retransmit_skb", { "family", "sport", "dport", "skaddr" }, take_retransmit, false, false },
	[HYB_TRACEPOINT_ISSUE] =
	{ HYB_KERNEL_BLOCK, "block/block_rq_issue", { "dev", "sector", "nr_sector", "rwbs", "bytes" },
	  take_issue, false, true },
	{ HYB_KERNEL_BLOCK, "block/block_rq_complete", { "dev", "sector", "nr_sector", "rwbs", "error" },
	  take_complete, false, false },
	VECTOR_ROWS(local_timer),
	VECTOR_ROWS(call_function),
	VECTOR_ROWS(call_function_single),
	VECTOR_ROWS(thermal_apic),
};

const unsigned int hyb_tracepoint_count = sizeof(hyb_tracepoints) / sizeof(hyb_tracepoints[0]);
