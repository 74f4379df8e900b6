/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the source `perf`: its rings, which perf.c opens, read.c reads and check.c doubts. */
#ifndef HYB_KERNEL_PERF_H
#define HYB_KERNEL_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/output.h"
#include "kernel/perf/tracefs.h"
#include "kernel/ring.h"

#define HYB_PERF_EVENTS		64	/* of a CPU, at most */
#define HYB_PERF_NOBODY		UINT32_MAX

struct hyb_perf_cpu {
	uint32_t number;
	struct hyb_ring main;
	struct hyb_ring side;
	const struct perf_event_header *side_next;	/* NULL: no more for now */
	struct hyb_output out;
	int events[HYB_PERF_EVENTS];
	unsigned int event_count;
	uint64_t told_lost;	/* by LOST records */
	/* who has the CPU by its last record, the kernel's number; HYB_PERF_NOBODY: not known */
	uint32_t running;
	uint64_t seen;		/* when that was */
	uint64_t head;		/* of the main ring, as it was last seen to move */
	uint64_t moved;		/* when that was */
	bool dead;		/* the kernel tells nothing of it, which is said */
	uint64_t expected;	/* how far the main ring was looked at for transfers that begin */
};

struct hyb_perf {
	struct hyb_perf_cpu **cpus;
	unsigned int cpu_count;
	unsigned char *kinds;	/* of the event with number first_id + i */
	uint64_t first_id;
	size_t id_room;
	struct hyb_tracepoint tracepoints[HYB_PERF_EVENTS];
	bool wanted[HYB_PERF_EVENTS];
	bool bare;		/* no tracepoints: the scheduler as context_switch tells of it */
	bool chained;		/* all switches have records: one that is missing shows */
	bool all;
	bool chains;
	bool side_lost;		/* that something was is said */
	uint64_t opened;	/* when recording began */
	bool checked;		/* check.c */
	uint64_t lost;
};

extern struct hyb_perf hyb_perf;

/* Writes out what the rings have by now. */
void hyb_perf_drain(void);
void hyb_perf_enable(struct hyb_perf_cpu *cpu);
void hyb_perf_disable(struct hyb_perf_cpu *cpu);
/*
 * check.c: CPUs of which nothing came for long, looked at once when recording has gone on for a while, and at the
 * end.
 */
void hyb_perf_check(void);
void hyb_perf_check_last(void);
/* So many events of that CPU were lost since its last record. */
void hyb_perf_lost(struct hyb_perf_cpu *cpu, uint64_t count, uint64_t time);

#endif
