/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads HYBMON_SAMPLE; see sample-option.h. In the library, too: no malloc, no stdio, no locale. */
#include "core/config/sample-option.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

#define RATE_LIMIT "/proc/sys/kernel/perf_event_max_sample_rate"

/* Types and numbers are the kernel's (linux/perf_event.h), which do not change. */
enum { HARDWARE = 0, SOFTWARE = 1 };

static const struct {
	const char *name;
	struct hyb_sample_perf perf;
} events[HYB_SAMPLE_EVENTS] = {
	[HYB_SAMPLE_CPU_CLOCK] = { "cpu-clock", { SOFTWARE, 0 } },
	[HYB_SAMPLE_TASK_CLOCK] = { "task-clock", { SOFTWARE, 1 } },
	[HYB_SAMPLE_PAGE_FAULTS] = { "page-faults", { SOFTWARE, 2 } },
	[HYB_SAMPLE_CONTEXT_SWITCHES] = { "context-switches", { SOFTWARE, 3 } },
	[HYB_SAMPLE_CPU_MIGRATIONS] = { "cpu-migrations", { SOFTWARE, 4 } },
	[HYB_SAMPLE_MINOR_FAULTS] = { "minor-faults", { SOFTWARE, 5 } },
	[HYB_SAMPLE_MAJOR_FAULTS] = { "major-faults", { SOFTWARE, 6 } },
	[HYB_SAMPLE_ALIGNMENT_FAULTS] = { "alignment-faults", { SOFTWARE, 7 } },
	[HYB_SAMPLE_EMULATION_FAULTS] = { "emulation-faults", { SOFTWARE, 8 } },
	[HYB_SAMPLE_CYCLES] = { "cycles", { HARDWARE, 0 } },
	[HYB_SAMPLE_INSTRUCTIONS] = { "instructions", { HARDWARE, 1 } },
	[HYB_SAMPLE_CACHE_REFERENCES] = { "cache-references", { HARDWARE, 2 } },
	[HYB_SAMPLE_CACHE_MISSES] = { "cache-misses", { HARDWARE, 3 } },
	[HYB_SAMPLE_BRANCHES] = { "branches", { HARDWARE, 4 } },
	[HYB_SAMPLE_BRANCH_MISSES] = { "branch-misses", { HARDWARE, 5 } },
	[HYB_SAMPLE_BUS_CYCLES] = { "bus-cycles", { HARDWARE, 6 } },
	[HYB_SAMPLE_STALLED_FRONTEND] = { "stalled-cycles-frontend", { HARDWARE, 7 } },
	[HYB_SAMPLE_STALLED_BACKEND] = { "stalled-cycles-backend", { HARDWARE, 8 } },
	[HYB_SAMPLE_REF_CYCLES] = { "ref-cycles", { HARDWARE, 9 } },
};

const char *hyb_sample_event_name(enum hyb_sample_event event)
{
	return events[event].name;
}

struct hyb_sample_perf hyb_sample_event_perf(enum hyb_sample_event event)
{
	return events[event].perf;
}

/* HYB_SAMPLE_EVENTS: there is none of that name; then why says so, and which one is like it. */
static enum hyb_sample_event find_event(const char *text, size_t length, char *why, size_t size)
{
	unsigned int best = UINT_MAX;
	const char *near = NULL;
	char word[64];

	for (unsigned int i = 0; i < HYB_SAMPLE_EVENTS; i++) {
		if (strlen(events[i].name) == length && !memcmp(text, events[i].name, length))
			return (enum hyb_sample_event)i;
		if (hyb_config_closer(text, length, events[i].name, strlen(events[i].name), &best))
			near = events[i].name;
	}
	length = length < sizeof(word) ? length : sizeof(word) - 1;
	memcpy(word, text, length);
	word[length] = 0;
	if (near)
		hyb_text_format(why, size, "there is no event \"%s\"; did you mean %s?", word, near);
	else
		hyb_text_format(why, size, "there is no event \"%s\"", word);
	return HYB_SAMPLE_EVENTS;
}

/* A number from 1 on, and whether "Hz" follows it. */
static bool take_number(const char *text, uint64_t *number, bool *hertz)
{
	uint64_t n = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (n > (INT64_MAX - 9) / 10)
			return false;
		n = 10 * n + (uint64_t)(*at - '0');
	}
	*hertz = (at[0] | 0x20) == 'h' && (at[1] | 0x20) == 'z' && !at[2];
	*number = n;
	return n && (*hertz || !*at);
}

int hyb_sample_wish_parse(const char *text, struct hyb_sample_wish *wish, char *why, size_t size)
{
	const char *colon = strchr(text, ':');
	struct hyb_sample_wish w = { .event = HYB_SAMPLE_CPU_CLOCK };
	uint64_t number;
	bool hertz;

	if (colon) {
		w.event = find_event(text, (size_t)(colon - text), why, size);
		if (w.event == HYB_SAMPLE_EVENTS)
			return -EINVAL;
	}
	if (!take_number(colon ? colon + 1 : text, &number, &hertz) || (!colon && !hertz)) {
		hyb_text_format(why, size, "it is neither a rate, as 997Hz is, nor an event with one or with a period, "
				"as page-faults:1 is");
		return -EINVAL;
	}
	if (hertz)
		w.rate = number;
	else
		w.period = number;
	*wish = w;
	return 0;
}

uint64_t hyb_sample_wish_limit(struct hyb_sample_wish *wish)
{
	uint64_t asked = wish->rate, most = 0;
	char text[32];

	if (!asked || hyb_sys_read_file(RATE_LIMIT, text, sizeof(text)) <= 0)
		return 0;
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		most = 10 * most + (uint64_t)(*at - '0');
	if (!most || asked <= most)
		return 0;
	wish->rate = most;
	return asked;
}
