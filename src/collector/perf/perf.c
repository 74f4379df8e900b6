/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `perf`: tracepoints and software events of all tasks, with one ring for each CPU.
 *
 * A second, small ring of each CPU has the records that say who belongs to whom (fork, rename). The small rings are
 * read before the large ones, so a task's fork, maybe on another CPU, is known when its events are decoded (read.c).
 */
#include "collector/perf/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/common/chain.h"
#include "collector/common/cpus.h"
#include "collector/common/event.h"
#include "collector/common/memory-limit.h"
#include "collector/perf/decode.h"
#include "collector/common/source.h"

#define SIDE_SIZE	(32u << 10)
#define MAPPINGS_SIZE	(256u << 10)	/* with what all processes map, too */
#define LEAST_SIZE	(32u << 10)
#define MAX_IDS		(1u << 20)

/* Notes the kind of an event by the number that the kernel gave it. These numbers are close to each other. */
static int note_id(int fd, unsigned char kind)
{
	uint64_t id;
	int err = hyb_event_id(fd, &id);
	unsigned char *more;
	size_t room;

	if (err)
		return err;
	if (!hyb_perf.kinds)
		hyb_perf.first_id = id;
	if (id < hyb_perf.first_id || id - hyb_perf.first_id >= MAX_IDS)
		return -ERANGE;
	if (id - hyb_perf.first_id >= hyb_perf.id_room) {
		room = (size_t)(id - hyb_perf.first_id) + 256;
		more = realloc(hyb_perf.kinds, room);
		if (!more)
			return -ENOMEM;
		memset(more + hyb_perf.id_room, 0, room - hyb_perf.id_room);
		hyb_perf.kinds = more;
		hyb_perf.id_room = room;
	}
	hyb_perf.kinds[id - hyb_perf.first_id] = kind;
	return 0;
}

static int add_event(struct hyb_perf_cpu *cpu, struct perf_event_attr *attr, unsigned char kind)
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

/* Opens the event that owns a ring. It counts nothing itself. */
static int open_ring(struct hyb_perf_cpu *cpu, struct hyb_ring *ring, uint64_t size, bool side, int poll)
{
	struct perf_event_attr attr;

	hyb_event_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr.task = 1;
	attr.comm = side;
	attr.mmap = side && hyb_perf.chains;	/* of code only */
	attr.mmap2 = side && hyb_perf.chains;
	attr.context_switch = !side && hyb_perf.bare;
	attr.wakeup_watermark = (uint32_t)(size / (side ? 2 : 4));
	return hyb_ring_open(ring, &attr, -1, (int)cpu->number, size, LEAST_SIZE, poll);
}

/* What the first CPU lacks, all lack. Otherwise the first one that lacks it is named. */
static void say_missing(const struct hyb_perf_cpu *cpu, unsigned char kind, const char *name, int err)
{
	static bool said[HYB_SAMPLE_TRACEPOINT + HYB_PERF_EVENTS];
	char text[128];

	if (said[kind])
		return;
	said[kind] = true;
	snprintf(text, sizeof(text), "%s on CPU %u, maybe more", name, cpu->number);
	hyb_source_missing(cpu == hyb_perf.cpus[0] ? name : text, hyb_text_errno(-err));
}

static void add_faults(struct hyb_perf_cpu *cpu)
{
	static const struct {
		uint64_t config;
		unsigned char kind;
	} events[] = {
		{ PERF_COUNT_SW_PAGE_FAULTS, HYB_SAMPLE_FAULT },
		{ PERF_COUNT_SW_PAGE_FAULTS_MIN, HYB_SAMPLE_FAULT_MINOR },
		{ PERF_COUNT_SW_PAGE_FAULTS_MAJ, HYB_SAMPLE_FAULT_MAJOR },
	};
	struct perf_event_attr attr;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		int err;

		hyb_event_init(&attr, PERF_TYPE_SOFTWARE, events[i].config);
		attr.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
		err = add_event(cpu, &attr, events[i].kind);
		if (err)
			say_missing(cpu, HYB_SAMPLE_FAULT, "fault", err);
	}
}

static void add_tracepoints(struct hyb_perf_cpu *cpu)
{
	struct perf_event_attr attr;
	char filter[64];

	for (unsigned int i = 0; i < hyb_tracepoint_count; i++) {
		int err;

		if (!hyb_perf.wanted[i])
			continue;
		hyb_event_init(&attr, PERF_TYPE_TRACEPOINT, hyb_perf.tracepoints[i].id);
		attr.sample_type |= PERF_SAMPLE_RAW;
		if (hyb_perf.chains && hyb_tracepoints[i].chain)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		err = add_event(cpu, &attr, (unsigned char)(HYB_SAMPLE_TRACEPOINT + i));
		if (err)
			say_missing(cpu, (unsigned char)(HYB_SAMPLE_TRACEPOINT + i), hyb_tracepoints[i].name, err);
		if (err && i == HYB_TRACEPOINT_SWITCH)
			hyb_perf.chained = false;
		if (err || !hyb_tracepoints[i].own || !hyb_tasks_first_namespace())
			continue;
		/* Otherwise each write of the collector would make records that it has to write. */
		snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
		ioctl(cpu->events[cpu->event_count - 1], PERF_EVENT_IOC_SET_FILTER, filter);
	}
}

/* kernel.perf_event_paranoid may allow the events of a CPU, and not its tracepoints. */
static int try_tracepoint(void)
{
	struct perf_event_attr attr;
	unsigned int i = 0;
	int fd;

	while (i < hyb_tracepoint_count && !hyb_perf.wanted[i])
		i++;
	if (i == hyb_tracepoint_count)
		return 0;
	hyb_event_init(&attr, PERF_TYPE_TRACEPOINT, hyb_perf.tracepoints[i].id);
	attr.sample_type |= PERF_SAMPLE_RAW;
	fd = hyb_event_open(&attr, -1, (int)hyb_perf.cpus[0]->number, -1);
	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM ? -EPERM : 0;
}

static int read_descriptions(uint32_t groups)
{
	int err = hyb_tracefs_open();

	for (unsigned int i = 0; i < hyb_tracepoint_count && !err; i++) {
		const struct hyb_tracepoint_kind *kind = &hyb_tracepoints[i];
		int missing;

		if (!(kind->group & groups))
			continue;
		missing = hyb_tracefs_read(kind->name, kind->fields, &hyb_perf.tracepoints[i]);
		hyb_perf.wanted[i] = !missing;
		if (missing && !(kind->some && missing == -ENOENT))
			hyb_source_missing(kind->name, missing == -ENOENT ? "this kernel does not have it" :
							hyb_text_errno(-missing));
	}
	hyb_tracefs_close();
	return err ? err : try_tracepoint();
}

static const char *why_none(int err)
{
	switch (err) {
	case -EPERM:
		return "kernel.perf_event_paranoid is above -1: set it to that, or give hybmon-collect CAP_PERFMON";
	case -EACCES:
		return "tracefs may not be read: let a group that this user is in read it (mount -o remount,gid=)";
	default:
		return "tracefs is not mounted: mount -t tracefs nodev /sys/kernel/tracing";
	}
}

/* Reads how the tracepoints' records look. If none can be had, only events that need no tracepoint are recorded. */
static void read_tracepoints(uint32_t groups)
{
	int err = groups & ~(uint32_t)HYB_KERNEL_FAULT ? read_descriptions(groups) : 0;

	hyb_perf.chained = !err && hyb_perf.wanted[HYB_TRACEPOINT_SWITCH];
	if (!err && groups & ~(uint32_t)HYB_KERNEL_FAULT)
		return;
	memset(hyb_perf.wanted, 0, sizeof(hyb_perf.wanted));
	hyb_perf.bare = groups & HYB_KERNEL_SCHED;
	hyb_tasks_use_tids();
	if (err)
		hyb_source_missing("tracepoints", why_none(err));
	if (hyb_perf.bare)
		hyb_source_missing("sched", "without tracepoints only who has the CPU: no wake-ups, no states");
}

/* The size that is wanted, or less if the user may not have it, for all CPUs alike. 0: he has no memory left. */
static uint64_t size_of_rings(const struct hyb_collect_request *wish)
{
	uint64_t beside = (hyb_perf.chains ? MAPPINGS_SIZE : SIDE_SIZE) + 2 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = LEAST_SIZE;

	while (size < wish->buffer)
		size *= 2;
	/* A user whom perf does not limit is not limited here either. */
	if (hyb_memory_lockable() == UINT64_MAX)
		return size;
	return hyb_memory_take_rings(hyb_perf.cpu_count, size, LEAST_SIZE, beside);
}

static int open_cpu(struct hyb_perf_cpu *cpu, const struct hyb_collect_request *wish, uint64_t size, int poll)
{
	int err = open_ring(cpu, &cpu->side, hyb_perf.chains ? MAPPINGS_SIZE : SIDE_SIZE, true, poll);

	if (!err)
		err = open_ring(cpu, &cpu->main, size, false, poll);
	if (err)
		return err;
	if (wish->events & HYB_KERNEL_FAULT)
		add_faults(cpu);
	add_tracepoints(cpu);
	return 0;
}

static void close_cpu(struct hyb_perf_cpu *cpu)
{
	for (unsigned int i = 0; i < cpu->event_count; i++)
		close(cpu->events[i]);
	hyb_ring_close(&cpu->main);
	hyb_ring_close(&cpu->side);
	free(cpu);
}

static int add_cpu(uint32_t number)
{
	struct hyb_perf_cpu **more = realloc(hyb_perf.cpus, (hyb_perf.cpu_count + 1) * sizeof(*more));
	struct hyb_perf_cpu *cpu = calloc(1, sizeof(*cpu));

	if (more)
		hyb_perf.cpus = more;
	if (!more || !cpu) {
		free(cpu);
		return -ENOMEM;
	}
	cpu->number = number;
	cpu->running = HYB_PERF_NOBODY;
	cpu->main.fd = -1;
	hyb_perf.cpus[hyb_perf.cpu_count++] = cpu;
	return 0;
}

static int add_cpus(uint32_t from, uint32_t to)
{
	int err = 0;

	for (; from <= to && !err; from++)
		err = add_cpu(from);
	return err;
}

static void take_back(void)
{
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++) {
		hyb_output_close(&hyb_perf.cpus[i]->out);
		close_cpu(hyb_perf.cpus[i]);
	}
	free(hyb_perf.cpus);
	free(hyb_perf.kinds);
	memset(&hyb_perf, 0, sizeof(hyb_perf));
}

/* Whether events of others may be had at all. This is tried before anything is said to be missing. */
static int try_cpu(const struct hyb_perf_cpu *cpu)
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

static int open_perf(const struct hyb_collect_request *wish, int poll)
{
	int err = hyb_cpus_online(add_cpus);
	uint64_t size = 0;

	hyb_perf.all = wish->tasks == HYB_KERNEL_ALL;
	hyb_perf.chains = wish->events & HYB_KERNEL_CALLCHAIN;
	if (!err)
		err = hyb_perf.cpu_count ? try_cpu(hyb_perf.cpus[0]) : -ENODEV;
	if (!err) {
		read_tracepoints(wish->events);
		size = size_of_rings(wish);
		err = size ? 0 : -EDQUOT;
	}
	for (unsigned int i = 0; i < hyb_perf.cpu_count && !err; i++)
		err = open_cpu(hyb_perf.cpus[i], wish, size, poll);
	for (unsigned int i = 0; i < hyb_perf.cpu_count && !err; i++) {
		struct hyb_perf_cpu *cpu = hyb_perf.cpus[i];

		err = hyb_output_open(&cpu->out, HYB_STREAM_CPU, cpu->number, 0, 0, hyb_clock_raw());
		if (!err)
			hyb_perf_enable(cpu);
	}
	hyb_perf.opened = hyb_clock_raw();
	if (err)
		take_back();
	return err;
}

/* Tells of records lost after the last one that had space. The kernel would tell with the next one only. */
static void tell_last_lost(struct hyb_perf_cpu *cpu)
{
	uint64_t lost = hyb_event_lost(cpu->main.fd);

	for (unsigned int i = 0; i < cpu->event_count; i++)
		lost += hyb_event_lost(cpu->events[i]);
	if (lost > cpu->told_lost)
		hyb_perf_lost(cpu, lost - cpu->told_lost, hyb_clock_raw());
}

static void close_perf(void)
{
	hyb_perf_drain();
	hyb_perf_check_last();
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		hyb_perf_disable(hyb_perf.cpus[i]);
	hyb_perf_drain();
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++) {
		tell_last_lost(hyb_perf.cpus[i]);
		hyb_output_close(&hyb_perf.cpus[i]->out);
	}
	if (hyb_perf.chains)
		hyb_chain_name_functions();
}

static uint64_t lost(void)
{
	return hyb_perf.lost;
}

/* Records from before its rights are looked at are not the job's. */
static void expect_process(uint32_t tgid)
{
	(void)tgid;
	hyb_perf_drain();
}

static void add_process(uint32_t tgid)
{
	/* The events see all tasks anyway. */
	if (hyb_perf.chains)
		hyb_chain_add_process(tgid, hyb_clock_raw());
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	if (index >= hyb_perf.cpu_count)
		return false;
	snprintf(buf, size, "cpu-%u.hyb", hyb_perf.cpus[index]->number);
	return true;
}

/* Reads the descriptions of tracepoints, which users may not read. */
static void keep_descriptions(void)
{
	int err = hyb_tracefs_open();

	for (unsigned int i = 0; !err && i < hyb_tracepoint_count; i++)
		hyb_tracefs_keep(hyb_tracepoints[i].name);
	hyb_tracefs_close();
	if (err)
		fprintf(stderr, "hybmon-collect: tracefs cannot be read, so that the source perf has no tracepoints: %s\n",
			strerror(-err));
}

static void drain(void)
{
	hyb_perf_drain();
	hyb_perf_check();
}

const struct hyb_source hyb_source_perf = {
	.name = "perf",
	.not_allowed = "hybmon-collect lacks CAP_PERFMON: setcap cap_perfmon+ep on it, or be root, or "
		"sysctl kernel.perf_event_paranoid=-1",
	.has_mappings = true,
	.prepare = keep_descriptions,
	.open = open_perf,
	.expect_process = expect_process,
	.add_process = add_process,
	.drain = drain,
	.close = close_perf,
	.lost = lost,
	.stream_name = stream_name,
};
