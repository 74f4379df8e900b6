/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP's teams: which threads were in which team during which of its uses, and what the model calls it. Teams with
 * the same threads in the same order are one communicator of paradigm OpenMP, whichever construct made them.
 */
#ifndef HYB_MERGE_MODEL_TEAM_H
#define HYB_MERGE_MODEL_TEAM_H

#include "merge/model/comm.h"
#include "reader/containers/table.h"
#include "reader/streams/defs.h"

/* A team as it was from one use of it on. */
struct hyb_team {
	uint64_t id; /* the process's own */
	uint64_t use;
	uint32_t group; /* in struct hyb_teams, HYB_COMM_NONE: members are missing */
};

/* Those of one process, by id and use. There may be one for each parallel region, so they are small. */
struct hyb_process_teams {
	struct hyb_team *teams;
	size_t count;
	size_t room;
};

/* Those of the whole archive. */
struct hyb_teams {
	struct hyb_table groups;    /* struct hyb_team_group */
	uint64_t *locations;	    /* of all OpenMP threads: what members are indexes into */
	uint32_t location_count;
	size_t location_room;
	uint32_t first_comm; /* the model's id of the first of its communicators */
	bool used;	     /* some process has teams */
};

struct hyb_team_group {
	uint32_t count;
	uint64_t *locations;
};

static inline struct hyb_team_group *hyb_teams_group(const struct hyb_teams *t, uint32_t i)
{
	return hyb_table_at(&t->groups, i);
}

void hyb_teams_init(struct hyb_teams *t);
void hyb_teams_free(struct hyb_teams *t);
/*
 * Takes in the teams of a process, whose threads have the locations (stream << 32 | group): streams is the list of
 * those that there are, sorted. 0 or -ENOMEM.
 */
int hyb_teams_add(struct hyb_teams *t, struct hyb_process_teams *p, const struct hyb_defs *defs,
		  uint32_t group, const uint32_t *streams, size_t stream_count);
void hyb_process_teams_free(struct hyb_process_teams *p);
/* The team as it was in that use, or NULL. */
const struct hyb_team *hyb_process_teams_find(const struct hyb_process_teams *p, uint64_t id, uint64_t use);
/* After the last process: so that locations are found. */
void hyb_teams_sort(struct hyb_teams *t);
/* The index of the group of that location alone, which stays sorted in; HYB_COMM_NONE without memory. */
uint32_t hyb_teams_alone(struct hyb_teams *t, uint64_t location);

#define HYB_TEAMS_NONE SIZE_MAX
/* The place of an OpenMP thread's location in the sorted list; HYB_TEAMS_NONE: it is none's. */
size_t hyb_teams_index(const struct hyb_teams *t, uint64_t location);

#endif
