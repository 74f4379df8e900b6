/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `self`: what every user may know of his own threads, without any privilege. It records when a thread lost
 * its CPU, whether it could have gone on, when and where it had one again, and its page faults in user code.
 *
 * Each thread has a ring of its own, since threads can share a ring only on one CPU. A second ring, of a page, tells of
 * new threads. It wakes the collector at once, so that little of them is missed.
 *
 * If not even that is allowed (kernel.perf_event_paranoid of some distributions, a container's filter of system calls),
 * it records what the kernel counts of each thread: counts.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/sys/capability.h"
#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/event.h"
#include "collector/memory-limit.h"
#include "collector/proc.h"
#include "collector/self/counts.h"
#include "collector/self/self.h"
#include "collector/source.h"

/*
 * The buffer that was asked for a CPU is divided among so many threads, since locked memory is limited and programs
 * have many threads. A process's first thread has a larger share: it loads libraries and begins MPI, with thousands of
 * page faults within a millisecond.
 */
#define SHARES		32
#define FIRST_SHARES	4
#define LEAST_SIZE	(16u << 10)
#define SIDE_SIZE	(4u << 10)

struct hyb_self_state hyb_self_state;

static const uint64_t fault_configs[HYB_SELF_FAULTS] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
};

static void init_event(struct perf_event_attr *attr, uint64_t config)
{
	hyb_event_init(attr, PERF_TYPE_SOFTWARE, config);
	attr->sample_type |= PERF_SAMPLE_CPU;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

/* A large ring, as long as half of the memory is left for later threads. */
static uint64_t size_of_ring(const struct hyb_self_thread *t)
{
	if (t->tid != t->tgid || hyb_self_state.locked + hyb_self_state.first_size > hyb_self_state.may_lock / 2)
		return hyb_self_state.ring_size;
	hyb_self_state.locked += hyb_self_state.first_size;
	return hyb_self_state.first_size;
}

static int open_ring(struct hyb_self_thread *t, struct hyb_ring *ring, bool side)
{
	const uint64_t size = side ? SIDE_SIZE : size_of_ring(t);
	struct perf_event_attr attr;

	init_event(&attr, PERF_COUNT_SW_DUMMY);
	attr.task = side;
	attr.comm = side;
	attr.context_switch = !side && hyb_self_state.groups & HYB_KERNEL_SCHED;
	attr.wakeup_watermark = side ? 1 : (uint32_t)size / 4;
	return hyb_ring_open(ring, &attr, (int)t->tid, -1, size, side ? SIDE_SIZE : LEAST_SIZE, hyb_self_state.poll);
}

static int open_faults(struct hyb_self_thread *t)
{
	struct perf_event_attr attr;

	for (int i = 0; i < HYB_SELF_FAULTS && hyb_self_state.groups & HYB_KERNEL_FAULT; i++) {
		init_event(&attr, fault_configs[i]);
		/* The ring tells whose record it is, so a record has no task: the ring has room for more of them. */
		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | (i ? 0 : PERF_SAMPLE_IP);
		t->faults[i] = hyb_event_open(&attr, (int)t->tid, -1, t->main.fd);
		if (t->faults[i] < 0)
			return t->faults[i];
		hyb_event_id(t->faults[i], &t->ids[i]);
	}
	return 0;
}

static void free_thread(struct hyb_self_thread *t)
{
	for (int i = 0; i < HYB_SELF_FAULTS; i++) {
		if (t->faults[i] >= 0)
			close(t->faults[i]);
		t->faults[i] = -1;
	}
	hyb_ring_close(&t->main);
	hyb_ring_close(&t->side);
	free(t);
}

void hyb_self_ended(struct hyb_self_thread *t)
{
	/* The number may be another thread's by now. */
	if (hyb_map_get(&hyb_self_state.by_tid, t->tid) == t)
		hyb_map_take(&hyb_self_state.by_tid, t->tid);
	hyb_self_state.count--;
	free_thread(t);
}

static void enable(struct hyb_self_thread *t)
{
	ioctl(t->side.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < HYB_SELF_FAULTS; i++) {
		if (t->faults[i] >= 0)
			ioctl(t->faults[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	ioctl(t->main.fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Threads end, and their numbers are used again. */
static bool is_there(uint32_t tid)
{
	const struct hyb_self_thread *t = hyb_map_get(&hyb_self_state.by_tid, tid);

	return t && !t->exited;
}

static int add_thread(uint32_t tgid, uint32_t tid)
{
	struct hyb_self_thread *t;
	int err = -ENOMEM;

	if (is_there(tid))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err;
	t->tgid = tgid;
	t->tid = tid;
	for (int i = 0; i < HYB_SELF_FAULTS; i++)
		t->faults[i] = -1;
	t->task = hyb_tasks_by_tid(tgid, tid);
	err = open_ring(t, &t->main, false);
	if (!err)
		err = open_ring(t, &t->side, true);
	if (!err)
		err = open_faults(t);
	if (err) {
		free_thread(t);
		return err;
	}
	hyb_self_state.count++;
	hyb_task_shown(t->task);
	t->last = hyb_clock_raw();
	t->link = hyb_self_state.threads;
	hyb_self_state.threads = t;
	hyb_map_put(&hyb_self_state.by_tid, tid, t);
	enable(t);
	return 0;
}

void hyb_self_begun(uint32_t tgid, uint32_t tid)
{
	int err = add_thread(tgid, tid);

	if (err == -ESRCH)
		hyb_self_state.missed++;
	if (!err || err == -ESRCH || hyb_self_state.said)
		return;
	hyb_self_state.said = true;
	hyb_source_missing("threads", err == -EPERM ?
			   "no more memory may be locked: raise kernel.perf_event_mlock_kb or ulimit -l" :
			   hyb_text_errno(-err));
}

static void add_process(uint32_t tgid)
{
	if (hyb_self_state.counting)
		hyb_counts_add_process(tgid);
	else
		hyb_proc_threads(tgid, hyb_self_begun);
}

/* Whether the kernel lets this user have such events: the collector tries it on itself. */
static int try_own(void)
{
	struct perf_event_attr attr;
	int fd;

	init_event(&attr, PERF_COUNT_SW_DUMMY);
	attr.context_switch = 1;
	fd = hyb_event_open(&attr, 0, -1, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static uint64_t power_of_two(uint64_t least)
{
	uint64_t size = LEAST_SIZE;

	while (size < least)
		size *= 2;
	return size;
}

static int open_self(const struct hyb_kernel_wish *wish, int poll)
{
	const uint32_t can = HYB_KERNEL_SCHED | HYB_KERNEL_FAULT;
	char names[128];
	int err;

	memset(&hyb_self_state, 0, sizeof(hyb_self_state));
	hyb_self_state.groups = wish->events & can;
	hyb_self_state.poll = poll;
	hyb_self_state.ring_size = power_of_two(wish->buffer / SHARES);
	hyb_self_state.first_size = power_of_two(wish->buffer / FIRST_SHARES);
	hyb_self_state.may_lock = hyb_memory_lockable();
	hyb_tasks_use_tids();
	err = try_own();
	hyb_self_state.counting = err == -EACCES || err == -EPERM || err == -ENOSYS;
	if (wish->events & ~can) {
		hyb_source_group_names(wish->events & ~can, names, sizeof(names));
		hyb_source_missing(names, "threads cannot see this of themselves");
	}
	if (hyb_self_state.counting) {
		/* Each thread has five records a second: most of a usual chunk would be empty. */
		hyb_config.chunk = HYB_CHUNK_MIN;
		hyb_source_missing("sched,fault", "this user may have no events: kernel.perf_event_paranoid is too high, or "
				   "a container forbids perf_event_open; switches and page faults are counted only");
	} else if (wish->events & HYB_KERNEL_SCHED) {
		hyb_source_missing("sched", "threads see when they have no CPU, and not who has it or who wakes them");
	}
	if (hyb_self_state.counting)
		return hyb_counts_open();
	return err ? err : hyb_output_open(&hyb_self_state.out, HYB_STREAM_TASK, 0, 0, 0, hyb_clock_raw());
}

static void drain(void)
{
	if (hyb_self_state.counting)
		hyb_counts_take();
	else
		hyb_self_drain(false);
}

static void close_self(void)
{
	char text[80];

	if (hyb_self_state.counting) {
		hyb_counts_close();
		return;
	}
	hyb_self_drain(true);
	if (hyb_self_state.missed) {
		snprintf(text, sizeof(text), "%u had ended before their events could be opened", hyb_self_state.missed);
		hyb_source_missing("threads", text);
	}
	hyb_output_close(&hyb_self_state.out);
}

static uint64_t lost(void)
{
	return hyb_self_state.lost;
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (hyb_self_state.counting)
		return hyb_counts_stream_name(index, buf, size);
	if (index)
		return false;
	snprintf(buf, size, "task-0.hyb");
	return true;
}

const struct hyb_source hyb_source_self = {
	.name = "self",
	.not_allowed = "kernel.perf_event_paranoid is above 2: nobody but root may have events",
	.capabilities = HYB_CAPABILITY(CAP_IPC_LOCK),
	.as_user = true,
	.open = open_self,
	.add_process = add_process,
	.drain = drain,
	.close = close_self,
	.lost = lost,
	.stream_name = stream_name,
};
