/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How communicators are made known, for comm.c and comm-meeting.c: claim the handle's place, fill it in with what MPI
 * says, give it a key, define it.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_CREATE_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_CREATE_H

#include "format/key.h"
#include "pmpi/adapter/handles/comm.h"

/* The first word of a key: what it is made of. */
enum hyb_made_by {
	HYB_BY_WORLD = 1, HYB_BY_SELF, HYB_BY_PARENT, HYB_BY_MEETING, HYB_BY_GROUP, HYB_BY_TAG, HYB_BY_PAIR,
	HYB_BY_STRING, HYB_BY_CHANCE, HYB_BY_WINDOW, HYB_BY_PORT, HYB_BY_SOCKET,
};

static inline void hyb_comm_key_start(uint64_t key[2], enum hyb_made_by by)
{
	key[0] = 0;
	key[1] = 0;
	hyb_key_add(key, by);
}

/* The place of a handle, now ours to fill in; NULL where there is nothing to make known. */
struct hyb_comm *hyb_comm_claim(MPI_Comm comm);
/* The same for one that all members of `parent` made together: also who that is, and which of them it is. */
struct hyb_comm *hyb_comm_claim_child(MPI_Comm parent, MPI_Comm made, struct hyb_comm **from, uint64_t *number);
/* What MPI says of a valid handle; no key, and nothing that is distant. */
void hyb_comm_fill(struct hyb_comm *c, MPI_Comm comm);
/*
 * Writes the definition of what is filled in and has its key, and makes it known. One without a
 * parent names itself as its parent.
 */
void hyb_comm_define(struct hyb_comm *c, MPI_Comm comm, const struct hyb_comm *parent,
		     bool same_members);

/* How often this process has come by here with the same key, this time included. */
uint64_t hyb_comm_uses(const uint64_t key[2]);
/*
 * All members, the same on both sides. True where all are of this job, so that each of them finds the same; each must
 * be asked, since a group may begin with members of one job and go on with another's.
 */
bool hyb_comm_key_all_members(uint64_t key[2], const struct hyb_comm *c, MPI_Comm comm);
/* Begins the key of what is made from a parent, or its step where the parent is distant. */
void hyb_comm_begin_key(struct hyb_comm *c, enum hyb_made_by by, const struct hyb_comm *from,
			uint64_t number);
/* The step is whole: the key, and what is distant. */
void hyb_comm_step(struct hyb_comm *c, const struct hyb_comm *from);

/* comm-meeting.c: MPI_Intercomm_create has made one with members that are not of this job. */
void hyb_comm_paired(struct hyb_comm *c, MPI_Comm local, int leader, int tag, MPI_Comm made);

#endif
