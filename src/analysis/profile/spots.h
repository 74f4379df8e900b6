/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time of threads goes, as the search for causes sees it: a path of regions, the kernel's among them. What
 * lies in no region at all is named by the MPI call that it leads up to. Each is there once, by number.
 */
#ifndef HYB_ANALYSIS_PROFILE_SPOTS_H
#define HYB_ANALYSIS_PROFILE_SPOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/class.h"
#include "reader/containers/table.h"
#include "merge/model/model.h"

#define HYB_SPOT_ROOT 0u
#define HYB_SPOT_NONE UINT32_MAX

enum hyb_spot_kind {
	HYB_SPOT_REGION = 0,
	HYB_SPOT_BEFORE, /* what came before a call of the region, in no region of its own */
	HYB_SPOT_PAUSED, /* recording was switched off */
	HYB_SPOT_TOP,	  /* the root */
};

struct hyb_spot {
	uint32_t parent; /* of the root: itself */
	enum hyb_spot_kind kind;
	const struct hyb_gregion *region; /* of HYB_SPOT_REGION and BEFORE */
	/* a text of the model: where a call was made, or who had the CPU; HYB_SPOT_STOPPED; HYB_NAME_NONE: not known */
	uint32_t detail;
	enum hyb_time_class class; /* which follows from these */
};

#define HYB_SPOT_STOPPED (HYB_NAME_NONE - 1) /* off the CPU until SIGCONT comes, or a debugger lets it go on */

struct hyb_spots {
	struct hyb_table table; /* struct hyb_spot */
	pthread_mutex_t lock;	/* of those that all threads share */
};

/* With the root. 0 or -ENOMEM; after either, hyb_spots_free. */
int hyb_spots_init(struct hyb_spots *spots);
void hyb_spots_free(struct hyb_spots *spots);
/* The number of such a spot, made if need be; its class is found out. HYB_SPOT_NONE without memory. */
uint32_t hyb_spots_get(struct hyb_spots *spots, const struct hyb_spot *like);
/* The same for several threads at once. */
uint32_t hyb_spots_share(struct hyb_spots *spots, const struct hyb_spot *like);
/*
 * spot-order.c: when all are known, by one thread: gives them numbers that do not depend on who came first. *number_of,
 * to be freed, has the new number of each old one. 0 or -ENOMEM.
 */
int hyb_spots_order(struct hyb_spots *spots, uint32_t **number_of);
static inline const struct hyb_spot *hyb_spots_at(const struct hyb_spots *spots, uint32_t spot)
{
	return hyb_table_at(&spots->table, spot);
}
/* True of what the kernel does. */
bool hyb_spot_is_kernel(const struct hyb_spot *spot);

#endif
