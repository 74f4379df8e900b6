/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel tells a thread of itself; see own.h. */
#include "core/counters/own.h"

#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <time.h>

#include "core/sys/sys.h"

#define TIMES	1	/* seconds and microseconds */
#define CLOCK	SIZE_MAX
#define AT(member) (offsetof(struct rusage, member) / sizeof(uint64_t))

static const struct own {
	const char *name;
	const char *unit;
	const char *description;
	size_t at;		/* word of struct rusage */
	uint8_t kind;		/* TIMES, or 0 */
	uint8_t mode;
	uint8_t base;
	int8_t exponent;
	uint32_t flags;
} owns[] = {
	{ "clock::THREAD", "s", "CPU time of the thread (CLOCK_THREAD_CPUTIME_ID)", CLOCK, 0, 0, 10, -9, 0 },
	{ "rusage::UTIME", "s", "CPU time in user mode, by the kernel's estimate", AT(ru_utime), TIMES, 0, 10, -6, 0 },
	{ "rusage::STIME", "s", "CPU time in the kernel, by its estimate", AT(ru_stime), TIMES, 0, 10, -6, 0 },
	{ "rusage::VOLUNTARY", "#", "context switches where the thread waited", AT(ru_nvcsw), 0, 0, 10, 0, 0 },
	{ "rusage::INVOLUNTARY", "#", "context switches where another one got the CPU", AT(ru_nivcsw), 0, 0, 10, 0, 0 },
	{ "rusage::MINFLT", "#", "page faults without input or output", AT(ru_minflt), 0, 0, 10, 0, 0 },
	{ "rusage::MAJFLT", "#", "page faults that waited for input", AT(ru_majflt), 0, 0, 10, 0, 0 },
	{ "rusage::INBLOCK", "bytes", "input from block devices", AT(ru_inblock), 0, 0, 2, 9, 0 },
	{ "rusage::OUBLOCK", "bytes", "output to block devices", AT(ru_oublock), 0, 0, 2, 9, 0 },
	{ "rusage::MAXRSS", "bytes", "most memory that the process had", AT(ru_maxrss), 0, HYB_METRIC_ABSOLUTE, 2, 10,
	  HYB_METRIC_PROCESS },
};

#define OWNS (sizeof(owns) / sizeof(owns[0]))

_Static_assert(sizeof(struct rusage) <= sizeof(((struct hyb_own_reading *)0)->words), "a reading has room for it");

bool hyb_own_find(const char *name, struct hyb_counter *counter)
{
	for (uint32_t i = 0; i < OWNS; i++) {
		const struct own *own = &owns[i];

		if (strcasecmp(name, own->name))
			continue;
		*counter = (struct hyb_counter){
			.name = own->name, .unit = own->unit, .description = own->description,
			.metric = { .mode = own->mode, .base = own->base, .exponent = own->exponent, .flags = own->flags },
			.way = HYB_COUNTER_OWN, .place = i,
		};
		return true;
	}
	return false;
}

const char *hyb_own_name(unsigned int n)
{
	return n < OWNS ? owns[n].name : NULL;
}

void hyb_own_need(struct hyb_own *own, const struct hyb_counter *counter)
{
	if (owns[counter->place].at == CLOCK)
		own->clock = true;
	else
		own->rusage = true;
}

void hyb_own_read(const struct hyb_own *own, struct hyb_own_reading *reading)
{
	struct timespec now = { .tv_sec = 0 };

	if (own->rusage)
		HYB_SYS(getrusage, RUSAGE_THREAD, reading->words, 0, 0, 0, 0);
	if (own->clock) {
		HYB_SYS(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now, 0, 0, 0, 0);
		reading->clock = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
}

uint64_t hyb_own_value(const struct hyb_own_reading *reading, const struct hyb_counter *counter)
{
	const struct own *own = &owns[counter->place];

	if (own->at == CLOCK)
		return reading->clock;
	if (own->kind == TIMES)
		return reading->words[own->at] * 1000000 + reading->words[own->at + 1];
	return reading->words[own->at];
}
