/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the source `perf`: its rings, which perf.c opens, read.c reads, and check.c doubts. */
#ifndef HYB_COLLECTOR_PERF_PERF_H
#define HYB_COLLECTOR_PERF_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/common/output.h"
#include "collector/perf/tracefs.h"
#include "collector/common/ring.h"

#define HYB_PERF_EVENTS		64	/* of a CPU at most */
#define HYB_PERF_NOBODY		UINT32_MAX

struct hyb_perf_cpu {
	uint32_t number;
	struct hyb_ring main;
	struct hyb_ring side;
	const struct perf_event_header *side_next;	/* NULL: no more for now */
	struct hyb_output out;
	int events[HYB_PERF_EVENTS];
	unsigned int event_count;
	uint64_t told_lost;	/* how many records LOST records have told of */
	/* the kernel's number of who has the CPU by its last record; HYB_PERF_NOBODY: not known */
	uint32_t running;
	uint64_t seen;		/* the time of that record */
	uint64_t head;		/* of the main ring, when it was last seen to have moved */
	uint64_t moved;		/* that time */
	bool dead;		/* the kernel tells nothing of it, and the manifest says so */
	uint64_t expected;	/* how far the main ring was searched for transfers that begin */
};

struct hyb_perf {
	struct hyb_perf_cpu **cpus;
	unsigned int cpu_count;
	unsigned char *kinds;	/* enum hyb_sample_kind of the event with number first_id + i */
	uint64_t first_id;
	size_t id_room;
	struct hyb_tracepoint tracepoints[HYB_PERF_EVENTS];
	bool wanted[HYB_PERF_EVENTS];
	bool bare;		/* there are no tracepoints: context_switch tells who has the CPU */
	bool chained;		/* all switches have records, so a missing one is noticed */
	bool all;
	bool chains;
	bool side_lost;		/* the manifest says that records of side rings were lost */
	uint64_t opened;	/* when recording began */
	bool checked;		/* hyb_perf_check has visited silent CPUs */
	uint64_t lost;
};

extern struct hyb_perf hyb_perf;

/* Writes what the rings have by now into the streams. */
void hyb_perf_drain(void);
void hyb_perf_enable(struct hyb_perf_cpu *cpu);
void hyb_perf_disable(struct hyb_perf_cpu *cpu);
/*
 * Looks for CPUs of which the kernel tells nothing (check.c): once, when recording has gone on for a second, and at the
 * end.
 */
void hyb_perf_check(void);
void hyb_perf_check_last(void);
/* So many events of the CPU were lost since its last record; 0: it is not known how many. */
void hyb_perf_lost(struct hyb_perf_cpu *cpu, uint64_t count, uint64_t time);

#endif
