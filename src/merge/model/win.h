/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One identity for each window of the job, as comm.h has it for communicators, and the groups that
 * synchronise.
 */
#ifndef HYB_MERGE_MODEL_WIN_H
#define HYB_MERGE_MODEL_WIN_H

#include "merge/model/comm.h"
#include "reader/containers/table.h"
#include "reader/streams/defs.h"

struct hyb_gwin {
	uint64_t key[2];
	uint32_t comm; /* index, HYB_COMM_NONE: not known, or told differently */
	uint32_t id; /* its number, once resolved; HYB_COMM_NONE: not in it */
	char *name;    /* NULL: none was set */
};

struct hyb_wins {
	struct hyb_table table; /* struct hyb_gwin */
	uint32_t unknown;	/* windows left out */
};

static inline struct hyb_gwin *hyb_wins_at(const struct hyb_wins *w, uint32_t i)
{
	return hyb_table_at(&w->table, i);
}

void hyb_wins_init(struct hyb_wins *w);
void hyb_wins_free(struct hyb_wins *w);
/* Adds what a process says of its windows and groups, after its communicators. 0 or -ENOMEM. */
int hyb_wins_add(struct hyb_wins *w, struct hyb_comms *comms, const struct hyb_defs *defs);
/* After hyb_comms_resolve: gives those their id whose communicator is known. */
void hyb_wins_resolve(struct hyb_wins *w, const struct hyb_comms *comms);
/* The window that a process described so, or NULL. */
const struct hyb_gwin *hyb_wins_find(const struct hyb_wins *w, const struct hyb_def_win *def);

#endif
