/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why threads waited. Who comes late has done more since both were last in step: by how much each thing that it did
 * took longer there than for the one that waits, that is its share of the waiting. Where what took longer was itself
 * waiting, the share goes on to the causes of that. So all waiting is divided among threads and spots where nobody
 * waits, to the nanosecond.
 */
#ifndef HYB_ANALYSIS_WAITS_CAUSES_H
#define HYB_ANALYSIS_WAITS_CAUSES_H

#include <signal.h>
#include <stdint.h>

#include "analysis/waits/critical-path.h"
#include "analysis/waits/steps.h"

struct hyb_cause { /* what a thread did at a spot */
	uint32_t track;
	uint32_t spot; /* HYB_SPOT_NONE: nothing took longer there than for those that waited */
	int64_t direct;	  /* ns of waiting, of those who waited for this thread */
	int64_t indirect; /* and of those who waited for them */
	/* The longest wait of which the largest part goes back to it: the thread that waited, and when. */
	uint32_t waiter;
	int64_t since;
	int64_t until; /* as since: there is none */
};

struct hyb_effect { /* of a cause on calls */
	uint32_t cause; /* its number */
	uint32_t spot;	/* the call */
	enum hyb_wait_kind wait;
	int64_t ns;
	uint64_t count; /* waits */
};

struct hyb_waiting { /* in a call at a spot, all threads together */
	uint32_t spot;
	enum hyb_wait_kind wait;
	int64_t ns;
	uint64_t count;
	int64_t longest;
};

struct hyb_own { /* what a thread did at a spot, in all */
	uint32_t track;
	uint32_t spot;
	int64_t ns;
	uint64_t count;
};

/* A wait, when it is known what it goes back to, and the cause that most of it goes back to, by its number. */
typedef void (*hyb_causes_tell)(void *arg, const struct hyb_step *wait, uint32_t cause);

struct hyb_causes {
	hyb_causes_tell tell; /* set before; NULL: nobody wants to know of each */
	void *tell_arg;
	struct hyb_table causes; /* struct hyb_cause */
	struct hyb_table effects;
	struct hyb_table waits;
	struct hyb_table own;
	struct hyb_table path; /* struct hyb_path_part: the critical path */
	uint32_t path_end;     /* the thread that it leads to; UINT32_MAX: there is none */
	int64_t waited; /* ns, all */
};

/* Reads all steps. 0 or -errno; after either, hyb_causes_free. */
int hyb_causes_find(struct hyb_causes *causes, struct hyb_steps *steps, const volatile sig_atomic_t *stop);
void hyb_causes_free(struct hyb_causes *causes);
/* Nothing is known yet but whom to tell. */
void hyb_causes_init(struct hyb_causes *causes);
/* Adds what a thread did at a spot, and how often. 0 or -ENOMEM. */
int hyb_causes_add_own(struct hyb_causes *causes, const struct hyb_own *own);
/* What the thread did there in all; NULL: nothing. */
const struct hyb_own *hyb_causes_own(const struct hyb_causes *causes, uint32_t track, uint32_t spot);

#endif
