/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One identity for each communicator of the job. Every process has described its own communicators
 * under its own ids; here they become one table by their keys, with the members of each found out.
 *
 * A member is named by its index in the model's list of MPI locations: the world rank, or, for a
 * member that nobody described, an index behind the last rank, for which the model has a
 * placeholder.
 */
#ifndef HYB_MERGE_MODEL_COMM_H
#define HYB_MERGE_MODEL_COMM_H

#include <stdint.h>

#include "reader/containers/table.h"
#include "reader/streams/defs.h"

#define HYB_COMM_NONE UINT32_MAX

struct hyb_group {
	uint32_t count;
	uint32_t *members;
};

enum hyb_gcomm_state {
	HYB_GCOMM_OPEN = 0, /* not resolved yet */
	HYB_GCOMM_KNOWN,
	HYB_GCOMM_UNKNOWN, /* members not to be found out, or contradicting descriptions */
};

struct hyb_gcomm {
	uint64_t key[2];
	uint32_t kind; /* enum hyb_comm_kind */
	uint32_t size;
	uint32_t remote_size;
	uint32_t parent; /* index, less than its own, or HYB_COMM_NONE */
	uint32_t same_members;
	enum hyb_gcomm_state state;
	uint32_t described;   /* by how many processes */
	uint32_t holes;	      /* members that nobody described */
	uint32_t id;	      /* its number */
	uint32_t *members[2]; /* while open: what is known of the groups; HYB_COMM_NONE: a hole */
	uint32_t group[2];    /* once known: indexes into groups; the second for INTER only */
	char *name;	      /* NULL: none was set */
	uint32_t dims;	      /* Cartesian: how many; 0: it is not, or not known to be */
	uint32_t *extents;    /* of each dimension, then whether it is periodic */
};

struct hyb_comms {
	struct hyb_table table;	 /* struct hyb_gcomm; 0 is MPI_COMM_WORLD, 1 is MPI_COMM_SELF */
	struct hyb_table groups; /* struct hyb_group, each list of members once */
	uint32_t ranks;		 /* of all jobs */
	uint32_t holes;		 /* placeholders needed: the most that one communicator has */
	uint32_t unknown;	 /* communicators left out */
	uint32_t incomplete;	 /* communicators with holes */
};

static inline struct hyb_gcomm *hyb_comms_at(const struct hyb_comms *c, uint32_t i)
{
	return hyb_table_at(&c->table, i);
}

static inline struct hyb_group *hyb_comms_group(const struct hyb_comms *c, uint32_t i)
{
	return hyb_table_at(&c->groups, i);
}

/* `world`: ranks in MPI_COMM_WORLD, of the first job. 0 or -ENOMEM; after either, hyb_comms_free. */
int hyb_comms_init(struct hyb_comms *c, uint32_t ranks, uint32_t world);
/* The MPI_COMM_WORLD of one more job, whose ranks begin at place `base`. 0 or -ENOMEM. */
int hyb_comms_add_world(struct hyb_comms *c, const uint64_t key[2], uint32_t base, uint32_t ranks);
void hyb_comms_free(struct hyb_comms *c);
/* Adds what the process with that world rank says of its communicators. 0 or -ENOMEM. */
int hyb_comms_add(struct hyb_comms *c, uint32_t world_rank, const struct hyb_defs *defs);
/* After the last hyb_comms_add: finds the members of each. 0 or -ENOMEM. */
int hyb_comms_resolve(struct hyb_comms *c);
#define HYB_SHAPE_DIMS 255u /* as OTF2 counts them */
/* The shape that a process says one has, where it is Cartesian and fits. 0 or -ENOMEM. */
int hyb_comms_add_shape(struct hyb_gcomm *g, const struct hyb_topology *t);
/* The index of the group with these members, which are copied; HYB_COMM_NONE without memory. */
uint32_t hyb_comms_intern(struct hyb_comms *c, const uint32_t *members, uint32_t count);
/* The same, or HYB_COMM_NONE if there is none yet. */
uint32_t hyb_comms_group_of(const struct hyb_comms *c, const uint32_t *members, uint32_t count);
/* The index of the communicator that a process described so, or HYB_COMM_NONE. */
uint32_t hyb_comms_find(const struct hyb_comms *c, const struct hyb_def_comm *def);

#endif
