/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `perf`: tracepoints and software events of all tasks, with one ring for each CPU.
 *
 * A second, small ring has what says who belongs to whom (fork, rename). It is read before the first, as far
 * as that was looked at: a task's fork, on another CPU maybe, is known when its events are decoded.
 */
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
#include "kernel/decode.h"
#include "kernel/ring.h"
#include "kernel/source.h"
#include "kernel/stack.h"

#define SIDE_SIZE	(32u << 10)
#define LEAST_SIZE	(32u << 10)
#define MAX_IDS		(1u << 20)
#define MAX_KINDS	64
#define TRAILER		24	/* what each record that is no sample ends with: pid, tid, time, id */

struct cpu {
	uint32_t number;
	struct hyb_ring main;
	struct hyb_ring side;
	struct hyb_output out;
	int events[MAX_KINDS];
	unsigned int event_count;
	uint64_t told_lost;	/* by LOST records */
};

static struct {
	struct cpu **cpus;
	unsigned int cpu_count;
	unsigned char *kinds;	/* of the event with number first_id + i */
	uint64_t first_id;
	size_t id_room;
	struct hyb_tracepoint tracepoints[MAX_KINDS];
	bool wanted[MAX_KINDS];
	bool bare;		/* no tracepoints: the scheduler as context_switch tells of it */
	bool all;
	bool chains;
	uint64_t lost;
} perf;

/* Which kind the event is, by the number that the kernel gave it; they come nearly one after the other. */
static int note_id(int fd, unsigned char kind)
{
	uint64_t id;
	int err = hyb_event_id(fd, &id);
	unsigned char *more;
	size_t room;

	if (err)
		return err;
	if (!perf.kinds)
		perf.first_id = id;
	if (id < perf.first_id || id - perf.first_id >= MAX_IDS)
		return -ERANGE;
	if (id - perf.first_id >= perf.id_room) {
		room = (size_t)(id - perf.first_id) + 256;
		more = realloc(perf.kinds, room);
		if (!more)
			return -ENOMEM;
		memset(more + perf.id_room, 0, room - perf.id_room);
		perf.kinds = more;
		perf.id_room = room;
	}
	perf.kinds[id - perf.first_id] = kind;
	return 0;
}

static unsigned char kind_of(uint64_t id)
{
	return id - perf.first_id < perf.id_room ? perf.kinds[id - perf.first_id] : HYB_EVENT_NONE;
}

static int add_event(struct cpu *cpu, struct perf_event_attr *attr, unsigned char kind)
{
	int fd = hyb_event_open(attr, -1, (int)cpu->number, cpu->main.fd);
	int err;

	if (fd < 0)
		return fd;
	err = note_id(fd, kind);
	if (err) {
		close(fd);
		return err;
	}
	cpu->events[cpu->event_count++] = fd;
	return 0;
}

/* The event that owns a ring, and counts nothing itself. */
static int open_ring(struct cpu *cpu, struct hyb_ring *ring, uint64_t size, bool side, int poll)
{
	struct epoll_event wake = { .events = EPOLLIN };
	struct perf_event_attr attr;
	int fd, err;

	hyb_event_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.task = 1;
	attr.comm = side;
	attr.mmap = side && perf.chains;	/* to be executed */
	attr.mmap2 = side && perf.chains;
	attr.context_switch = !side && perf.bare;
	attr.wakeup_watermark = (uint32_t)(size / (side ? 2 : 4));
	fd = hyb_event_open(&attr, -1, (int)cpu->number, -1);
	if (fd < 0)
		return fd;
	err = hyb_ring_map(ring, fd, size, LEAST_SIZE);
	if (!err && epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wake))
		err = -errno;
	if (err) {
		hyb_ring_unmap(ring);
		close(fd);
		return err;
	}
	return 0;
}

static void add_faults(struct cpu *cpu)
{
	static const struct {
		uint64_t config;
		unsigned char kind;
	} events[] = {
		{ PERF_COUNT_SW_PAGE_FAULTS, HYB_EVENT_FAULT },
		{ PERF_COUNT_SW_PAGE_FAULTS_MIN, HYB_EVENT_FAULT_MINOR },
		{ PERF_COUNT_SW_PAGE_FAULTS_MAJ, HYB_EVENT_FAULT_MAJOR },
	};
	struct perf_event_attr attr;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		int err;

		hyb_event_init(&attr, PERF_TYPE_SOFTWARE, events[i].config);
		attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
		err = add_event(cpu, &attr, events[i].kind);
		if (err && cpu == perf.cpus[0])
			hyb_source_missing("fault", hyb_text_errno(-err));
	}
}

static void add_tracepoints(struct cpu *cpu)
{
	struct perf_event_attr attr;
	char filter[64];

	for (unsigned int i = 0; i < hyb_tracepoint_count; i++) {
		int err;

		if (!perf.wanted[i])
			continue;
		hyb_event_init(&attr, PERF_TYPE_TRACEPOINT, perf.tracepoints[i].id);
		attr.sample_type |= PERF_SAMPLE_RAW;
		if (perf.chains && hyb_tracepoints[i].chain)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		err = add_event(cpu, &attr, (unsigned char)(HYB_EVENT_TRACEPOINT + i));
		if (err && cpu == perf.cpus[0])
			hyb_source_missing(hyb_tracepoints[i].name, hyb_text_errno(-err));
		if (err || !hyb_tracepoints[i].own || !hyb_tasks_first_namespace())
			continue;
		/* Each of our writes would have us write more. */
		snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
		ioctl(cpu->events[cpu->event_count - 1], PERF_EVENT_IOC_SET_FILTER, filter);
	}
}

/* What each tracepoint's record looks like. Without any of them, what needs none is what is left. */
static void read_tracepoints(uint32_t groups)
{
	const uint32_t need = groups & ~(uint32_t)HYB_KERNEL_FAULT;
	int err = need ? hyb_tracefs_open() : -ENOENT;

	for (unsigned int i = 0; i < hyb_tracepoint_count && !err; i++) {
		const struct hyb_tracepoint_kind *kind = &hyb_tracepoints[i];
		int missing;

		if (!(kind->group & groups))
			continue;
		missing = hyb_tracefs_read(kind->name, kind->fields, &perf.tracepoints[i]);
		perf.wanted[i] = !missing;
		if (missing)
			hyb_source_missing(kind->name, missing == -ENOENT ? "this kernel does not have it" :
							hyb_text_errno(-missing));
	}
	hyb_tracefs_close();
	perf.bare = err && groups & HYB_KERNEL_SCHED;
	if (err)
		hyb_tasks_use_tids();
	if (err && need)
		hyb_source_missing("tracepoints", err == -EACCES ?
				   "tracefs may not be read: let a group that this user is in read it (mount -o remount,gid=)" :
				   "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	if (perf.bare)
		hyb_source_missing("sched", "without tracepoints only who has the CPU: no wake-ups, no states");
}

static int open_cpu(struct cpu *cpu, const struct hyb_kernel_wish *wish, int poll)
{
	uint64_t size = LEAST_SIZE;
	int err;

	while (size < wish->buffer)
		size *= 2;
	err = open_ring(cpu, &cpu->side, SIDE_SIZE, true, poll);
	if (!err)
		err = open_ring(cpu, &cpu->main, size, false, poll);
	if (err)
		return err;
	if (wish->events & HYB_KERNEL_FAULT)
		add_faults(cpu);
	add_tracepoints(cpu);
	return 0;
}

static void enable(struct cpu *cpu)
{
	ioctl(cpu->side.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < cpu->event_count; i++)
		ioctl(cpu->events[i], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(cpu->main.fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void disable(struct cpu *cpu)
{
	for (unsigned int i = 0; i < cpu->event_count; i++)
		ioctl(cpu->events[i], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(cpu->main.fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void close_cpu(struct cpu *cpu)
{
	for (unsigned int i = 0; i < cpu->event_count; i++)
		close(cpu->events[i]);
	if (cpu->main.page)
		close(cpu->main.fd);
	if (cpu->side.page)
		close(cpu->side.fd);
	hyb_ring_unmap(&cpu->main);
	hyb_ring_unmap(&cpu->side);
	free(cpu);
}

static int add_cpu(uint32_t number)
{
	struct cpu **more = realloc(perf.cpus, (perf.cpu_count + 1) * sizeof(*more));
	struct cpu *cpu = calloc(1, sizeof(*cpu));

	if (more)
		perf.cpus = more;
	if (!more || !cpu) {
		free(cpu);
		return -ENOMEM;
	}
	cpu->number = number;
	cpu->main.fd = -1;
	perf.cpus[perf.cpu_count++] = cpu;
	return 0;
}

/* Those online, written as 0-3,6. */
static int find_cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned int from, to;
	int err = f ? 0 : -errno;

	while (!err && fscanf(f, "%u", &from) == 1) {
		int c = getc(f);

		to = from;
		if (c == '-' && fscanf(f, "%u", &to) == 1)
			c = getc(f);
		for (; from <= to && !err; from++)
			err = add_cpu(from);
		if (c != ',')
			break;
	}
	if (f)
		fclose(f);
	return err;
}

static void take_back(void)
{
	for (unsigned int i = 0; i < perf.cpu_count; i++) {
		hyb_output_close(&perf.cpus[i]->out);
		close_cpu(perf.cpus[i]);
	}
	free(perf.cpus);
	free(perf.kinds);
	memset(&perf, 0, sizeof(perf));
}

/* Whether we may have what happens to others on a CPU: before anything is said of what else is missing. */
static int try_cpu(const struct cpu *cpu)
{
	struct perf_event_attr attr;
	int fd;

	hyb_event_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	fd = hyb_event_open(&attr, -1, (int)cpu->number, -1);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int open_perf(const struct hyb_kernel_wish *wish, int poll)
{
	int err = find_cpus();

	perf.all = wish->all;
	perf.chains = wish->events & HYB_KERNEL_CALLCHAIN;
	hyb_decode_start(wish->all);
	if (!err)
		err = perf.cpu_count ? try_cpu(perf.cpus[0]) : -ENODEV;
	if (!err)
		read_tracepoints(wish->events);
	for (unsigned int i = 0; i < perf.cpu_count && !err; i++)
		err = open_cpu(perf.cpus[i], wish, poll);
	for (unsigned int i = 0; i < perf.cpu_count && !err; i++) {
		struct cpu *cpu = perf.cpus[i];

		err = hyb_output_open(&cpu->out, HYB_STREAM_CPU, cpu->number, 0, 0, hyb_clock_raw());
		if (!err)
			enable(cpu);
	}
	if (err)
		take_back();
	return err;
}

/* w: what follows id, task and time, up to `end`; a call chain maybe, then what tracefs describes. */
static void take_tracepoint(struct cpu *cpu, unsigned int which, struct hyb_sample *s, const uint64_t *w,
			    const uint64_t *end)
{
	const struct hyb_tracepoint_kind *kind = &hyb_tracepoints[which];
	const uint32_t tgid = (uint32_t)w[-2], tid = (uint32_t)(w[-2] >> 32);
	const uint64_t *chain = NULL;
	uint64_t count = 0;
	uint32_t id;

	s->time = w[-1];
	if (perf.chains && kind->chain) {
		count = *w;
		chain = w + 1;
		if (count >= (uint64_t)(end - chain))
			return;
		w = chain + count;
	}
	memcpy(&s->size, w, 4);
	s->raw = (const char *)w + 4;
	if (s->size < 8 || s->size + 4 > (uint64_t)(end - w) * 8)
		return;
	/* common_pid: the kernel's own number of the current task */
	memcpy(&id, (const char *)s->raw + 4, 4);
	s->fields = perf.tracepoints[which].fields;
	s->task = hyb_tasks_current(id, tgid, tid);
	s->job = s->task && (s->task->kind == HYB_TASK_KIND_JOB || perf.all);
	if (chain && s->job)
		cpu->out.stack = hyb_stack_define(chain, count, s->task->tgid);
	kind->take(s);
	cpu->out.stack = 0;
}

static void take_sample(struct cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	const size_t words = header->size / 8 - 1;
	struct hyb_sample s = { .out = &cpu->out };
	uint32_t flags;
	unsigned char kind;

	if (words < 5)
		return;
	kind = kind_of(w[0]);
	if (kind >= HYB_EVENT_TRACEPOINT) {
		take_tracepoint(cpu, kind - HYB_EVENT_TRACEPOINT, &s, w + 3, w + words);
		return;
	}
	if (!kind)
		return;
	/* id, ip, task, time, address */
	s.time = w[3];
	s.task = hyb_tasks_by_tid((uint32_t)w[2], (uint32_t)(w[2] >> 32));
	s.job = s.task && (s.task->kind == HYB_TASK_KIND_JOB || perf.all);
	flags = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER ? HYB_FAULT_USER : 0;
	if (kind == HYB_EVENT_FAULT_MAJOR)
		flags |= HYB_FAULT_MAJOR;
	hyb_decode_fault(&s, kind != HYB_EVENT_FAULT, flags, w[4], w[1]);
}

/* Who has the CPU, where there are no tracepoints. Each switch comes twice: out of one task, and into the next. */
static void take_switch(struct cpu *cpu, const struct perf_event_header *header, uint64_t time,
			struct hyb_task *task)
{
	uint32_t other[2];	/* tgid, tid */
	uint32_t next;

	if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
		return;
	memcpy(other, header + 1, sizeof(other));
	next = hyb_task_shown(hyb_tasks_by_tid(other[0], other[1]));
	if (hyb_task_shown(task) != HYB_TASK_OTHER || next != HYB_TASK_OTHER)
		hyb_output_event1(&cpu->out, time, HYB_KERNEL_SWITCH, HYB_SWITCH_STATE |
				  (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? HYB_SWITCH_INVOLUNTARY : 0),
				  hyb_task_shown(task), next);
}

static void take_lost(struct cpu *cpu, uint64_t count, uint64_t time)
{
	cpu->told_lost += count;
	perf.lost += count;
	hyb_output_event2(&cpu->out, time, HYB_KERNEL_LOST, HYB_LOST_FULL, HYB_TASK_OTHER, count, cpu->out.last);
}

static void take_other(struct cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *trailer = (const uint64_t *)((const char *)header + header->size - TRAILER);
	const uint64_t *w = (const uint64_t *)(header + 1);
	uint32_t who[4];	/* of FORK and EXIT: tgid, parent's, tid, parent's */
	struct hyb_task *task;

	if (header->size < sizeof(*header) + TRAILER)
		return;
	task = hyb_tasks_by_tid((uint32_t)trailer[0], (uint32_t)(trailer[0] >> 32));
	switch (header->type) {
	case PERF_RECORD_LOST:
		take_lost(cpu, w[1], trailer[1]);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(cpu, header, trailer[1], task);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		memcpy(who, w, sizeof(who));
		if (!task || (task->kind != HYB_TASK_KIND_JOB && !perf.all))
			break;
		if (header->type == PERF_RECORD_EXIT) {
			hyb_output_event(&cpu->out, trailer[1], HYB_KERNEL_EXIT, 0, hyb_task_shown(task));
			break;
		}
		hyb_output_event1(&cpu->out, trailer[1], HYB_KERNEL_FORK, 0, hyb_task_shown(task),
				  hyb_task_shown(hyb_tasks_by_tid(who[0], who[2])));
		break;
	}
}

static void drain_main(struct cpu *cpu)
{
	const struct perf_event_header *header;

	while ((header = hyb_ring_next(&cpu->main))) {
		if (header->type == PERF_RECORD_SAMPLE)
			take_sample(cpu, header);
		else
			take_other(cpu, header);
	}
	hyb_ring_release(&cpu->main);
}

static void take_mapping(const struct perf_event_header *header, uint64_t time)
{
	struct {
		uint32_t tgid, tid;
		uint64_t address, length, offset;
		uint32_t file[6];	/* device, inode */
		uint32_t protection, flags;
	} m;
	const char *path = (const char *)(header + 1) + sizeof(m);

	if (header->size < sizeof(*header) + sizeof(m) + 8 + TRAILER)
		return;
	memcpy(&m, header + 1, sizeof(m));
	if (hyb_tasks_is_job(m.tgid))
		hyb_stack_mapped(m.tgid, time, m.address, m.length, m.offset, path);
}

static void drain_side(struct cpu *cpu)
{
	const struct perf_event_header *header;
	uint32_t who[4];

	hyb_ring_look(&cpu->side);
	while ((header = hyb_ring_next(&cpu->side))) {
		const uint64_t *trailer = (const uint64_t *)((const char *)header + header->size - TRAILER);

		if (header->size < sizeof(*header) + sizeof(who) + TRAILER)
			continue;
		memcpy(who, header + 1, sizeof(who));
		if (header->type == PERF_RECORD_MMAP2)
			take_mapping(header, trailer[1]);
		else if (header->type == PERF_RECORD_FORK)
			hyb_tasks_forked(who[0], who[2], who[1], who[3], trailer[1]);
		else if (header->type == PERF_RECORD_COMM)
			hyb_tasks_renamed(who[0], who[1], (const char *)(header + 1) + 8, trailer[1]);
	}
	hyb_ring_release(&cpu->side);
}

static void drain(void)
{
	for (unsigned int i = 0; i < perf.cpu_count; i++)
		hyb_ring_look(&perf.cpus[i]->main);
	for (unsigned int i = 0; i < perf.cpu_count; i++)
		drain_side(perf.cpus[i]);
	for (unsigned int i = 0; i < perf.cpu_count; i++)
		drain_main(perf.cpus[i]);
}

/* What was lost after the last record that had space: the kernel would tell with the next one only. */
static void tell_last_lost(struct cpu *cpu)
{
	uint64_t lost = hyb_event_lost(cpu->main.fd);

	for (unsigned int i = 0; i < cpu->event_count; i++)
		lost += hyb_event_lost(cpu->events[i]);
	if (lost > cpu->told_lost)
		take_lost(cpu, lost - cpu->told_lost, hyb_clock_raw());
}

static void close_perf(void)
{
	for (unsigned int i = 0; i < perf.cpu_count; i++)
		disable(perf.cpus[i]);
	drain();
	for (unsigned int i = 0; i < perf.cpu_count; i++) {
		tell_last_lost(perf.cpus[i]);
		hyb_output_close(&perf.cpus[i]->out);
	}
	if (perf.chains)
		hyb_stack_end();
}

static uint64_t lost(void)
{
	return perf.lost;
}

static void add_process(uint32_t tgid)
{
	/* All tasks are seen already. */
	if (perf.chains)
		hyb_stack_add_process(tgid);
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (index >= perf.cpu_count)
		return false;
	snprintf(buf, size, "cpu-%u.hyb", perf.cpus[index]->number);
	return true;
}

const struct hyb_source hyb_source_perf = {
	.name = "perf",
	.open = open_perf,
	.add_process = add_process,
	.drain = drain,
	.close = close_perf,
	.lost = lost,
	.stream_name = stream_name,
};
