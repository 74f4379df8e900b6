/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of communicators; see comm.h. */
#include "pmpi/adapter/handles/comm.h"

#include "pmpi/adapter/handles/session.h"
#include "core/record/definitions.h"

#define PIECE HYB_COMM_PIECE /* members translated at a time; they fit into one definition */

struct hyb_comm hyb_comm_world;
struct hyb_trie hyb_comms;

void hyb_comm_world_ranks(MPI_Group group, int first, int n, uint32_t *world)
{
	int ranks[PIECE];
	int translated[PIECE];
	MPI_Group all;
	void *session = NULL;
	bool known;
	int i;

	for (i = 0; i < n; i++) {
		ranks[i] = first + i;
		translated[i] = MPI_UNDEFINED;
	}
	known = hyb_comm_find(MPI_COMM_WORLD) &&
		PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS;
	/* A program may use sessions only; all of them know the same processes. */
	if (!known)
		known = hyb_session_use_world(&all, &session);
	if (known) {
		PMPI_Group_translate_ranks(group, n, ranks, all, translated);
		PMPI_Group_free(&all);
		hyb_session_release(session);
	}
	for (i = 0; i < n; i++)
		world[i] = translated[i] < 0 ? HYB_NO_RANK : (uint32_t)translated[i];
}

void hyb_comm_groups(const struct hyb_comm *c, MPI_Comm comm, MPI_Group *local, MPI_Group *remote)
{
	PMPI_Comm_group(comm, local);
	*remote = MPI_GROUP_NULL;
	if (c->kind == HYB_COMM_INTER)
		PMPI_Comm_remote_group(comm, remote);
}

void hyb_comm_free_groups(MPI_Group *local, MPI_Group *remote)
{
	PMPI_Group_free(local);
	if (*remote != MPI_GROUP_NULL)
		PMPI_Group_free(remote);
}

void hyb_comm_fill(struct hyb_comm *c, MPI_Comm comm)
{
	MPI_Group remote;
	MPI_Group local;
	int inter = 0;

	PMPI_Comm_test_inter(comm, &inter);
	PMPI_Comm_rank(comm, &c->rank);
	PMPI_Comm_size(comm, &c->size);
	c->remote_size = 0;
	if (inter)
		PMPI_Comm_remote_size(comm, &c->remote_size);
	c->kind = inter ? HYB_COMM_INTER : HYB_COMM_INTRA;
	c->peers = (uint32_t)(inter ? c->remote_size : c->size);
	c->made = 0;
	c->distant = HYB_COMM_NEAR;
	c->step[0] = 0;
	c->step[1] = 0;
	hyb_comm_groups(c, comm, &local, &remote);
	c->first = HYB_NO_RANK;
	c->remote_first = HYB_NO_RANK;
	if (c->size > 0)
		hyb_comm_world_ranks(local, 0, 1, &c->first);
	if (c->remote_size > 0)
		hyb_comm_world_ranks(remote, 0, 1, &c->remote_first);
	hyb_comm_free_groups(&local, &remote);
}

static void define_members(const struct hyb_comm *c, MPI_Group group, int size, int remote)
{
	uint32_t world[PIECE];
	int first;
	int n;

	for (first = 0; first < size; first += n) {
		n = size - first < PIECE ? size - first : PIECE;
		hyb_comm_world_ranks(group, first, n, world);
		hyb_def_members(c->id, remote, (uint32_t)first, (uint32_t)n, world);
	}
}

void hyb_comm_define(struct hyb_comm *c, MPI_Comm comm, const struct hyb_comm *parent,
		     bool same_members)
{
	struct hyb_def_comm def = {
		.key = { c->key[0], c->key[1] },
		.kind = c->kind,
		.rank = (uint32_t)c->rank,
		.size = (uint32_t)c->size,
		.remote_size = (uint32_t)c->remote_size,
		.same_members = same_members,
		.step = { c->step[0], c->step[1] },
		.handle = HYB_HANDLE(comm),
	};
	MPI_Group remote;
	MPI_Group local;

	c->id = hyb_def_comm_id();
	def.parent = parent ? parent->id : c->id;
	hyb_def_comm(c->id, &def);
	if (c->rank == 0 && !same_members && c->kind >= HYB_COMM_INTRA) {
		hyb_comm_groups(c, comm, &local, &remote);
		define_members(c, local, c->size, 0);
		define_members(c, remote, c->remote_size, 1);
		hyb_comm_free_groups(&local, &remote);
	}
	/* Release: pairs with hyb_comm_find. */
	__atomic_store_n(&c->state, HYB_STATE_LIVE, __ATOMIC_RELEASE);
}

/* What was known of the handle is of an earlier object. */
struct hyb_comm *hyb_comm_claim(MPI_Comm comm)
{
	struct hyb_comm *c;

	if (comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
		return NULL;
	c = (struct hyb_comm *)hyb_trie_add(&hyb_comms, HYB_HANDLE(comm), sizeof(*c));
	/* Acquire: pairs with hyb_comm_freeing of the thread that had the handle before. */
	if (c)
		__atomic_exchange_n(&c->state, HYB_STATE_MAKING, __ATOMIC_ACQUIRE);
	return c;
}

void hyb_comm_freeing(const MPI_Comm *comm)
{
	struct hyb_comm *c = comm ? hyb_comm_find(*comm) : NULL;

	if (c && c->kind != HYB_COMM_WORLD && c->kind != HYB_COMM_SELF)
		__atomic_store_n(&c->state, HYB_STATE_FREE, __ATOMIC_RELEASE);
}

void hyb_comm_free_failed(struct hyb_comm *known, const MPI_Comm *comm)
{
	if (known && known->node.key == HYB_HANDLE(*comm))
		hyb_state_restore(&known->state);
}
