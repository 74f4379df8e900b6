/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of the source `self`: their rings and events, from the begin of a thread to its end; see self.h. */
#include "collector/self/self.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/clock.h"
#include "core/sys/text.h"
#include "collector/common/event.h"
#include "collector/common/memory-limit.h"
#include "collector/common/source.h"

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

int hyb_self_try(void)
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

void hyb_self_share(uint64_t buffer)
{
	hyb_self_state.ring_size = power_of_two(buffer / SHARES);
	hyb_self_state.first_size = power_of_two(buffer / FIRST_SHARES);
	hyb_self_state.may_lock = hyb_memory_lockable();
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
