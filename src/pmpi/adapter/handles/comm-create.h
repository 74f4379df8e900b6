/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How communicators become known: by the call that makes them, or when a call uses one that nobody told us of. Lines of
 * records.tbl call this after the functions that make communicators. `made` may be MPI_COMM_NULL: this process is not a
 * member, but counts all the same. Part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_HANDLES_COMM_CREATE_H
#define HYB_PMPI_ADAPTER_HANDLES_COMM_CREATE_H

#include "pmpi/adapter/handles/comm.h"

/* Makes a valid handle known that was never seen before; NULL without memory. */
struct hyb_comm *hyb_comm_discover(MPI_Comm comm) HYB_COLD;

/* What is known of a handle that is valid, because a call with it succeeded. */
static inline struct hyb_comm *hyb_comm_get(MPI_Comm comm)
{
	struct hyb_comm *c = hyb_comm_find(comm);

	return hyb_likely(c != NULL) ? c : hyb_comm_discover(comm);
}

/* MPI has started: MPI_COMM_WORLD and MPI_COMM_SELF. */
void hyb_comm_start(void);
/* MPI_Finalize came back: there is no MPI_COMM_WORLD any more, only what sessions have. */
void hyb_comm_stop(void);

void hyb_comm_created(MPI_Comm parent, MPI_Comm made);
/* MPI_Comm_create_group; from groups alone, without and with a second side. */
void hyb_comm_created_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm made);
void hyb_comm_created_from_group(MPI_Group group, const char *tag, MPI_Comm made);
void hyb_comm_created_from_groups(const char *tag, MPI_Comm made);
/* It is all that its parent is. */
void hyb_comm_duplicated(MPI_Comm parent, MPI_Comm made);

/*
 * Before MPI_Comm_idup: an MPI may fill in the handle with the call or later. So MPI_COMM_NULL stands there before,
 * since what the program left there may by chance be the handle that it gets. A call that failed leaves it as it was.
 */
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

void hyb_comm_named(MPI_Comm comm, const char *name);
/* What has a topology, or may have: its shape, where it is known. */
void hyb_comm_got_topology(MPI_Comm made);

/*
 * For what else all members of a valid communicator make together: its key, and the number it has among what is made of
 * this communicator, from 1 on. What of ours the communicator is, is returned; NULL without memory.
 */
struct hyb_comm *hyb_comm_child_key(MPI_Comm comm, uint64_t key[2], uint32_t *number);
/*
 * The place of one that all members of `parent` made together, as hyb_comm_claim; also what is known of the parent, and
 * which of its children this is.
 */
struct hyb_comm *hyb_comm_claim_child(MPI_Comm parent, MPI_Comm made, struct hyb_comm **from, uint64_t *number);
/* Defines one whose key has been made of its members and a tag, all but how often that was used. */
void hyb_comm_define_counted(struct hyb_comm *c, MPI_Comm made, const struct hyb_comm *parent,
			     const uint64_t key[2]);

#endif
