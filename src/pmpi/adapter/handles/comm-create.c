/* SPDX-License-Identifier: BSD-3-Clause */
/* How communicators become known; see comm-create.h. */
#include "pmpi/adapter/handles/comm-create.h"

#include "pmpi/adapter/handles/comm-key.h"
#include "pmpi/adapter/handles/topology.h"
#include "core/record/definitions.h"

void hyb_comm_got_topology(MPI_Comm made)
{
	const struct hyb_comm *c = made == MPI_COMM_NULL ? NULL : hyb_comm_find(made);

	if (c && c->kind == HYB_COMM_INTRA)
		hyb_topology_define(c->id, c->rank, made);
}

static void define_world(struct hyb_comm *c)
{
	hyb_comm_fill(c, MPI_COMM_WORLD);
	c->kind = HYB_COMM_WORLD;
	c->first = 0;
	hyb_comm_key_start(c->key, HYB_BY_WORLD);
	hyb_comm_define(c, MPI_COMM_WORLD, NULL, false);
	hyb_def_comm_name(c->id, "MPI_COMM_WORLD");
}

static void define_self(struct hyb_comm *c)
{
	hyb_comm_fill(c, MPI_COMM_SELF);
	c->kind = HYB_COMM_SELF;
	hyb_comm_key_start(c->key, HYB_BY_SELF);
	hyb_key_add(c->key, c->first);
	hyb_comm_define(c, MPI_COMM_SELF, NULL, false);
	hyb_def_comm_name(c->id, "MPI_COMM_SELF");
}

/* A handle nobody told us of: made in a language or by a library whose calls do not come here. */
static void define_unseen(struct hyb_comm *c, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int length = 0;

	hyb_comm_fill(c, comm);
	hyb_comm_key_start(c->key, HYB_BY_UNSEEN);
	hyb_comm_key_all_members(c->key, c, comm);
	hyb_key_add(c->key, hyb_comm_key_count(c->key));
	hyb_comm_define(c, comm, NULL, false);
	PMPI_Comm_get_name(comm, name, &length);
	if (name[0])
		hyb_def_comm_name(c->id, name);
	hyb_comm_got_topology(comm);
}

struct hyb_comm *hyb_comm_discover(MPI_Comm comm)
{
	struct hyb_comm *c = &hyb_comm_world;

	if (comm != MPI_COMM_WORLD)
		c = (struct hyb_comm *)hyb_trie_add(&hyb_comms, HYB_HANDLE(comm), sizeof(*c));
	if (!c || !hyb_state_claim(&c->state))
		return c;
	if (comm == MPI_COMM_WORLD)
		define_world(c);
	else if (comm == MPI_COMM_SELF)
		define_self(c);
	else
		define_unseen(c, comm);
	return c;
}

void hyb_comm_start(void)
{
	hyb_def_mpi(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL);
	hyb_comm_get(MPI_COMM_WORLD);
	hyb_comm_get(MPI_COMM_SELF);
}

void hyb_comm_stop(void)
{
	__atomic_store_n(&hyb_comm_world.state, HYB_STATE_FREE, __ATOMIC_RELEASE);
}

struct hyb_comm *hyb_comm_child_key(MPI_Comm comm, uint64_t key[2], uint32_t *number)
{
	struct hyb_comm *c = hyb_comm_get(comm);

	if (!c)
		return NULL;
	*number = (uint32_t)__atomic_add_fetch(&c->made, 1, __ATOMIC_RELAXED);
	hyb_comm_key_start(key, HYB_BY_WINDOW);
	hyb_key_add_key(key, c->key);
	hyb_key_add(key, *number);
	return c;
}

struct hyb_comm *hyb_comm_claim_child(MPI_Comm parent, MPI_Comm made, struct hyb_comm **from, uint64_t *number)
{
	*from = hyb_comm_get(parent);
	if (!*from)
		return NULL;
	*number = __atomic_add_fetch(&(*from)->made, 1, __ATOMIC_RELAXED);
	return hyb_comm_claim(made);
}

void hyb_comm_created(MPI_Comm parent, MPI_Comm made)
{
	struct hyb_comm *from;
	uint64_t number;
	struct hyb_comm *c = hyb_comm_claim_child(parent, made, &from, &number);

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_begin(c, HYB_BY_PARENT, from, number);
	if (from->distant) {
		hyb_comm_key_first_in_parent(c->step, from, parent, c, made);
		hyb_comm_key_end_step(c, from);
	} else {
		hyb_comm_key_first(c->key, c);
	}
	hyb_comm_define(c, made, from, false);
}

/* Everything is the parent's, so that MPI need not be asked: the new one may not be ready yet. */
void hyb_comm_duplicated(MPI_Comm parent, MPI_Comm made)
{
	struct hyb_comm *from;
	uint64_t number;
	struct hyb_comm *c = hyb_comm_claim_child(parent, made, &from, &number);

	if (!c)
		return;
	c->kind = from->kind == HYB_COMM_INTER ? HYB_COMM_INTER : HYB_COMM_INTRA;
	c->peers = from->peers;
	c->rank = from->rank;
	c->size = from->size;
	c->remote_size = from->remote_size;
	c->first = from->first;
	c->remote_first = from->remote_first;
	c->made = 0;
	c->distant = HYB_COMM_NEAR;
	c->step[0] = 0;
	c->step[1] = 0;
	hyb_comm_key_begin(c, HYB_BY_PARENT, from, number);
	if (from->distant)
		hyb_comm_key_end_step(c, from);
	else
		hyb_comm_key_first(c->key, c);
	hyb_comm_define(c, made, from, true);
}

/* The place of a handle, filled in with what MPI says. */
static struct hyb_comm *claim_filled(MPI_Comm made)
{
	struct hyb_comm *c = hyb_comm_claim(made);

	if (c)
		hyb_comm_fill(c, made);
	return c;
}

void hyb_comm_define_counted(struct hyb_comm *c, MPI_Comm made, const struct hyb_comm *parent,
			     const uint64_t key[2])
{
	c->key[0] = key[0];
	c->key[1] = key[1];
	hyb_key_add(c->key, hyb_comm_key_count(key));
	hyb_comm_define(c, made, parent, false);
}

static void define_in_distant(struct hyb_comm *c, MPI_Comm parent, const struct hyb_comm *from,
			      MPI_Group group, int tag, MPI_Comm made)
{
	hyb_comm_key_start(c->step, HYB_BY_TAG);
	hyb_key_add(c->step, (uint64_t)tag);
	hyb_comm_key_members_in(c->step, group, parent);
	hyb_key_of_step(c->key, from->key, c->step);
	hyb_key_add(c->step, hyb_comm_key_count(c->key));
	hyb_comm_key_end_step(c, from);
	hyb_comm_define(c, made, from, false);
}

void hyb_comm_created_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm made)
{
	struct hyb_comm *from = hyb_comm_get(parent);
	struct hyb_comm *c = claim_filled(made);
	uint64_t key[2];

	if (!c)
		return;
	if (from && from->distant) {
		define_in_distant(c, parent, from, group, tag, made);
		return;
	}
	hyb_comm_key_start(key, HYB_BY_TAG);
	if (from)
		hyb_key_add_key(key, from->key);
	hyb_key_add(key, (uint64_t)tag);
	hyb_comm_key_members(key, group);
	hyb_comm_define_counted(c, made, from, key);
}

void hyb_comm_created_from_group(MPI_Group group, const char *tag, MPI_Comm made)
{
	struct hyb_comm *c = claim_filled(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_key_start(key, HYB_BY_STRING);
	hyb_key_add_string(key, tag);
	hyb_comm_key_members(key, group);
	hyb_comm_define_counted(c, made, NULL, key);
}

void hyb_comm_created_from_groups(const char *tag, MPI_Comm made)
{
	struct hyb_comm *c = claim_filled(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_key_start(key, HYB_BY_STRING);
	hyb_key_add_string(key, tag);
	hyb_comm_key_all_members(key, c, made);
	hyb_comm_define_counted(c, made, NULL, key);
}

void hyb_comm_named(MPI_Comm comm, const char *name)
{
	struct hyb_comm *c = hyb_comm_get(comm);

	if (c)
		hyb_def_comm_name(c->id, name);
}
