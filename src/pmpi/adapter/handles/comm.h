/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: what is known of each, found by its handle. Part of the adapter. Looking up takes
 * no lock and makes no MPI call; making known does, on slow paths, and only with handles that an
 * MPI call has accepted. See comm.c for how a communicator gets the same identity in all its
 * members.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_H

#include <mpi.h>

#include "base/trie.h"
#include "record/record.h"

enum hyb_comm_state {
	HYB_COMM_FREE = 0,	/* its handle is nobody's */
	HYB_COMM_MAKING,	/* a thread is filling it in */
	HYB_COMM_LIVE,
};

struct hyb_comm {
	struct hyb_node node;	/* key: the handle */
	uint32_t state;		/* enum hyb_comm_state; stored with release after the rest */
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

/* What is known of a handle, or NULL. Pairs with the release stores of comm.c. */
static inline struct hyb_comm *hyb_comm_find(MPI_Comm comm)
{
	struct hyb_comm *c = &hyb_comm_world;

	if (comm != MPI_COMM_WORLD)
		c = (struct hyb_comm *)hyb_trie_find(&hyb_comms, HYB_HANDLE(comm));
	if (hyb_unlikely(!c || __atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != HYB_COMM_LIVE))
		return NULL;
	return c;
}

/* Makes a valid handle known that was never seen before; NULL without memory. */
struct hyb_comm *hyb_comm_meet(MPI_Comm comm) HYB_COLD;

/* What is known of a handle that is valid, because a call with it succeeded. */
static inline struct hyb_comm *hyb_comm_get(MPI_Comm comm)
{
	struct hyb_comm *c = hyb_comm_find(comm);

	return hyb_likely(c != NULL) ? c : hyb_comm_meet(comm);
}

/* MPI has started: MPI_COMM_WORLD and MPI_COMM_SELF. */
void hyb_comm_start(void);
/* MPI_Finalize came back: there is no MPI_COMM_WORLD any more, only what sessions have. */
void hyb_comm_stop(void);

/*
 * What the table's lines call after the functions that make communicators. `made` may be
 * MPI_COMM_NULL: this process is not in it, but counts along.
 */
void hyb_comm_made(MPI_Comm parent, MPI_Comm made);
void hyb_comm_dup(MPI_Comm parent, MPI_Comm made);
/*
 * As comm_dup. An MPI may fill in the handle with the call or later: MPI_COMM_NULL stands there before, since what
 * the program left there may by chance be the handle that it gets. A call that failed leaves it as it was.
 */
void hyb_comm_idup(MPI_Comm parent, MPI_Comm made);

static inline void hyb_comm_idup_begin(MPI_Comm *made)
{
	if (made)
		*made = MPI_COMM_NULL;
}

static inline void hyb_comm_idup_failed(MPI_Comm before, MPI_Comm *made)
{
	if (made && *made == MPI_COMM_NULL)
		*made = before;
}

/* What has a topology, or may have: its shape, where it is known. */
void hyb_topology_made(MPI_Comm made);
void hyb_comm_group_made(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm made);
void hyb_comm_from_group(MPI_Group group, const char *tag, MPI_Comm made);
void hyb_intercomm_made(MPI_Comm local, int leader, int tag, MPI_Comm made);
void hyb_intercomm_from_groups(const char *tag, MPI_Comm made);
/*
 * comm-meeting.c: with processes that may share nothing with us but this. `root` is a rank in parent; the port's name
 * is valid there only.
 */
void hyb_comm_spawned(MPI_Comm parent, int root, MPI_Comm made);
void hyb_comm_parent(MPI_Comm parent);
void hyb_comm_accepted(MPI_Comm parent, int root, const char *port, MPI_Comm made);
void hyb_comm_connected(MPI_Comm parent, int root, const char *port, MPI_Comm made);
void hyb_comm_joined(int fd, MPI_Comm made);

/*
 * For what else all members of a valid communicator make together: its key. NULL without memory. What
 * of ours the communicator is, is returned.
 */
struct hyb_comm *hyb_comm_next_key(MPI_Comm comm, uint64_t key[2]);
/* The same, and the number it has among what is made of this communicator, from 1 on. */
struct hyb_comm *hyb_comm_next(MPI_Comm comm, uint64_t key[2], uint32_t *number);
/*
 * World ranks of members first..first+n-1 of a group, at most HYB_COMM_PIECE; HYB_NO_RANK where a process is not
 * in this MPI_COMM_WORLD.
 */
#define HYB_COMM_PIECE 256
void hyb_comm_world_ranks(MPI_Group group, int first, int n, uint32_t *world);

void hyb_comm_named(MPI_Comm comm, const char *name);
/* Before MPI_Comm_free or MPI_Comm_disconnect, after which the handle may at once be another's. */
void hyb_comm_freed(const MPI_Comm *comm);
/* What is known of it before that, and after the call failed: the communicator may still be there. */
static inline struct hyb_comm *hyb_comm_known(const MPI_Comm *comm)
{
	return comm ? hyb_comm_find(*comm) : NULL;
}

void hyb_comm_kept(struct hyb_comm *known, const MPI_Comm *comm);

/* A matched probe: message belongs to comm if *flag, or where flag is NULL. */
void hyb_message_found(MPI_Comm comm, const int *flag, const MPI_Message *message);
/* The id of the communicator that a message came on which is about to be received, plus 1; 0: it is not known. */
uint64_t hyb_message_comm1(const MPI_Message *message);

#endif
