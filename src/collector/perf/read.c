/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the rings of the source `perf`; see perf.h. The side rings of all CPUs are read first, merged by time. So the
 * fork of a process is read before the forks that it makes, on whichever CPUs.
 */
#include "collector/perf/perf.h"

#include <string.h>
#include <sys/ioctl.h>

#include "core/sys/text.h"
#include "collector/common/chain.h"
#include "collector/common/mapping.h"
#include "collector/perf/decode.h"
#include "collector/common/source.h"

#define MAX_ROUNDS 16
#define LARGEST	4352	/* bytes of a record with a path: if a ring has less space left, one may be lost */
#define TRAILER	24	/* each record except samples ends with: pid, tid, time, id */

struct hyb_perf hyb_perf;

void hyb_perf_enable(struct hyb_perf_cpu *cpu)
{
	ioctl(cpu->side.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < cpu->event_count; i++)
		ioctl(cpu->events[i], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(cpu->main.fd, PERF_EVENT_IOC_ENABLE, 0);
}

void hyb_perf_disable(struct hyb_perf_cpu *cpu)
{
	/* Backwards, so switches are on as long as any other event: read.c sees by them who has the CPU. */
	for (unsigned int i = cpu->event_count; i-- > 0;)
		ioctl(cpu->events[i], PERF_EVENT_IOC_DISABLE, 0);
	ioctl(cpu->main.fd, PERF_EVENT_IOC_DISABLE, 0);
}

static const uint64_t *trailer_of(const struct perf_event_header *header)
{
	return hyb_ring_trailer(header, TRAILER);
}

static unsigned char kind_of(uint64_t id)
{
	return id - hyb_perf.first_id < hyb_perf.id_room ? hyb_perf.kinds[id - hyb_perf.first_id] : HYB_SAMPLE_NONE;
}

/*
 * Whoever has the CPU got it by the last switch there. If the last switch was to another task, the kernel wrote no
 * record of a switch, and did not count it as lost.
 */
static void follow(struct hyb_perf_cpu *cpu, const struct hyb_sample *s, uint32_t id)
{
	uint32_t was = cpu->running;

	cpu->running = id;
	if (hyb_perf.chained && was != id && was != HYB_PERF_NOBODY &&
	    (hyb_task_shown(s->task) != HYB_TASK_OTHER ||
	     hyb_task_shown(hyb_tasks_find(was, NULL)) != HYB_TASK_OTHER)) {
		hyb_perf.lost++;
		hyb_output_event2(&cpu->out, s->time, HYB_KERNEL_LOST, HYB_LOST_SWITCH, hyb_task_shown(s->task), 1,
				  cpu->seen);
	}
	cpu->seen = s->time;
}

struct chain {
	const uint64_t *words;	/* NULL: there is no chain */
	uint64_t count;
};

/*
 * Finds the parts of a tracepoint's record, and its task. w: the words after id, task and time, up to `end`: maybe a
 * call chain, then what tracefs describes. False: the record makes no sense.
 */
static bool look_at(unsigned int which, struct hyb_sample *s, const uint64_t *w, const uint64_t *end, uint32_t *id,
		    struct chain *chain)
{
	const uint32_t tgid = (uint32_t)w[-2], tid = (uint32_t)(w[-2] >> 32);

	s->time = w[-1];
	if (hyb_perf.chains && hyb_tracepoints[which].chain) {
		chain->count = *w;
		chain->words = w + 1;
		if (chain->count >= (uint64_t)(end - chain->words))
			return false;
		w = chain->words + chain->count;
	}
	memcpy(&s->size, w, 4);
	s->raw = (const char *)w + 4;
	if (s->size < 8 || s->size + 4 > (uint64_t)(end - w) * 8)
		return false;
	/* common_pid: the kernel's own number of the current task */
	memcpy(id, (const char *)s->raw + 4, 4);
	s->fields = hyb_perf.tracepoints[which].fields;
	s->task = hyb_tasks_current(*id, tgid, tid);
	s->job = s->task && (s->task->kind == HYB_TASK_KIND_JOB || hyb_perf.all);
	return true;
}

static void take_tracepoint(struct hyb_perf_cpu *cpu, unsigned int which, struct hyb_sample *s, const uint64_t *w,
			    const uint64_t *end)
{
	struct chain chain = { .words = NULL };
	uint32_t id;

	if (!look_at(which, s, w, end, &id, &chain))
		return;
	follow(cpu, s, id);
	if (chain.words && s->job)
		cpu->out.stack = hyb_chain_define(chain.words, chain.count, s->task->tgid);
	hyb_tracepoints[which].take(s);
	cpu->out.stack = 0;
	if (which == HYB_TRACEPOINT_SWITCH)
		cpu->running = (uint32_t)hyb_field_get(&s->fields[HYB_SWITCH_NEXT_PID], s->raw, s->size);
}

/*
 * A transfer may be complete on another CPU, whose ring is read before that of the CPU that issued it. So this looks
 * for issues in all that the ring has by now, further than it is read in this round.
 */
static void expect_transfers(struct hyb_perf_cpu *cpu)
{
	const struct perf_event_header *header;
	const uint64_t at = cpu->main.at, end = cpu->main.end;

	hyb_ring_look(&cpu->main);
	cpu->main.at = cpu->expected;
	while ((header = hyb_ring_next(&cpu->main))) {
		const uint64_t *w = (const uint64_t *)(header + 1);
		const size_t words = header->size / 8 - 1;
		struct hyb_sample s = { .out = &cpu->out };
		struct chain chain = { .words = NULL };
		uint32_t id;

		if (header->type == PERF_RECORD_SAMPLE && words >= 5 &&
		    kind_of(w[0]) == HYB_SAMPLE_TRACEPOINT + HYB_TRACEPOINT_ISSUE &&
		    look_at(HYB_TRACEPOINT_ISSUE, &s, w + 3, w + words, &id, &chain))
			hyb_decode_expect(&s);
	}
	cpu->expected = cpu->main.at;
	cpu->main.at = at;
	cpu->main.end = end;
}

static void take_sample(struct hyb_perf_cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	const size_t words = header->size / 8 - 1;
	struct hyb_sample s = { .out = &cpu->out };
	uint32_t flags;
	unsigned char kind;

	if (words < 5)
		return;
	kind = kind_of(w[0]);
	if (kind >= HYB_SAMPLE_TRACEPOINT) {
		take_tracepoint(cpu, kind - HYB_SAMPLE_TRACEPOINT, &s, w + 3, w + words);
		return;
	}
	if (!kind)
		return;
	/* id, ip, task, time, address */
	s.time = w[3];
	s.task = hyb_tasks_by_tid((uint32_t)w[2], (uint32_t)(w[2] >> 32));
	s.job = s.task && (s.task->kind == HYB_TASK_KIND_JOB || hyb_perf.all);
	flags = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER ? HYB_FAULT_USER : 0;
	if (kind == HYB_SAMPLE_FAULT_MAJOR)
		flags |= HYB_FAULT_MAJOR;
	hyb_decode_fault(&s, kind != HYB_SAMPLE_FAULT, flags, w[4], w[1]);
}

/* Switches without tracepoints. Each comes twice, out of a task and into the next. The first has both tasks. */
static void take_switch(struct hyb_perf_cpu *cpu, const struct perf_event_header *header, uint64_t time,
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

void hyb_perf_lost(struct hyb_perf_cpu *cpu, uint64_t count, uint64_t time)
{
	cpu->running = HYB_PERF_NOBODY;
	cpu->told_lost += count;
	hyb_perf.lost += count;
	hyb_output_event2(&cpu->out, time, HYB_KERNEL_LOST, HYB_LOST_FULL, HYB_TASK_OTHER, count, cpu->out.last);
}

static void take_other(struct hyb_perf_cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *trailer = trailer_of(header);
	const uint64_t *w = (const uint64_t *)(header + 1);
	uint32_t who[4];	/* of FORK and EXIT: tgid, parent's, tid, parent's */
	struct hyb_task *task;

	if (header->size < sizeof(*header) + TRAILER)
		return;
	task = hyb_tasks_by_tid((uint32_t)trailer[0], (uint32_t)(trailer[0] >> 32));
	switch (header->type) {
	case PERF_RECORD_LOST:
		hyb_perf_lost(cpu, w[1], trailer[1]);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		take_switch(cpu, header, trailer[1], task);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		memcpy(who, w, sizeof(who));
		if (!task || (task->kind != HYB_TASK_KIND_JOB && !hyb_perf.all))
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

static void drain_main(struct hyb_perf_cpu *cpu)
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

/* The next record of a side ring that is long enough. */
static void next_of_side(struct hyb_perf_cpu *cpu)
{
	do {
		cpu->side_next = hyb_ring_next(&cpu->side);
	} while (cpu->side_next && cpu->side_next->size < sizeof(*cpu->side_next) + 16 + TRAILER);
}

static void take_side(const struct perf_event_header *header)
{
	const uint64_t time = trailer_of(header)[1];
	uint32_t who[4];	/* of FORK: tgid, parent's, tid, parent's; of COMM: tgid, tid, name */
	uint64_t count;

	memcpy(who, header + 1, sizeof(who));
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		hyb_mapping_take(header);
		break;
	case PERF_RECORD_FORK:
		hyb_tasks_forked(who[0], who[2], who[1], who[3], time);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			hyb_tasks_executed(who[0]);
		hyb_tasks_renamed(who[0], who[1], (const char *)(header + 1) + 8, time);
		break;
	case PERF_RECORD_LOST:
		memcpy(&count, who + 2, sizeof(count));
		hyb_perf.lost += count;
		if (!hyb_perf.side_lost)
			hyb_source_missing("fork", "so many processes began at once that it is not known of all whose they "
					   "are: nothing of some may be recorded");
		hyb_perf.side_lost = true;
		hyb_tasks_recheck();
		break;
	}
}

/* Takes all that the side rings have by now, the earliest first. */
static void drain_sides_once(void)
{
	struct hyb_perf_cpu *first;
	bool full = false;

	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++) {
		struct hyb_ring *side = &hyb_perf.cpus[i]->side;

		hyb_ring_look(side);
		full |= side->end - side->at > side->size - LARGEST;
		next_of_side(hyb_perf.cpus[i]);
	}
	do {
		first = NULL;
		for (unsigned int i = 0; i < hyb_perf.cpu_count; i++) {
			struct hyb_perf_cpu *cpu = hyb_perf.cpus[i];

			if (cpu->side_next &&
			    (!first || trailer_of(cpu->side_next)[1] < trailer_of(first->side_next)[1]))
				first = cpu;
		}
		if (first) {
			take_side(first->side_next);
			next_of_side(first);
		}
	} while (first);
	/* The kernel would tell of a lost record with the next one only. */
	if (full)
		hyb_tasks_recheck();
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		hyb_ring_release(&hyb_perf.cpus[i]->side);
}

/*
 * While the collector looks at a process's rights, the process may execute another program. The side rings have a
 * record of that by then, so they are read once more. A process that goes on executing is not waited for.
 */
static void drain_sides(void)
{
	int rounds = MAX_ROUNDS;

	hyb_tasks_round();
	do {
		drain_sides_once();
	} while (hyb_tasks_more(!--rounds));
}

void hyb_perf_drain(void)
{
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		hyb_ring_look(&hyb_perf.cpus[i]->main);
	drain_sides();
	for (unsigned int i = 0; i < hyb_perf.cpu_count && hyb_perf.wanted[HYB_TRACEPOINT_ISSUE]; i++)
		expect_transfers(hyb_perf.cpus[i]);
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		drain_main(hyb_perf.cpus[i]);
}
