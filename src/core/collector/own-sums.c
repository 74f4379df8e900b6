/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every thread may know of what the kernel did to it: how often it waited or was put off its CPU, how long it had
 * none, and its page faults, whose time is not known. Three system calls.
 *
 * Time without a CPU is told with the switches. Where there were both kinds since the last look, what it waited ready to
 * run is taken for the involuntary ones.
 */
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/format.h"
#include "core/collector/slot.h"

enum { VOLUNTARY, INVOLUNTARY, MINOR, MAJOR, OFF, DELAY, KNOWN };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t = { .tv_sec = 0 };

	HYB_SYS(clock_gettime, clock, &t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time that the thread was ready and had no CPU; 0 where the kernel does not tell. */
static uint64_t run_delay(void)
{
	char text[128];
	const char *p = text;
	uint64_t ns = 0;

	if (hyb_sys_read_file("/proc/thread-self/schedstat", text, sizeof(text)) <= 0)
		return 0;
	p += strcspn(p, " ");
	p += strspn(p, " ");
	for (; *p >= '0' && *p <= '9'; p++)
		ns = ns * 10 + (uint64_t)(*p - '0');
	return ns;
}

static void add(struct hyb_kernel_slot *slot, unsigned int place, uint32_t event, uint64_t count, uint64_t ns)
{
	struct hyb_slot_node *node = &slot->nodes[place];

	if (!count)
		return;
	slot->used += !node->key;
	node->key = event;
	node->count += count;
	node->ns += ns;
}

/* Of the time without a CPU what goes with involuntary switches. */
static uint64_t share_of(uint64_t off, uint64_t voluntary, uint64_t involuntary, uint64_t *delay)
{
	uint64_t before = *delay;

	if (!involuntary)
		return 0;
	*delay = run_delay();
	if (!voluntary)
		return off;
	return *delay - before < off ? *delay - before : off;
}

void hyb_own_sums(struct hyb_kernel_slot *slot, uint64_t more[8])
{
	struct rusage usage = { .ru_nvcsw = 0 };
	uint64_t voluntary, involuntary, off, without, share;

	HYB_SYS(getrusage, RUSAGE_THREAD, &usage, 0, 0, 0, 0);
	/* In this order: what comes in between is taken for time without a CPU the next time. */
	off = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	off = clock_ns(CLOCK_MONOTONIC) - off;
	voluntary = (uint64_t)usage.ru_nvcsw - more[VOLUNTARY];
	involuntary = (uint64_t)usage.ru_nivcsw - more[INVOLUNTARY];
	without = more[KNOWN] && off > more[OFF] ? off - more[OFF] : 0;
	share = share_of(without, voluntary, involuntary, &more[DELAY]);
	add(slot, VOLUNTARY, HYB_SUMS_EVENT(HYB_PROFILE_OFF, 0), voluntary, without - share);
	add(slot, INVOLUNTARY, HYB_SUMS_EVENT(HYB_PROFILE_OFF, 1), involuntary, share);
	add(slot, MINOR, HYB_SUMS_EVENT(HYB_PROFILE_FAULT, 0), (uint64_t)usage.ru_minflt - more[MINOR], 0);
	add(slot, MAJOR, HYB_SUMS_EVENT(HYB_PROFILE_FAULT, 1), (uint64_t)usage.ru_majflt - more[MAJOR], 0);
	more[VOLUNTARY] = (uint64_t)usage.ru_nvcsw;
	more[INVOLUNTARY] = (uint64_t)usage.ru_nivcsw;
	more[MINOR] = (uint64_t)usage.ru_minflt;
	more[MAJOR] = (uint64_t)usage.ru_majflt;
	more[OFF] = off;
	more[KNOWN] = 1;
}
