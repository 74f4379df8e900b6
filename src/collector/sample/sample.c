/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples: events of the job's threads, which those inherit that begin later, and the rings that their samples go to.
 *
 * There is a ring for each CPU, which an event of the collector's own holds, and for each thread that a process has
 * when it comes an event for each CPU. The kernel lets events that are inherited have a ring only so. A thread that
 * begins is sampled from its first instruction on.
 */
#include "collector/sample/sample.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/sys/text.h"
#include "collector/common/chain.h"
#include "collector/common/cpus.h"
#include "collector/common/event.h"
#include "collector/common/proc.h"
#include "collector/common/recording.h"
#include "collector/sample/copy.h"
#include "collector/sample/rings.h"
#include "collector/common/source.h"
#include "collector/common/task.h"
#include "core/record/definitions.h"

#define RING_SIZE	(256u << 10)
#define LEAST_SIZE	(16u << 10)

struct thread_events {
	uint32_t tid;
	int *events;		/* by CPU, -1: none */
};

struct process {
	uint32_t tgid;
	int pidfd;
	struct thread_events *threads;
	size_t count;
	struct process *next;
};

/* What is no time is a number of times. */
static bool is_time(enum hyb_sample_event event)
{
	return event == HYB_SAMPLE_CPU_CLOCK || event == HYB_SAMPLE_TASK_CLOCK;
}

static struct {
	struct perf_event_attr attr;	/* of all threads' events */
	struct process *processes;
	bool said;			/* that some events could not be opened */
	unsigned int cut;		/* rings that are smaller than wanted */
} self;

static void init_attr(struct perf_event_attr *attr)
{
	const struct hyb_sample_wish *wish = &hyb_sampling.options.wish;

	const struct hyb_sample_perf perf = hyb_sample_event_perf(wish->event);

	hyb_event_init(attr, perf.type, perf.config);
	attr->sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	attr->freq = wish->rate != 0;
	attr->sample_period = wish->rate ? wish->rate : wish->period;
	attr->inherit = 1;
	attr->inherit_thread = 1;	/* a process that is started comes by itself */
	attr->task = 1;
	attr->comm = 1;
	attr->mmap = 1;	/* of code only */
	attr->mmap2 = 1;
	attr->exclude_guest = 1;
	hyb_copy_ask(attr, hyb_sampling.options.stack);
}

static void init_own(struct perf_event_attr *attr)
{
	hyb_event_init(attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

/* Tries the event on the collector itself: of the kernel, too, or of user code only, or not at all. 0 or -errno. */
static int try_event(void)
{
	struct perf_event_attr attr;
	int fd;

	for (;;) {
		attr = self.attr;
		fd = hyb_event_open(&attr, 0, -1, -1);
		if (fd >= 0)
			break;
		/* Linux before 5.13 */
		if (fd == -EINVAL && self.attr.inherit_thread) {
			self.attr.inherit_thread = 0;
			continue;
		}
		if ((fd != -EACCES && fd != -EPERM) || self.attr.exclude_kernel)
			return fd;
		self.attr.exclude_kernel = 1;
		self.attr.exclude_hv = 1;
		self.attr.exclude_callchain_kernel = 1;
	}
	close(fd);
	return 0;
}

static void say_why_none(int err)
{
	char text[160];

	if (err == -EACCES || err == -EPERM || err == -ENOSYS) {
		hyb_source_missing("sample", "this user may have no events: kernel.perf_event_paranoid is too high, or "
				   "a container forbids perf_event_open");
		return;
	}
	if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL)
		snprintf(text, sizeof(text), "this machine does not count %s: cpu-clock is there on all",
			 hyb_sample_event_name(hyb_sampling.options.wish.event));
	else
		snprintf(text, sizeof(text), "%s", hyb_text_errno(-err));
	hyb_source_missing("sample", text);
}

/* What happens in the kernel only has no samples for those who may not see it. */
static void say_limits(uint64_t asked)
{
	const enum hyb_sample_event event = hyb_sampling.options.wish.event;
	char text[160];

	if (asked) {
		snprintf(text, sizeof(text), "%llu Hz instead of %llu Hz: raise kernel.perf_event_max_sample_rate",
			 (unsigned long long)hyb_sampling.options.wish.rate, (unsigned long long)asked);
		hyb_source_missing("sample", text);
	}
	if (!self.attr.exclude_kernel)
		return;
	if (event == HYB_SAMPLE_CONTEXT_SWITCHES || event == HYB_SAMPLE_CPU_MIGRATIONS)
		hyb_source_missing("sample", "this event happens in the kernel, which this user may not see: be root, "
				   "or sysctl kernel.perf_event_paranoid=1");
	else
		hyb_source_missing("sample", "the kernel's part: be root, or sysctl kernel.perf_event_paranoid=1");
}

/* Copies of stacks take space. */
static uint64_t ring_size(void)
{
	return hyb_sampling.options.stack ? 8 * RING_SIZE : RING_SIZE;
}

static int add_cpu(uint32_t number, int poll)
{
	struct hyb_sample_cpu **more = realloc(hyb_sampling.cpus, (hyb_sampling.cpu_count + 1) * sizeof(*more));
	struct hyb_sample_cpu *cpu = calloc(1, sizeof(*cpu));
	struct perf_event_attr attr;
	int err = -ENOMEM;

	if (more)
		hyb_sampling.cpus = more;
	if (more && cpu) {
		cpu->number = number;
		init_own(&attr);
		/* A ring may be smaller than wanted, and has to be read before it is full then, too. */
		attr.wakeup_watermark = hyb_sampling.options.stack ? RING_SIZE / 2 : RING_SIZE / 4;
		err = hyb_ring_open(&cpu->ring, &attr, 0, (int)number, ring_size(), LEAST_SIZE, poll);
	}
	if (err) {
		free(cpu);
		return err;
	}
	self.cut += cpu->ring.size < ring_size();
	hyb_sampling.cpus[hyb_sampling.cpu_count++] = cpu;
	return 0;
}

static int epoll_of_rings;

static int add_cpus(uint32_t from, uint32_t to)
{
	int err = 0;

	for (; from <= to && !err; from++)
		err = add_cpu(from, epoll_of_rings);
	return err;
}

static void take_back(void)
{
	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		if (hyb_sampling.cpus[i]->opened)
			hyb_output_close(&hyb_sampling.cpus[i]->out);
		hyb_ring_close(&hyb_sampling.cpus[i]->ring);
	}
}

static void define_metric(void)
{
	const enum hyb_sample_event event = hyb_sampling.options.wish.event;
	const char *name = hyb_sample_event_name(event), *unit = is_time(event) ? "s" : "#";
	struct hyb_def_metric def = {
		.type = HYB_METRIC_UINT64,
		.mode = HYB_METRIC_POINT,
		.base = 10,
		.exponent = is_time(event) ? -9 : 0,
		.name_length = (uint32_t)strlen(name),
		.unit_length = (uint32_t)strlen(unit),
	};
	const size_t name_room = (strlen(name) + 7) & ~(size_t)7;
	char tail[64] = "";

	memcpy(tail, name, strlen(name));
	memcpy(tail + name_room, unit, strlen(unit));
	hyb_def_record(HYB_DEF_METRIC, HYB_SAMPLE_METRIC, &def, sizeof(def), tail, name_room + 8);
}

int hyb_samples_open(const struct hyb_samples_options *options, int poll)
{
	uint64_t asked;
	int err;

	hyb_sampling.options = *options;
	asked = hyb_sample_wish_limit(&hyb_sampling.options.wish);
	if (options->alone)
		hyb_tasks_use_tids();
	if (options->stack && !hyb_copy_can()) {
		hyb_sampling.options.stack = 0;
		hyb_source_missing("sample", "copies of stacks: only of x86-64 and ARM64 the registers are known");
	}
	init_attr(&self.attr);
	err = try_event();
	if (!err) {
		epoll_of_rings = poll;
		err = hyb_cpus_online(add_cpus);
	}
	if (err) {
		say_why_none(err);
		take_back();
		hyb_sampling.cpu_count = 0;
		return err;
	}
	say_limits(asked);
	if (self.cut)
		hyb_source_missing("sample", "rings are smaller than wanted, and may overflow: raise ulimit -l");
	define_metric();
	hyb_kernel_recording_vdso();
	return 0;
}

static void say_not_opened(int err)
{
	if (err == -ESRCH || self.said)
		return;
	self.said = true;
	hyb_source_missing("sample", err == -EMFILE || err == -ENFILE ?
			   "of some threads: too few files may be open, one for each thread and CPU; raise ulimit -n" :
			   hyb_text_errno(-err));
}

static void open_thread(struct process *p, uint32_t tid)
{
	struct thread_events *more = realloc(p->threads, (p->count + 1) * sizeof(*more));
	struct thread_events *t;
	struct perf_event_attr attr;
	uint64_t id;

	if (!more)
		return;
	p->threads = more;
	t = &more[p->count];
	t->tid = tid;
	t->events = malloc(hyb_sampling.cpu_count * sizeof(*t->events));
	if (!t->events)
		return;
	p->count++;
	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		const struct hyb_sample_cpu *cpu = hyb_sampling.cpus[i];

		attr = self.attr;
		t->events[i] = hyb_event_open(&attr, (int)tid, (int)cpu->number, cpu->ring.fd);
		if (t->events[i] < 0)
			say_not_opened(t->events[i]);
		else if (!hyb_event_id(t->events[i], &id))
			hyb_map_put(&hyb_sampling.owners, id, (void *)(uintptr_t)tid);
	}
	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		if (t->events[i] >= 0)
			ioctl(t->events[i], PERF_EVENT_IOC_ENABLE, 0);
	}
}

static struct process *coming;

static void come(uint32_t tgid, uint32_t tid)
{
	(void)tgid;
	for (size_t i = 0; i < coming->count; i++)
		if (coming->threads[i].tid == tid)
			return;
	/* It has inherited events if it began after another one got them. */
	if (!hyb_map_get(&hyb_sampling.sampled, tid))
		open_thread(coming, tid);
}

static bool is_known(uint32_t tgid)
{
	for (const struct process *p = self.processes; p; p = p->next) {
		struct pollfd end = { .fd = p->pidfd, .events = POLLIN };

		if (p->tgid == tgid && !poll(&end, 1, 0))
			return true;
	}
	return false;
}

void hyb_samples_add_process(uint32_t tgid)
{
	struct process *p;

	/* One that comes again has executed another program, and kept its events. */
	if (!hyb_sampling.cpu_count || is_known(tgid))
		return;
	p = calloc(1, sizeof(*p));
	if (!p)
		return;
	p->tgid = tgid;
	p->pidfd = (int)syscall(SYS_pidfd_open, tgid, 0);
	if (p->pidfd < 0) {
		free(p);
		return;
	}
	if (!hyb_sampling.options.mapped)
		hyb_chain_add_process(tgid, hyb_clock_raw());
	p->next = self.processes;
	self.processes = p;
	coming = p;
	hyb_proc_threads(tgid, come);
	/* Threads that began meanwhile: of those that inherited events there may be samples by now. */
	hyb_samples_drain();
	hyb_proc_threads(tgid, come);
}

static void close_process(struct process *p)
{
	for (size_t i = 0; i < p->count; i++) {
		for (unsigned int k = 0; k < hyb_sampling.cpu_count; k++) {
			const int fd = p->threads[i].events[k];
			uint64_t id;

			if (fd < 0)
				continue;
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			hyb_sampling.cpus[k]->ended_lost += hyb_event_lost(fd);
			if (!hyb_event_id(fd, &id))
				hyb_map_take(&hyb_sampling.owners, id);
			close(fd);
		}
		free(p->threads[i].events);
	}
	free(p->threads);
	close(p->pidfd);
	free(p);
}

/* The events of a process are closed when all its threads have ended, since those have inherited them. */
static void close_ended(bool all)
{
	struct process *p;

	for (struct process **at = &self.processes; (p = *at);) {
		struct pollfd end = { .fd = p->pidfd, .events = POLLIN };

		if (!all && poll(&end, 1, 0) != 1) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		close_process(p);
	}
}

void hyb_samples_drain(void)
{
	hyb_sampling_read();
	close_ended(false);
}

void hyb_samples_close(void)
{
	if (!hyb_sampling.cpu_count)
		return;
	close_ended(true);
	hyb_sampling_read();
	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		struct hyb_sample_cpu *cpu = hyb_sampling.cpus[i];
		const uint64_t now = hyb_clock_raw();

		if (cpu->throttled)
			hyb_sampling_lost(cpu, HYB_LOST_THROTTLED, 0, cpu->throttled, now);
		/* What was lost last no other record would tell of. */
		if (cpu->ended_lost > cpu->told_lost)
			hyb_sampling_lost(cpu, HYB_LOST_FULL, cpu->ended_lost - cpu->told_lost,
					  cpu->opened ? cpu->out.last : now, now);
	}
	take_back();
	hyb_chain_name_functions();
}

uint64_t hyb_samples_lost(void)
{
	return hyb_sampling.lost;
}

bool hyb_samples_stream_name(unsigned int index, char *buf, unsigned int size)
{
	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		if (!hyb_sampling.cpus[i]->opened || index--)
			continue;
		snprintf(buf, size, "sample-%u.hyb", hyb_sampling.cpus[i]->number);
		return true;
	}
	return false;
}
