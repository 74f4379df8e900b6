/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flat profile of a job: of each region and each process how often it was entered, how long it lasted, and what of
 * that was the region's own, and which was the kernel's. A sink of the merge.
 */
#ifndef HYB_ANALYSIS_PROFILE_FLAT_H
#define HYB_ANALYSIS_PROFILE_FLAT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/spread.h"
#include "reader/containers/table.h"
#include "merge/model/model.h"

struct hyb_sink_ops;

#define HYB_FLAT_ALL UINT32_MAX /* processes */

enum hyb_flat_kind {
	HYB_FLAT_REGION = 0,
	HYB_FLAT_THREADS, /* from the first event to the last; by itself what is in no region */
	HYB_FLAT_PAUSED,  /* recording was switched off; it may begin in one region and end in another */
	HYB_FLAT_KERNEL,  /* an event of the kernel's: in a region, and a part of what that has */
};

enum hyb_flat_part { /* of the time that a thread is in no region but this one */
	HYB_PART_OWN = 0,
	HYB_PART_SYSCALL,
	HYB_PART_FAULT,
	HYB_PART_INTERRUPT,
	HYB_PART_VOLUNTARY, /* off the CPU, in a system call or not */
	HYB_PART_INVOLUNTARY,
	HYB_PART_UNKNOWN, /* events of the kernel were lost */
	HYB_PARTS,
};

/* ns. Inclusive: the parts and the time in regions within; it has each moment once, so recursion adds none. */
struct hyb_flat_times {
	uint64_t visits;
	int64_t inclusive;
	int64_t part[HYB_PARTS];
	uint64_t count[HYB_PARTS]; /* events of the kernel */
};

struct hyb_flat_row { /* of one process */
	uint32_t region; /* index into hyb_flat.regions */
	uint32_t process;
	struct hyb_flat_times times;
};

struct hyb_flat_region {
	enum hyb_flat_kind kind;
	enum hyb_flat_part part; /* of HYB_FLAT_KERNEL */
	const struct hyb_gregion *region; /* of HYB_FLAT_REGION and KERNEL */
	struct hyb_flat_times times; /* of all processes */
	uint32_t first; /* of its rows */
	uint32_t count;
};

struct hyb_flat_process {
	uint32_t process; /* index into the model's */
	uint64_t threads;
	struct hyb_flat_times times; /* inclusive: of its threads, from their first event to their last */
};

struct hyb_flat_rival { /* who had the CPU while threads of a process were pre-empted */
	uint32_t process;
	uint32_t who; /* a text of the model */
	uint64_t count;
	int64_t ns;
	uint64_t cpu; /* where the threads went on, of those times of which that is known */
};

#define HYB_FLAT_CPUS UINT64_MAX      /* several */
#define HYB_FLAT_NO_CPU (UINT64_MAX - 1) /* not known of any */

struct hyb_flat {
	struct hyb_table regions; /* struct hyb_flat_region */
	struct hyb_table rows;	  /* struct hyb_flat_row; in the end by region and process */
	struct hyb_table rivals;  /* struct hyb_flat_rival; in the end the longest first */
	pthread_mutex_t lock;
	uint32_t *order; /* of regions: the longest by itself first */
	struct hyb_flat_process *processes; /* that have threads, in the model's order */
	size_t process_count;
	bool begun;
};

/* What a spread is of: a part of the time, or */
#define HYB_SPREAD_INCLUSIVE (-1)
#define HYB_SPREAD_EXCLUSIVE (-2)

/* OWN: the region is none of the kernel's. */
enum hyb_flat_part hyb_flat_part_of(const struct hyb_gregion *region);

/* The sink that fills it, for hyb_merge_run. After the run, hyb_flat_free, also after an error. */
struct hyb_flat_sink;
const struct hyb_sink_ops *hyb_flat_sink(struct hyb_flat *flat, struct hyb_flat_sink **sink);
void hyb_flat_sink_free(struct hyb_flat_sink *sink);
/* Without a sink: it is empty, and has times of one process more. 0 or -ENOMEM; by one thread. */
void hyb_flat_init(struct hyb_flat *flat);
int hyb_flat_add(struct hyb_flat *flat, uint32_t process, enum hyb_flat_kind kind, const struct hyb_gregion *region,
		 const struct hyb_flat_times *times);
void hyb_flat_free(struct hyb_flat *flat);
/* flat-order.c: when all is in, sorts it; the tables are for reading in order from here on. 0 or -ENOMEM. */
int hyb_flat_order(struct hyb_flat *flat, const struct hyb_model *model);
/* How a time of a region, or of the processes (NULL), is spread. 0 or -ENOMEM; then hyb_spread_free. */
int hyb_flat_spread(const struct hyb_flat *flat, const struct hyb_flat_region *region, int what,
		    struct hyb_spread *spread);

static inline const struct hyb_flat_region *hyb_flat_at(const struct hyb_flat *flat, uint32_t i)
{
	return hyb_table_at(&flat->regions, flat->order[i]);
}

/* Exclusive: in no other region. */
static inline int64_t hyb_flat_exclusive(const struct hyb_flat_times *t)
{
	int64_t sum = 0;

	for (int i = 0; i < HYB_PARTS; i++)
		sum += t->part[i];
	return sum;
}

#endif
