/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the samples: the rings of the CPUs, which sample.c opens and read.c reads. */
#ifndef HYB_COLLECTOR_SAMPLE_RINGS_H
#define HYB_COLLECTOR_SAMPLE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/common/map.h"
#include "collector/common/output.h"
#include "collector/common/ring.h"
#include "collector/sample/sample.h"

#define HYB_SAMPLE_METRIC	1	/* the number of the event's definition */

struct hyb_sample_cpu {
	uint32_t number;
	struct hyb_ring ring;
	struct hyb_output out;
	bool opened;		/* out has a file: it has one once there is something to write */
	bool tried;		/* so it was tried to make one */
	uint64_t told_lost;	/* how many records LOST records have told of */
	uint64_t ended_lost;	/* by events that are closed */
	uint64_t throttled;	/* since when the kernel holds back, 0: it does not */
};

struct hyb_sampling {
	struct hyb_samples_options options;
	struct hyb_sample_cpu **cpus;
	unsigned int cpu_count;
	struct hyb_map owners;		/* number of an event -> the thread that it was opened for */
	struct hyb_map sampled;		/* thread -> by whose events it is sampled, its own or inherited ones */
	uint64_t lost;
};

extern struct hyb_sampling hyb_sampling;

/* Takes what the rings have by now. */
void hyb_sampling_read(void);
/* So many samples of the CPU were lost between these times; 0: it is not known how many. */
void hyb_sampling_lost(struct hyb_sample_cpu *cpu, enum hyb_lost_why why, uint64_t count, uint64_t from,
		       uint64_t time);

#endif
