/* SPDX-License-Identifier: BSD-3-Clause */
/* From the rings of samples to records; see rings.h. */
#include "collector/sample/rings.h"

#include <string.h>

#include "core/sys/clock.h"
#include "collector/common/chain.h"
#include "collector/common/mapping.h"
#include "collector/sample/copy.h"
#include "collector/common/task.h"

#define TRAILER	24	/* pid, tid; time; id */
#define WORDS	5	/* of a sample: id; pid, tid; time; period; number of addresses; after these copy.h's */

struct hyb_sampling hyb_sampling;

/* A CPU that no thread of the job comes to has no file. */
static bool has_output(struct hyb_sample_cpu *cpu, uint64_t time)
{
	if (!cpu->tried)
		cpu->opened = !hyb_output_open(&cpu->out, HYB_STREAM_SAMPLE, cpu->number, 0, 0, time);
	cpu->tried = true;
	return cpu->opened;
}

/*
 * A thread that began while its process came may have events of its own and others that it inherited: those that are
 * seen first are taken.
 */
static bool is_twice(uint64_t id, uint32_t tid)
{
	const void *owner = hyb_map_get(&hyb_sampling.owners, id);
	const void *known = hyb_map_get(&hyb_sampling.sampled, tid);

	if (!known && owner)
		hyb_map_put(&hyb_sampling.sampled, tid, (void *)(uintptr_t)owner);
	return known && owner && known != owner;
}

static void write_sample(struct hyb_sample_cpu *cpu, const uint64_t *w, size_t words, uint32_t tgid, uint32_t task)
{
	struct hyb_output *o = &cpu->out;

	o->stack = hyb_chain_define(w + WORDS, w[4], tgid);
	if (hyb_sampling.options.stack) {
		o->copy = hyb_copy_make(w + WORDS + w[4], words - WORDS - w[4], hyb_output_most(o), &o->copy_words);
		if (o->copy_words && !hyb_output_reserve(o, w[2], HYB_CHUNK_SLACK + o->copy_words)) {
			o->copy_words = 0;
			o->stack = 0;
			return;
		}
	}
	hyb_output_event1(o, w[2], HYB_KERNEL_SAMPLE, HYB_SAMPLE_METRIC, task, w[3]);
	o->stack = 0;
	o->copy_words = 0;
}

static void take_sample(struct hyb_sample_cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	const size_t words = header->size / 8 - 1;
	struct hyb_task *task;
	uint32_t tgid, tid;

	if (words < WORDS || w[4] > words - WORDS)
		return;
	tgid = (uint32_t)w[1];
	tid = (uint32_t)(w[1] >> 32);
	if (is_twice(w[0], tid))
		return;
	task = hyb_tasks_by_tid(tgid, tid);
	if (!task || task->kind != HYB_TASK_KIND_JOB)
		return;
	if (!has_output(cpu, w[2])) {
		hyb_sampling.lost++;
		return;
	}
	write_sample(cpu, w, words, tgid, hyb_task_shown(task));
}

void hyb_sampling_lost(struct hyb_sample_cpu *cpu, enum hyb_lost_why why, uint64_t count, uint64_t from, uint64_t time)
{
	hyb_sampling.lost += count;
	cpu->told_lost += count;
	if (has_output(cpu, from))
		hyb_output_event2(&cpu->out, time, HYB_KERNEL_LOST, why, HYB_TASK_OTHER, count, from);
}

/* Of each event of the CPU there is such a record; the first of a thread's next ones says that it is over. */
static void take_throttle(struct hyb_sample_cpu *cpu, bool begins, uint64_t time)
{
	if (begins && !cpu->throttled)
		cpu->throttled = time;
	if (begins || !cpu->throttled)
		return;
	hyb_sampling_lost(cpu, HYB_LOST_THROTTLED, 0, cpu->throttled, time);
	cpu->throttled = 0;
}

/* Where a source is open, too, that tells what there is to know of tasks. */
static void take_task(const struct perf_event_header *header, uint64_t time)
{
	uint32_t who[4];	/* of FORK: tgid, parent's, tid, parent's; of COMM: tgid, tid, name */

	memcpy(who, header + 1, sizeof(who));
	if (header->type == PERF_RECORD_FORK) {
		hyb_map_take(&hyb_sampling.sampled, who[2]);
		if (hyb_sampling.options.alone && who[0] == who[1])
			hyb_tasks_forked(who[0], who[2], who[1], who[3], time);
	} else if (hyb_sampling.options.alone) {
		hyb_tasks_renamed(who[0], who[1], (const char *)(header + 1) + 8, time);
	}
}

static void take_other(struct hyb_sample_cpu *cpu, const struct perf_event_header *header)
{
	const uint64_t *w = (const uint64_t *)(header + 1);
	uint64_t time;

	if (header->size < sizeof(*header) + 16 + TRAILER)
		return;
	time = hyb_ring_trailer(header, TRAILER)[1];
	switch (header->type) {
	case PERF_RECORD_LOST:
		hyb_sampling_lost(cpu, HYB_LOST_FULL, w[1], cpu->out.last ? cpu->out.last : time, time);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		take_throttle(cpu, header->type == PERF_RECORD_THROTTLE, time);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_COMM:
		take_task(header, time);
		break;
	case PERF_RECORD_MMAP2:
		if (!hyb_sampling.options.mapped)
			hyb_mapping_take(header);
		break;
	}
}

void hyb_sampling_read(void)
{
	const struct perf_event_header *header;

	for (unsigned int i = 0; i < hyb_sampling.cpu_count; i++) {
		struct hyb_sample_cpu *cpu = hyb_sampling.cpus[i];

		hyb_ring_look(&cpu->ring);
		while ((header = hyb_ring_next(&cpu->ring))) {
			if (header->type == PERF_RECORD_SAMPLE)
				take_sample(cpu, header);
			else
				take_other(cpu, header);
		}
		hyb_ring_release(&cpu->ring);
	}
}
