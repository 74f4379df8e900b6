/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the numbers in one process's records stand for in the model. Made anew for each process
 * and each reading, so that the merge's memory does not grow with definitions times processes.
 */
#ifndef HYB_MERGE_MODEL_IDS_H
#define HYB_MERGE_MODEL_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "merge/model/comm.h"
#include "merge/model/link.h"
#include "merge/model/metric.h"
#include "merge/model/name.h"
#include "merge/model/region.h"
#include "reader/symbols/source.h"
#include "merge/model/win.h"
#include "reader/streams/defs.h"
#include "reader/streams/experiment.h"

struct hyb_ids_comm {
	uint32_t index; /* in struct hyb_comms; HYB_COMM_NONE: not in the model */
	uint32_t id;
	bool self; /* MPI_COMM_SELF: the only member is the process itself */
	bool inter;
	const struct hyb_group *peers; /* what ranks in records are ranks of */
};

struct hyb_ids_win {
	uint32_t id; /* HYB_COMM_NONE: not in the model */
	uint32_t rank; /* of the process in it */
	uint32_t size;
};

struct hyb_ids_set { /* of counters */
	struct hyb_gmetric_class *classes[HYB_METRIC_SCOPES]; /* NULL: it has none of that scope */
};

struct hyb_ids {
	struct hyb_defs *defs; /* NULL: the process has none that can be read */
	struct hyb_regions *regions;
	struct hyb_sources *sources;
	struct hyb_gregion **region; /* by id, NULL: not looked up yet */
	size_t region_room;
	struct hyb_ids_comm *comm; /* by place in defs->comms */
	struct hyb_ids_win *win;   /* by place in defs->wins */
	uint32_t *group;	     /* by place in defs->groups: in struct hyb_comms */
	struct hyb_ids_set *set;     /* by place in defs->metrics.sets; NULL: not asked for */
	const struct hyb_comm *last; /* in defs->comms */
	const struct hyb_names *names;
	uint32_t *text; /* by place in defs->texts: its number in names, HYB_NAME_NONE: not looked up yet */
};

/*
 * world_rank: its place among the ranks of all jobs. A definitions stream that
 * cannot be read is reported; only -ENOMEM fails.
 */
int hyb_ids_open(struct hyb_ids *l, const struct hyb_process *source, uint32_t world_rank,
		   const struct hyb_links *links, uint32_t job, const struct hyb_comms *comms,
		   const struct hyb_wins *wins, struct hyb_regions *regions, struct hyb_sources *sources,
		   const struct hyb_names *names, const struct hyb_diag *diag);
void hyb_ids_close(struct hyb_ids *l);
/* The number in the model's names of a text; HYB_NAME_NONE: it is not known. */
uint32_t hyb_ids_text(struct hyb_ids *l, uint64_t id);
/* Its sets of counters, too. 0 or -ENOMEM. */
int hyb_ids_add_metrics(struct hyb_ids *l, const struct hyb_gmetrics *metrics);
/* Out of line: the first use of an id. NULL without memory. */
struct hyb_gregion *hyb_ids_new_region(struct hyb_ids *l, uint64_t id) __attribute__((cold));

/* The region with that id, made up where the process did not define it; NULL without memory. */
static inline struct hyb_gregion *hyb_ids_region(struct hyb_ids *l, uint64_t id)
{
	if (__builtin_expect(id < l->region_room && l->region[id], 1))
		return l->region[id];
	return hyb_ids_new_region(l, id);
}

/* NULL for one that the model does not have. */
static inline const struct hyb_ids_comm *hyb_ids_comm(struct hyb_ids *l, uint64_t id)
{
	const struct hyb_ids_comm *found;

	if (!l->last || l->last->id != id) {
		l->last = l->defs ? hyb_defs_comm(l->defs, id) : NULL;
		if (!l->last)
			return NULL;
	}
	found = &l->comm[l->last - l->defs->comms];
	return found->index == HYB_COMM_NONE ? NULL : found;
}

/* NULL for one that the model does not have. */
static inline const struct hyb_ids_win *hyb_ids_win(const struct hyb_ids *l, uint64_t id)
{
	const struct hyb_win *win = l->defs ? hyb_defs_win(l->defs, id) : NULL;
	const struct hyb_ids_win *found = win ? &l->win[win - l->defs->wins] : NULL;

	return found && found->id != HYB_COMM_NONE ? found : NULL;
}

/* HYB_COMM_NONE for one that the model does not have. */
static inline uint32_t hyb_ids_group(const struct hyb_ids *l, uint64_t id)
{
	const struct hyb_ranks *group = l->defs ? hyb_defs_group(l->defs, id) : NULL;

	return group ? l->group[group - l->defs->groups] : HYB_COMM_NONE;
}

#endif
