/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: what is known of each, found by its handle. To look one up takes no lock and makes no MPI call. To
 * make one known (comm-create.h) makes some, on slow paths, and only with handles that an MPI call has accepted.
 * comm-key.h says how a communicator gets the same identity in all its members. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_H

#include <mpi.h>

#include "core/sys/trie.h"
#include "pmpi/adapter/handles/state.h"
#include "core/record/record.h"

struct hyb_comm {
	struct hyb_node node;	/* key: the handle */
	uint32_t state;		/* enum hyb_state */
	uint32_t id;		/* of its definition */
	uint32_t kind;		/* enum hyb_comm_kind */
	uint32_t peers;		/* who can be sent to: size, of an intercommunicator remote_size */
	int rank;
	int size;
	int remote_size;
	uint32_t first;		/* world rank of member 0; HYB_NO_RANK: it has none */
	uint32_t remote_first;	/* the same of the remote group */
	uint64_t key[2];
	uint64_t made;		/* communicators made from it by all its members */
	uint32_t distant;	/* enum hyb_comm_distance */
	uint64_t step[2];	/* of one made from a distant one: see struct hyb_def_comm */
};

/* Communicators with processes that have another MPI_COMM_WORLD than ours, of which we know nothing. */
enum hyb_comm_distance {
	HYB_COMM_NEAR = 0,	/* there are none of them in it */
	HYB_COMM_FIRST_SIDE,	/* they are the remote group, and we are the side that counts as the first */
	HYB_COMM_SECOND_SIDE,
	HYB_COMM_MIXED,		/* they are, or may be, members like us */
};

#define HYB_NO_RANK UINT32_MAX

extern struct hyb_comm hyb_comm_world;
extern struct hyb_trie hyb_comms;

/* What is known of a handle, or NULL. Pairs with the release stores of comm.c and state.h. */
static inline struct hyb_comm *hyb_comm_find(MPI_Comm comm)
{
	struct hyb_comm *c = &hyb_comm_world;

	if (comm != MPI_COMM_WORLD)
		c = (struct hyb_comm *)hyb_trie_find(&hyb_comms, HYB_HANDLE(comm));
	if (hyb_unlikely(!c || __atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != HYB_STATE_LIVE))
		return NULL;
	return c;
}

/* The place of a handle, now the caller's to fill in; NULL where there is nothing to make known. */
struct hyb_comm *hyb_comm_claim(MPI_Comm comm);
/* What MPI says of a valid handle; no key, and nothing that is distant. */
void hyb_comm_fill(struct hyb_comm *c, MPI_Comm comm);
/*
 * Writes the definition of what is filled in and has its key, and makes it known. One without a
 * parent names itself as its parent.
 */
void hyb_comm_define(struct hyb_comm *c, MPI_Comm comm, const struct hyb_comm *parent,
		     bool same_members);

/*
 * World ranks of members first..first+n-1 of a group, at most HYB_COMM_PIECE; HYB_NO_RANK where a process is not
 * in this MPI_COMM_WORLD.
 */
#define HYB_COMM_PIECE 256
void hyb_comm_world_ranks(MPI_Group group, int first, int n, uint32_t *world);
/* The groups on both sides; the remote one is MPI_GROUP_NULL where there is none. */
void hyb_comm_groups(const struct hyb_comm *c, MPI_Comm comm, MPI_Group *local, MPI_Group *remote);
void hyb_comm_free_groups(MPI_Group *local, MPI_Group *remote);

/* Before MPI_Comm_free or MPI_Comm_disconnect, after which the handle may at once be another's. */
void hyb_comm_freeing(const MPI_Comm *comm);
/* What is known of it before that, and after the call failed: the communicator may still be there. */
static inline struct hyb_comm *hyb_comm_known(const MPI_Comm *comm)
{
	return comm ? hyb_comm_find(*comm) : NULL;
}

/* One more than its id, 0 where it is not known: what a call does to its handle does not change that. */
static inline uint32_t hyb_comm_met(const MPI_Comm *comm)
{
	const struct hyb_comm *known = hyb_comm_known(comm);

	return known ? known->id + 1 : 0;
}

void hyb_comm_free_failed(struct hyb_comm *known, const MPI_Comm *comm);

#endif
