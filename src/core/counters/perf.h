/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of the kernel's perf, counted for each thread: all in one group, which one system call reads, or none where
 * the processor's counters may be read in user mode (page.h). Only with multiplexing there are several groups, which
 * the kernel puts on the processor in turn.
 */
#ifndef HYB_CORE_COUNTERS_PERF_H
#define HYB_CORE_COUNTERS_PERF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_perf_term {
	struct perf_event_attr attr;
	uint32_t group;
	int trial;		/* while the plan is made: its descriptor */
};

/* Which events, and in which groups. */
struct hyb_perf_plan {
	struct hyb_perf_term *terms;
	uint32_t count;
	uint32_t room;
	uint32_t groups;
	bool multiplex;		/* events that do not fit together share the counters in turn */
};

/* What a thread has of a plan. Its memory is the caller's: hyb_perf_size bytes of zeroes, or used before. */
struct hyb_perf;

/* Events by the names that libpfm4 and so PAPI have for the kernel's own, which need neither; false: it is none. */
bool hyb_perf_software(const char *name, struct perf_event_attr *attr, const char **unit, const char **description);
/* Number n of these; NULL: there are not so many. */
const char *hyb_perf_software_name(unsigned int n);

/*
 * Tries to count one more event beside those that the plan has: 0, and it is part of it; -EBUSY: not together with these;
 * or another -errno. *user: it is counted in user mode only, since the user may not count the kernel.
 */
int hyb_perf_add(struct hyb_perf_plan *plan, const struct perf_event_attr *attr, bool *user);
/* Takes back what was added behind the first `count`. */
void hyb_perf_shorten(struct hyb_perf_plan *plan, uint32_t count);
/* The plan is made; what was opened to try it is closed. */
void hyb_perf_settle(struct hyb_perf_plan *plan);

size_t hyb_perf_size(const struct hyb_perf_plan *plan);
/* For the calling thread; 0 or -errno. */
int hyb_perf_open(const struct hyb_perf_plan *plan, struct hyb_perf *perf);
/*
 * The value of each term; 0, -EBUSY where the events are not on the processor because others need its counters, or
 * another -errno. Descriptors that the program closed are opened again: *reopened, and what was counted since the
 * reading before is lost.
 */
int hyb_perf_read(const struct hyb_perf_plan *plan, struct hyb_perf *perf, uint64_t *values, bool *reopened);
/* Whether reading it needs no system call. */
bool hyb_perf_is_direct(const struct hyb_perf *perf);
void hyb_perf_close(const struct hyb_perf_plan *plan, struct hyb_perf *perf);
/* Why the kernel does not count it, and what to do; for -errno of hyb_perf_add. */
const char *hyb_perf_why(int err, const struct perf_event_attr *attr);

#endif
