/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The identity of communicators. All members of one give it the same 128-bit key without a message: it is made of the
 * parent's key, of how many communicators the parent's members have made from it together (which each of them counts,
 * also where it gets MPI_COMM_NULL), and of the world rank of member 0, which tells apart what one call made for
 * several groups. An intercommunicator's key takes in both sides in an order that does not depend on the side. Where
 * there is no parent that counts (MPI_Comm_create_group, MPI_Intercomm_create, a handle that was made without our
 * knowing), the key is made of all members and of how often this process has seen the same members before.
 *
 * Processes of another job know nothing of our ranks. What is made of a communicator with such members (a distant one)
 * is told apart by ranks in that communicator, and its key is a step from the parent's key, so that the merge can do
 * what we cannot; see comm-meeting.h. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_KEY_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_KEY_H

#include "format/key.h"
#include "pmpi/adapter/handles/comm.h"

/* The first word of a key: what it is made of. */
enum hyb_made_by {
	HYB_BY_WORLD = 1, HYB_BY_SELF, HYB_BY_PARENT, HYB_BY_MEETING, HYB_BY_GROUP, HYB_BY_TAG, HYB_BY_PAIR,
	HYB_BY_STRING, HYB_BY_UNSEEN, HYB_BY_WINDOW, HYB_BY_PORT, HYB_BY_SOCKET,
};

static inline void hyb_comm_key_start(uint64_t key[2], enum hyb_made_by by)
{
	key[0] = 0;
	key[1] = 0;
	hyb_key_add(key, by);
}

/* How often this process has come by here with the same key, this time included. */
uint64_t hyb_comm_key_count(const uint64_t key[2]);
/* Takes in the members of a group by their world ranks. True where all of them are of this job. */
bool hyb_comm_key_members(uint64_t key[2], MPI_Group group);
/* The same by their ranks in a communicator that may have members of other jobs. */
void hyb_comm_key_members_in(uint64_t key[2], MPI_Group group, MPI_Comm parent);
/*
 * All members, the same on both sides. True where all are of this job, so that each of them finds the same; each must
 * be asked, since a group may begin with members of one job and go on with another's.
 */
bool hyb_comm_key_all_members(uint64_t key[2], const struct hyb_comm *c, MPI_Comm comm);
/* Takes in who is member 0, or of an intercommunicator the members 0 of both sides. */
void hyb_comm_key_first(uint64_t key[2], const struct hyb_comm *c);
/* The same by their ranks in the parent, which is distant. */
void hyb_comm_key_first_in_parent(uint64_t key[2], const struct hyb_comm *from, MPI_Comm parent,
				  const struct hyb_comm *c, MPI_Comm made);
/*
 * Begins the key of the next that all members of the parent make together; both sides of it count alike. Of a distant
 * parent's it is the step that is begun, and hyb_comm_key_end_step ends it.
 */
void hyb_comm_key_begin(struct hyb_comm *c, enum hyb_made_by by, const struct hyb_comm *from, uint64_t number);
/* The step is whole: the key, and what is distant. */
void hyb_comm_key_end_step(struct hyb_comm *c, const struct hyb_comm *from);

#endif
