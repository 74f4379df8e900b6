/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `self`: what every user may know of his own threads, without any privilege. When each lost a CPU, whether
 * it could have gone on, and when and where it had one again; its page faults in user code.
 *
 * Each thread has a ring of its own, since a ring of several threads has to be one CPU's. A second one, of a
 * page, tells of new threads and wakes the collector at once, so that little of them is missed.
 *
 * Where not even that is allowed (kernel.perf_event_paranoid of some distributions, the system call filter of
 * containers) there is still what the kernel counts of each thread: counts.c.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/config.h"
#include "core/sys.h"
#include "core/text.h"
#include "kernel/counts.h"
#include "kernel/map.h"
#include "kernel/output.h"
#include "kernel/ring.h"
#include "kernel/source.h"
#include "kernel/task.h"

/*
 * A CPU's buffer is divided among so many threads: every user's locked memory is limited, and programs have many. A
 * process's first thread has a larger part, since libraries are loaded and MPI begins there: thousands of page faults
 * within a millisecond.
 */
#define SHARES		32
#define FIRST_SHARES	4
#define LEAST_SIZE	(16u << 10)
#define SIDE_SIZE	(4u << 10)
#define FAULT_EVENTS	3
#define TRAILER		32	/* pid, tid, time, cpu, id */
#define FAULT_WORDS	3	/* id, time, address: of a fault's end; the begin's has the instruction's behind the id */

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
	uint64_t first_size;		/* of a process's first thread */
	uint64_t locked;		/* in rings of that size */
	uint64_t may_lock;
	int poll;
	uint64_t lost;
	bool said;
	bool counting;			/* there are no events for this user: counts.c */
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

/* Large ones only as long as much is left for the threads that come. */
static uint64_t size_of_ring(const struct thread *t)
{
	if (t->tid != t->tgid || self.locked + self.first_size > self.may_lock / 2)
		return self.ring_size;
	self.locked += self.first_size;
	return self.first_size;
}

static int open_ring(struct thread *t, struct hyb_ring *ring, bool side)
{
	struct epoll_event wake = { .events = EPOLLIN };
	const uint64_t size = side ? SIDE_SIZE : size_of_ring(t);
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
		/* Whose it is, the ring says; the shorter a record, the more of them the ring has room for. */
		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | (i ? 0 : PERF_SAMPLE_IP);
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

	if (self.counting) {
		hyb_counts_add_process(tgid);
		return;
	}
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

/* How much memory for rings the kernel gives a user without privilege: so much for each CPU, and his limit. */
static uint64_t lockable(void)
{
	struct rlimit limit = { .rlim_cur = 0 };
	unsigned long long kib = 0;
	char text[32];

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur > UINT64_MAX / 4)
		return UINT64_MAX;
	if (hyb_sys_read_file("/proc/sys/kernel/perf_event_mlock_kb", text, sizeof(text)) > 0)
		sscanf(text, "%llu", &kib);
	return limit.rlim_cur + (kib << 10) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
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

	memset(&self, 0, sizeof(self));
	self.groups = wish->events & can;
	self.poll = poll;
	self.ring_size = power_of_two(wish->buffer / SHARES);
	self.first_size = power_of_two(wish->buffer / FIRST_SHARES);
	self.may_lock = lockable();
	hyb_tasks_use_tids();
	err = try_own();
	self.counting = err == -EACCES || err == -EPERM || err == -ENOSYS;
	if (wish->events & ~can) {
		hyb_kernel_group_names(wish->events & ~can, names, sizeof(names));
		hyb_source_missing(names, "threads cannot see this of themselves");
	}
	if (self.counting) {
		/* Five records a second of each thread: a file of the usual size would be empty space. */
		hyb_config.chunk = HYB_CHUNK_MIN;
		hyb_source_missing("sched,fault", "this user may have no events: kernel.perf_event_paranoid is too high, or "
				   "a container forbids perf_event_open; switches and page faults are counted only");
	} else if (wish->events & HYB_KERNEL_SCHED) {
		hyb_source_missing("sched", "threads see when they have no CPU, and not who has it or who wakes them");
	}
	return self.counting ? 0 : err;
}

static bool is_fault(const struct thread *t, uint64_t id)
{
	return t->faults[0] >= 0 && (id == t->ids[0] || id == t->ids[1] || id == t->ids[2]);
}

static void take_fault(struct thread *t, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	uint32_t task = hyb_task_shown(t->task);
	const bool begins = w[0] == t->ids[0];

	if (header->size < sizeof(*header) + (FAULT_WORDS + begins) * sizeof(*w))
		return;
	if (begins)
		hyb_output_event2(&t->out, w[2], HYB_KERNEL_FAULT_BEGIN, HYB_FAULT_USER, task, w[3], w[1]);
	else
		hyb_output_event1(&t->out, w[1], HYB_KERNEL_FAULT_END,
				  HYB_FAULT_USER | (w[0] == t->ids[2] ? HYB_FAULT_MAJOR : 0), task, w[2]);
}

static void take_lost(struct thread *t, uint64_t count, uint64_t time)
{
	t->told_lost += count;
	self.lost += count;
	hyb_output_event2(&t->out, time, HYB_KERNEL_LOST, HYB_LOST_FULL, hyb_task_shown(t->task), count, t->out.last);
}

/* What stands in front of its last word, the number of the event that found no room, is as that event has it. */
static uint64_t time_of_lost(const struct thread *t, const struct perf_event_header *header)
{
	const uint64_t *end = (const uint64_t *)((const char *)header + header->size);

	return is_fault(t, end[-1]) ? end[-2] : end[-3];
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
	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(*header) + 4 * sizeof(*trailer))
		take_lost(t, ((const uint64_t *)(header + 1))[1], time_of_lost(t, header));
	if (header->type != PERF_RECORD_SWITCH || header->size < sizeof(*header) + TRAILER)
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
	if (self.counting)
		hyb_counts_take();
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
	if (self.counting)
		hyb_counts_close();
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
	if (self.counting)
		return hyb_counts_stream_name(index, buf, size);
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
