/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a CPU without records is idle, or the kernel does not tell what happens there. The events of a CPU are gone
 * once it was offline. Once a ring was seen to stay empty with nothing counted as lost. So the collector goes to a CPU
 * that was silent for a while, for a moment: its own switch must have a record there.
 */
#include "collector/perf/perf.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "core/sys/clock.h"
#include "collector/common/cpus.h"
#include "collector/common/source.h"

#define SILENCE		1000000000u	/* ns */
#define MOST_CPUS	(1 << 16)

/* Switches must be among the events. */
static bool can_check(void)
{
	return hyb_perf.chained || hyb_perf.bare;
}

static bool has_moved(struct hyb_perf_cpu *cpu, uint64_t now)
{
	hyb_ring_look(&cpu->main);
	if (cpu->main.end == cpu->head)
		return false;
	cpu->head = cpu->main.end;
	cpu->moved = now;
	return true;
}

/* False: this process may not run on that CPU. */
static bool go_to(uint32_t number, cpu_set_t *set, size_t size)
{
	const struct timespec moment = { .tv_nsec = 1000 };

	CPU_ZERO_S(size, set);
	CPU_SET_S(number, size, set);
	return !sched_setaffinity(0, size, set) && !nanosleep(&moment, NULL);
}

static bool answers(struct hyb_perf_cpu *cpu, cpu_set_t *set, size_t size)
{
	return !go_to(cpu->number, set, size) || has_moved(cpu, hyb_clock_raw());
}

static void say_dead(const struct hyb_perf_cpu *cpu)
{
	char text[64];

	snprintf(text, sizeof(text), "CPU %u", cpu->number);
	hyb_source_missing(text, "the kernel has no records of what happens there, and counts none as lost");
}

/* If the CPU does not answer, its events are switched off and on, which may help. A LOST record tells of the gap. */
static void visit(struct hyb_perf_cpu *cpu, cpu_set_t *set, size_t size)
{
	if (cpu->dead || answers(cpu, set, size))
		return;
	hyb_perf_disable(cpu);
	hyb_perf_enable(cpu);
	cpu->dead = !answers(cpu, set, size);
	if (cpu->dead)
		say_dead(cpu);
	else
		hyb_perf_lost(cpu, 0, hyb_clock_raw());
}

static void visit_silent(uint64_t now)
{
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *before = CPU_ALLOC(MOST_CPUS), *set = CPU_ALLOC(MOST_CPUS);

	if (before && set && !sched_getaffinity(0, size, before)) {
		for (unsigned int i = 0; i < hyb_perf.cpu_count; i++) {
			struct hyb_perf_cpu *cpu = hyb_perf.cpus[i];

			if (!has_moved(cpu, now) && (!cpu->head || now - cpu->moved > SILENCE))
				visit(cpu, set, size);
		}
		sched_setaffinity(0, size, before);
	}
	CPU_FREE(before);
	CPU_FREE(set);
}

void hyb_perf_check(void)
{
	uint64_t now = hyb_clock_raw();

	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		has_moved(hyb_perf.cpus[i], now);
	if (hyb_perf.checked || now - hyb_perf.opened < SILENCE)
		return;
	hyb_perf.checked = true;
	if (can_check())
		visit_silent(now);
}

/* CPUs that came online after the beginning have no rings. */
static int find_new(uint32_t from, uint32_t to)
{
	char text[64];

	for (; from <= to; from++) {
		unsigned int i = 0;

		while (i < hyb_perf.cpu_count && hyb_perf.cpus[i]->number != from)
			i++;
		if (i < hyb_perf.cpu_count)
			continue;
		snprintf(text, sizeof(text), "CPU %u", from);
		hyb_source_missing(text, "it came online after recording began");
	}
	return 0;
}

void hyb_perf_check_last(void)
{
	uint64_t now = hyb_clock_raw();

	if (can_check())
		visit_silent(now);
	for (unsigned int i = 0; i < hyb_perf.cpu_count; i++)
		if (hyb_perf.cpus[i]->dead)
			hyb_perf_lost(hyb_perf.cpus[i], 0, now);
	hyb_cpus_online(find_new);
}
