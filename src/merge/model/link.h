/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several jobs in one model. The keys of each are made its own, ranks become places in the list of
 * all processes, and intercommunicators between jobs, whose two sides were recorded under two keys,
 * become one, with all that was made of them.
 */
#ifndef HYB_MERGE_MODEL_LINK_H
#define HYB_MERGE_MODEL_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "reader/streams/clock.h"
#include "reader/streams/defs.h"

struct hyb_link_job {
	const char *key;    /* as in its manifests; NULL: it has none */
	const char *parent; /* the key of the job that spawned it, or NULL */
	int64_t parent_rank; /* who led the spawn, -1: not known */
	uint32_t base;	    /* place of its rank 0 among all ranks */
	uint32_t ranks;
};

struct hyb_link_side { /* an intercommunicator as the processes of one job see it */
	uint32_t job;
	uint64_t key[2]; /* of that job */
	uint32_t size;
	uint32_t remote_size;
	uint32_t role; /* enum hyb_meeting_role */
	uint32_t root;
	uint64_t port[2];
	int clock;
	uint64_t counter;
	int64_t time;
	bool paired;
};

struct hyb_links {
	const struct hyb_link_job *jobs;
	uint32_t job_count;
	struct hyb_table steps;	  /* struct step: what was made of such communicators */
	struct hyb_table aliases; /* struct alias: the second side's key and the first side's */
	struct hyb_link_side *sides;
	size_t count;
	size_t room;
	size_t apart; /* sides whose other side was not found */
};

/* 0 or -ENOMEM where there is an int. jobs stays the caller's. */
void hyb_links_init(struct hyb_links *l, const struct hyb_link_job *jobs, uint32_t count);
void hyb_links_free(struct hyb_links *l);
/* Takes in what a process of that job says, before anything is rewritten. */
int hyb_links_add(struct hyb_links *l, uint32_t job, uint32_t rank, int clock,
		  const struct hyb_defs *defs);
/* After the last of them, with fitted clocks: finds out which sides are one. */
int hyb_links_pair(struct hyb_links *l, const struct hyb_clocks *clocks);
/* Whether that job has a communicator with another one. */
bool hyb_links_any(const struct hyb_links *l, uint32_t job);
/* Rewrites a process's definitions: keys, and ranks of members. Nothing with one job only. */
void hyb_links_apply(const struct hyb_links *l, uint32_t job, struct hyb_defs *defs);
/* The key of that job's MPI_COMM_WORLD, where it is not the first job's. */
void hyb_links_world_key(const struct hyb_links *l, uint32_t job, uint64_t key[2]);

#endif
