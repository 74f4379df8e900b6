/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flat profile of a job: of each region and each process how often it was entered, how long it lasted, and what of
 * that was the region's own, and which was the kernel's. It is made of what each thread spent at each spot (stack.h).
 */
#ifndef HYB_ANALYSIS_PROFILE_FLAT_H
#define HYB_ANALYSIS_PROFILE_FLAT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/class.h"
#include "analysis/profile/spread.h"
#include "reader/containers/table.h"
#include "merge/model/model.h"

struct hyb_merge_event;
struct hyb_spent;
struct hyb_spots;
struct hyb_stack;

#define HYB_FLAT_ALL UINT32_MAX /* processes */

enum hyb_flat_kind {
	HYB_FLAT_REGION = 0,
	HYB_FLAT_THREADS, /* from the first event to the last; by itself what is in no region */
	HYB_FLAT_PAUSED,  /* recording was switched off; it may begin in one region and end in another */
	HYB_FLAT_KERNEL,  /* an event of the kernel's: in a region, and a part of what that has */
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

/* Empty. After that, hyb_flat_free. */
void hyb_flat_init(struct hyb_flat *flat);
/* Rivals of one thread while its events are read; and when the thread, which is one of `process`, leaves a region. */
void hyb_flat_rivals_init(struct hyb_table *rivals);
int hyb_flat_rival(struct hyb_table *rivals, uint32_t process, const struct hyb_stack *stack,
		   const struct hyb_merge_event *leave);
/* Adds the times of one thread of a trace. 0 or -ENOMEM. Several threads may call it at once. */
int hyb_flat_add_stack(struct hyb_flat *flat, uint32_t process, const struct hyb_stack *stack,
		       const struct hyb_table *rivals);
/* The same of a thread of a profile, by spot: a pause has visits and kernel activity of its own. */
int hyb_flat_add_spent(struct hyb_flat *flat, uint32_t process, const struct hyb_spots *spots,
		       const struct hyb_spent *spent);
void hyb_flat_free(struct hyb_flat *flat);
/*
 * flat-order.c: sorts rows that begin like struct hyb_flat_row, with what they describe and a process, by these two.
 * From here on the table can only be read in order.
 */
void hyb_rows_order(struct hyb_table *rows);
/* The first row of one; those behind it are of the same one, or of another. */
uint32_t hyb_rows_first(const struct hyb_table *rows, uint32_t of);
/* How a value of such rows is spread over the processes. 0 or -ENOMEM; then hyb_spread_free. */
int hyb_rows_spread(const struct hyb_table *rows, uint32_t of, const struct hyb_flat *flat,
		    int64_t (*value)(const void *row, int what), int what, struct hyb_spread *spread);
/* When all is in, sorts it; the tables are for reading in order from here on. 0 or -ENOMEM. */
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
