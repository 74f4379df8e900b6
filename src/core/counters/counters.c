/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of this process; see counters.h. */
#include "core/counters/counters.h"

#include <errno.h>
#include <stddef.h>

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/text.h"
#include "core/counters/perf.h"
#include "core/counters/set.h"
#include "core/record/counted.h"
#include "core/record/definitions.h"

static struct hyb_counter_set set;

enum { LOOKED = 1, STARTED = 2 };
static uint32_t steps;
static bool says;
static void (*note_way)(const char *text);

static void *open_reader(void)
{
	int err;
	struct hyb_counter_reader *reader = hyb_counter_set_open(&set, &err);

	if (!reader && err == -ENODATA)
		hyb_log_once(HYB_LOG_WARNING, "PAPI cannot count what HYBMON_COUNTERS has of its components in each thread (the "
			     "program may count with the same component); threads are recorded without counters");
	else if (!reader)
		hyb_log_once(HYB_LOG_WARNING, "counters of a thread cannot be opened: %s; it is recorded without them",
			     hyb_perf_why(err, &(struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE }));
	return reader;
}

static bool read_values(void *reader, uint64_t *values)
{
	int saved = errno;
	int err = hyb_counter_set_read(&set, reader, values);

	if (err == -EAGAIN)
		hyb_log_once(HYB_LOG_WARNING, "this program closes descriptors that are not its own: what the counters of its "
			     "threads counted meanwhile is lost");
	else if (err == -EBUSY)
		hyb_log_once(HYB_LOG_WARNING, "the processor has no counters left, which others use (the kernel's watchdog, "
			     "perf, another tool): parts are recorded without them; fewer of HYBMON_COUNTERS may do");
	else if (err == -ENODATA)
		hyb_log_once(HYB_LOG_WARNING, "PAPI cannot read its counters now; parts are recorded without them");
	else if (err)
		hyb_log_once(HYB_LOG_WARNING, "counters cannot be read: %s; parts are recorded without them",
			     hyb_text_errno(-err));
	errno = saved;
	return !err || err == -EAGAIN;
}

static void close_reader(void *reader)
{
	hyb_counter_set_close(&set, reader);
}

static struct hyb_counting counting = { .open = open_reader, .read = read_values, .close = close_reader };

/* What the numbers in the streams mean. */
static bool define(void)
{
	uint32_t *metrics = hyb_alloc(set.count * sizeof(*metrics));
	bool *sums = hyb_alloc(set.count * sizeof(*sums));

	if (!metrics || !sums)
		return false;
	for (uint32_t i = 0; i < set.count; i++) {
		const struct hyb_counter *c = &set.counters[i];

		sums[i] = c->metric.mode == HYB_METRIC_ACCUMULATED && c->metric.type != HYB_METRIC_DOUBLE;
		metrics[i] = hyb_def_metric_id();
		hyb_def_metric(metrics[i], &c->metric, c->name, c->unit, c->description);
	}
	counting.sums = sums;
	counting.set = hyb_def_metric_set_id();
	hyb_def_metric_set(counting.set, set.count, metrics);
	return true;
}

static void tell_way(void)
{
	struct hyb_counter_reader *reader;
	char text[256];
	int err;

	reader = hyb_counter_set_open(&set, &err);
	if (!reader)
		return;
	note_way(hyb_counter_set_way(&set, reader, text, sizeof(text)));
	hyb_counter_set_close(&set, reader);
}

static void begin(void)
{
	for (const struct hyb_counter_note *n = set.notes; n && says; n = n->next)
		hyb_log(HYB_LOG_WARNING, "HYBMON_COUNTERS: %s; recorded without it", n->text);
	if (set.count > HYB_COUNTED_MOST) {
		if (says)
			hyb_log(HYB_LOG_WARNING, "HYBMON_COUNTERS has %u counters, of which the first %u are recorded", set.count,
				HYB_COUNTED_MOST);
		set.count = HYB_COUNTED_MOST;
	}
	if (!set.count || !define())
		return;
	tell_way();
	counting.at = hyb_config.counters_at;
	counting.count = set.count;
	hyb_count_by(&counting);
}

/* Both steps are taken by one thread at a time, and each once: whoever takes the second one goes on. */
static void step(uint32_t which)
{
	/* acquire and release: what the other step left is there */
	if (__atomic_or_fetch(&steps, which, __ATOMIC_ACQ_REL) == (LOOKED | STARTED))
		begin();
}

void hyb_counters_look(void)
{
	set.perf.multiplex = hyb_config.counters_multiplex;
	hyb_counter_set_make(&set, hyb_config.counters);
	step(LOOKED);
}

void hyb_counters_start(bool speaks, void (*note)(const char *text))
{
	says = speaks;
	note_way = note;
	step(STARTED);
}
