/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `self`: what every user may know of his own threads, without any privilege. When each lost a CPU, whether
 * it could have gone on, and when and where it had one again; its page faults in user code.
 *
 * Each thread has a ring of its own, since a ring of several threads has to be one CPU's. A second one, of a
 * page, tells of new threads and wakes the collector at once, so that little of them is missed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/config.h"
#include "core/text.h"
#include "kernel/map.h"
#include "kernel/output.h"
#include "kernel/ring.h"
#include "kernel/source.h"
#include "kernel/task.h"

/* A CPU's buffer is divided among so many threads: every user's locked memory is limited, and programs have many. */
#define SHARES		32
#define LEAST_SIZE	(16u << 10)
#define SIDE_SIZE	(4u << 10)
#define FAULT_EVENTS	3
#define TRAILER		32	/* pid, tid, time, cpu, id */

struct thread {
	uint32_t tgid;
	uint32_t tid;
	struct hyb_ring main;
	struct hyb_ring side;
	struct hyb_output out;
	int faults[FAULT_EVENTS];
	uint64_t ids[FAULT_EVENTS];
	uint64_t told_lost;
	struct hyb_task *task;
	bool ended;
	struct thread *next;
};

static struct {
	struct thread *threads;		/* newest first */
	struct hyb_map by_tid;
	unsigned int count;		/* streams made */
	uint32_t groups;
	uint64_t ring_size;
	int poll;
	uint64_t lost;
	bool said;
} self;

static const uint64_t fault_configs[FAULT_EVENTS] = {
	PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
};

static void init_event(struct perf_event_attr *attr, uint64_t config)
{
	hyb_event_init(attr, PERF_TYPE_SOFTWARE, config);
	attr->sample_type |= PERF_SAMPLE_CPU;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

static int open_ring(struct thread *t, struct hyb_ring *ring, bool side)
{
	struct epoll_event wake = { .events = EPOLLIN };
	const uint64_t size = side ? SIDE_SIZE : self.ring_size;
	struct perf_event_attr attr;
	int fd, err;

	init_event(&attr, PERF_COUNT_SW_DUMMY);
	attr.task = side;
	attr.comm = side;
	attr.context_switch = !side && self.groups & HYB_KERNEL_SCHED;
	attr.wakeup_watermark = side ? 1 : (uint32_t)size / 4;
	fd = hyb_event_open(&attr, (int)t->tid, -1, -1);
	if (fd < 0)
		return fd;
	err = hyb_ring_map(ring, fd, size, side ? SIDE_SIZE : LEAST_SIZE);
	if (!err && epoll_ctl(self.poll, EPOLL_CTL_ADD, fd, &wake)) {
		err = -errno;
		hyb_ring_unmap(ring);
	}
	if (err)
		close(fd);
	return err;
}

static void close_ring(struct hyb_ring *ring)
{
	if (!ring->page)
		return;
	hyb_ring_unmap(ring);
	close(ring->fd);
}

static int open_faults(struct thread *t)
{
	struct perf_event_attr attr;

	for (int i = 0; i < FAULT_EVENTS && self.groups & HYB_KERNEL_FAULT; i++) {
		init_event(&attr, fault_configs[i]);
		attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
		t->faults[i] = hyb_event_open(&attr, (int)t->tid, -1, t->main.fd);
		if (t->faults[i] < 0)
			return t->faults[i];
		hyb_event_id(t->faults[i], &t->ids[i]);
	}
	return 0;
}

static void close_thread(struct thread *t)
{
	for (int i = 0; i < FAULT_EVENTS; i++) {
		if (t->faults[i] >= 0)
			close(t->faults[i]);
		t->faults[i] = -1;
	}
	close_ring(&t->main);
	close_ring(&t->side);
	hyb_output_close(&t->out);
	t->ended = true;
}

static void enable(struct thread *t)
{
	ioctl(t->side.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < FAULT_EVENTS; i++) {
		if (t->faults[i] >= 0)
			ioctl(t->faults[i], PERF_EVENT_IOC_ENABLE, 0);
	}
	ioctl(t->main.fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Threads end, and their numbers are used again. */
static bool is_there(uint32_t tid)
{
	const struct thread *t = hyb_map_get(&self.by_tid, tid);

	return t && !t->ended;
}

static int add_thread(uint32_t tgid, uint32_t tid)
{
	struct thread *t;
	int err = -ENOMEM;

	if (is_there(tid))
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err;
	t->tgid = tgid;
	t->tid = tid;
	for (int i = 0; i < FAULT_EVENTS; i++)
		t->faults[i] = -1;
	t->task = hyb_tasks_by_tid(tgid, tid);
	err = open_ring(t, &t->main, false);
	if (!err)
		err = open_ring(t, &t->side, true);
	if (!err)
		err = open_faults(t);
	if (!err)
		err = hyb_output_open(&t->out, HYB_STREAM_TASK, self.count, tgid, tid, hyb_clock_raw());
	if (err) {
		close_thread(t);
		free(t);
		return err;
	}
	self.count++;
	hyb_task_shown(t->task);
	t->next = self.threads;
	self.threads = t;
	hyb_map_put(&self.by_tid, tid, t);
	enable(t);
	return 0;
}

static void try_thread(uint32_t tgid, uint32_t tid)
{
	int err = add_thread(tgid, tid);

	/* One that has ended meanwhile is nobody's loss. */
	if (!err || err == -ESRCH || self.said)
		return;
	self.said = true;
	hyb_source_missing("threads", err == -EPERM ?
			   "no more memory may be locked: raise kernel.perf_event_mlock_kb or ulimit -l" :
			   hyb_text_errno(-err));
}

static void add_process(uint32_t tgid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid)
			try_thread(tgid, tid);
	}
	if (dir)
		closedir(dir);
}

/* Whether this kernel, and whoever administers it, lets us: tried on ourselves. */
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

static int open_self(const struct hyb_kernel_wish *wish, int poll)
{
	const uint32_t can = HYB_KERNEL_SCHED | HYB_KERNEL_FAULT;

	memset(&self, 0, sizeof(self));
	self.groups = wish->events & can;
	self.poll = poll;
	self.ring_size = LEAST_SIZE;
	while (self.ring_size < wish->buffer / SHARES)
		self.ring_size *= 2;
	hyb_tasks_use_tids();
	if (wish->events & ~can)
		hyb_source_missing("signal, syscall, irq, net, block, callchain", "threads cannot see these of themselves");
	if (wish->events & HYB_KERNEL_SCHED)
		hyb_source_missing("sched", "threads see when they have no CPU, and not who has it or who wakes them");
	return try_own();
}

static void take_fault(struct thread *t, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	uint32_t task = hyb_task_shown(t->task);

	/* id, ip, task, time, address, cpu */
	if (header->size < sizeof(*header) + 6 * sizeof(*w))
		return;
	if (w[0] == t->ids[0])
		hyb_output_event2(&t->out, w[3], HYB_KERNEL_FAULT_BEGIN, HYB_FAULT_USER, task, w[4], w[1]);
	else
		hyb_output_event1(&t->out, w[3], HYB_KERNEL_FAULT_END,
				  HYB_FAULT_USER | (w[0] == t->ids[2] ? HYB_FAULT_MAJOR : 0), task, w[4]);
}

static void take_lost(struct thread *t, uint64_t count, uint64_t time)
{
	t->told_lost += count;
	self.lost += count;
	hyb_output_event2(&t->out, time, HYB_KERNEL_LOST, HYB_LOST_FULL, hyb_task_shown(t->task), count, t->out.last);
}

static void take(struct thread *t, const struct perf_event_header *header)
{
	/* pid, tid; time; cpu; id */
	const uint64_t *trailer = (const uint64_t *)((const char *)header + header->size - TRAILER);
	uint32_t task = hyb_task_shown(t->task);

	if (header->type == PERF_RECORD_SAMPLE) {
		take_fault(t, header);
		return;
	}
	if (header->size < sizeof(*header) + TRAILER)
		return;
	if (header->type == PERF_RECORD_LOST)
		take_lost(t, ((const uint64_t *)(header + 1))[1], trailer[1]);
	if (header->type != PERF_RECORD_SWITCH)
		return;
	if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
		hyb_output_event1(&t->out, trailer[1], HYB_KERNEL_SWITCH, HYB_SWITCH_STATE |
				  (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? HYB_SWITCH_INVOLUNTARY : 0),
				  task, HYB_TASK_OTHER);
	else
		hyb_output_event(&t->out, trailer[1], HYB_KERNEL_RESUME, (uint32_t)trailer[2], task);
}

static void drain_thread(struct thread *t)
{
	const struct perf_event_header *header;

	hyb_ring_look(&t->main);
	while ((header = hyb_ring_next(&t->main)))
		take(t, header);
	hyb_ring_release(&t->main);
}

/* True when the thread itself has ended. */
static bool drain_side(struct thread *t)
{
	const struct perf_event_header *header;
	bool ended = false;
	uint32_t who[4];	/* tgid, parent's, tid, parent's; of COMM: tgid, tid, name */

	hyb_ring_look(&t->side);
	while ((header = hyb_ring_next(&t->side))) {
		const uint64_t *trailer = (const uint64_t *)((const char *)header + header->size - TRAILER);

		if (header->size < sizeof(*header) + sizeof(who) + TRAILER)
			continue;
		memcpy(who, header + 1, sizeof(who));
		if (header->type == PERF_RECORD_FORK) {
			hyb_tasks_forked(who[0], who[2], who[1], who[3], trailer[1]);
			try_thread(who[0], who[2]);
		} else if (header->type == PERF_RECORD_COMM) {
			hyb_tasks_renamed(who[0], who[1], (const char *)(header + 1) + 8, trailer[1]);
		} else if (header->type == PERF_RECORD_EXIT && who[2] == t->tid) {
			ended = true;
		}
	}
	hyb_ring_release(&t->side);
	return ended;
}

static void finish(struct thread *t)
{
	uint64_t lost = 0;

	drain_thread(t);
	for (int i = 0; i < FAULT_EVENTS; i++)
		lost += t->faults[i] < 0 ? 0 : hyb_event_lost(t->faults[i]);
	if (t->main.page)
		lost += hyb_event_lost(t->main.fd);
	if (lost > t->told_lost)
		take_lost(t, lost - t->told_lost, hyb_clock_raw());
	close_thread(t);
}

static void drain(void)
{
	for (struct thread *t = self.threads; t; t = t->next) {
		if (t->ended)
			continue;
		if (drain_side(t))
			finish(t);
		else
			drain_thread(t);
	}
}

static void close_self(void)
{
	for (struct thread *t = self.threads; t; t = t->next) {
		if (!t->ended)
			finish(t);
	}
}

static uint64_t lost(void)
{
	return self.lost;
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (index >= self.count)
		return false;
	snprintf(buf, size, "task-%u.hyb", index);
	return true;
}

const struct hyb_source hyb_source_self = {
	.name = "self",
	.open = open_self,
	.add_process = add_process,
	.drain = drain,
	.close = close_self,
	.lost = lost,
	.stream_name = stream_name,
};
