/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of communicators; see comm-key.h. */
#include "pmpi/adapter/handles/comm-key.h"

#define PIECE HYB_COMM_PIECE

struct count {
	struct hyb_node node;	/* key: of what is counted */
	uint64_t count;
};

static struct hyb_trie counts;

uint64_t hyb_comm_key_count(const uint64_t key[2])
{
	struct count *c = (struct count *)hyb_trie_add(&counts, key[0] ^ key[1], sizeof(*c));

	return c ? __atomic_add_fetch(&c->count, 1, __ATOMIC_RELAXED) : 0;
}

bool hyb_comm_key_members(uint64_t key[2], MPI_Group group)
{
	uint32_t world[PIECE];
	bool near = true;
	int size = 0;
	int first;
	int i;
	int n;

	PMPI_Group_size(group, &size);
	hyb_key_add(key, (uint64_t)size);
	for (first = 0; first < size; first += n) {
		n = size - first < PIECE ? size - first : PIECE;
		hyb_comm_world_ranks(group, first, n, world);
		for (i = 0; i < n; i++) {
			hyb_key_add(key, world[i]);
			near = near && world[i] != HYB_NO_RANK;
		}
	}
	return near;
}

void hyb_comm_key_members_in(uint64_t key[2], MPI_Group group, MPI_Comm parent)
{
	MPI_Group all;
	int size = 0;
	int rank;
	int i;

	PMPI_Comm_group(parent, &all);
	PMPI_Group_size(group, &size);
	hyb_key_add(key, (uint64_t)size);
	for (i = 0; i < size; i++) {
		rank = MPI_UNDEFINED;
		PMPI_Group_translate_ranks(group, 1, &i, all, &rank);
		hyb_key_add(key, (uint64_t)rank);
	}
	PMPI_Group_free(&all);
}

bool hyb_comm_key_all_members(uint64_t key[2], const struct hyb_comm *c, MPI_Comm comm)
{
	bool near;
	uint64_t local_key[2];
	uint64_t remote_key[2];
	MPI_Group remote;
	MPI_Group local;

	hyb_comm_groups(c, comm, &local, &remote);
	hyb_comm_key_start(local_key, HYB_BY_GROUP);
	near = hyb_comm_key_members(local_key, local);
	hyb_comm_key_start(remote_key, HYB_BY_GROUP);
	if (remote != MPI_GROUP_NULL)
		near = hyb_comm_key_members(remote_key, remote) && near;
	hyb_key_add_pair(key, local_key, remote_key);
	hyb_comm_free_groups(&local, &remote);
	return near;
}

/* The rank in `group` of member 0 of another group. */
static uint32_t first_rank_in(MPI_Group group, MPI_Group other)
{
	const int zero = 0;
	int rank = MPI_UNDEFINED;
	int size = 0;

	PMPI_Group_size(other, &size);
	if (size > 0)
		PMPI_Group_translate_ranks(other, 1, &zero, group, &rank);
	return rank < 0 ? HYB_NO_RANK : (uint32_t)rank;
}

void hyb_comm_key_first_in_parent(uint64_t key[2], const struct hyb_comm *from, MPI_Comm parent,
				  const struct hyb_comm *c, MPI_Comm made)
{
	MPI_Group parent_remote;
	MPI_Group parent_local;
	MPI_Group remote;
	MPI_Group local;
	uint32_t first[2];
	int mine = from->distant == HYB_COMM_SECOND_SIDE;

	/* One call makes one intracommunicator of an intercommunicator. */
	if (c->kind != from->kind)
		return;
	hyb_comm_groups(from, parent, &parent_local, &parent_remote);
	hyb_comm_groups(c, made, &local, &remote);
	first[mine] = first_rank_in(parent_local, local);
	first[!mine] = c->kind == HYB_COMM_INTER ? first_rank_in(parent_remote, remote) : 0;
	hyb_key_add(key, first[0]);
	hyb_key_add(key, first[1]);
	hyb_comm_free_groups(&local, &remote);
	hyb_comm_free_groups(&parent_local, &parent_remote);
}

void hyb_comm_key_first(uint64_t key[2], const struct hyb_comm *c)
{
	bool swap = c->remote_first < c->first;

	hyb_key_add(key, swap ? c->remote_first : c->first);
	hyb_key_add(key, swap ? c->first : c->remote_first);
}

void hyb_comm_key_begin(struct hyb_comm *c, enum hyb_made_by by, const struct hyb_comm *from,
			uint64_t number)
{
	hyb_comm_key_start(from->distant ? c->step : c->key, by);
	if (!from->distant)
		hyb_key_add_key(c->key, from->key);
	hyb_key_add(from->distant ? c->step : c->key, number);
}

void hyb_comm_key_end_step(struct hyb_comm *c, const struct hyb_comm *from)
{
	hyb_key_of_step(c->key, from->key, c->step);
	c->distant = from->kind == HYB_COMM_INTER && c->kind == HYB_COMM_INTER ? from->distant :
										 HYB_COMM_MIXED;
}
