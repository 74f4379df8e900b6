/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of processes; see group.h. */
#include "pmpi/adapter/handles/group.h"

#include "core/sys/trie.h"
#include "pmpi/adapter/handles/comm-key.h"
#include "core/record/definitions.h"

struct group {
	struct hyb_node node;	/* key: of its members */
	uint32_t state;		/* 0: new, 1: being defined or defined */
	uint32_t id1;		/* of its definition + 1 */
};

static struct hyb_trie groups;

static void define(struct group *g, MPI_Group group, int size)
{
	uint32_t world[HYB_COMM_PIECE];
	uint32_t id = hyb_def_group_id();
	int first = 0;
	int n;

	/* One piece at least: to synchronise with nobody is allowed, and is done with a group as well. */
	do {
		n = size - first < HYB_COMM_PIECE ? size - first : HYB_COMM_PIECE;
		hyb_comm_world_ranks(group, first, n, world);
		hyb_def_group(id, (uint32_t)first, (uint32_t)n, world);
		first += n;
	} while (first < size);
	__atomic_store_n(&g->id1, id + 1, __ATOMIC_RELEASE);
}

uint32_t hyb_group_find(MPI_Group group)
{
	uint64_t key[2] = { 0, 0 };
	struct group *g;
	uint32_t fresh = 0;
	int size = 0;

	PMPI_Group_size(group, &size);
	hyb_comm_key_members(key, group);
	g = (struct group *)hyb_trie_add(&groups, key[0] ^ key[1], sizeof(*g));
	if (!g)
		return 0;
	if (__atomic_compare_exchange_n(&g->state, &fresh, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		define(g, group, size);
	return __atomic_load_n(&g->id1, __ATOMIC_ACQUIRE);
}
