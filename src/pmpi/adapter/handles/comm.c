/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators and their identity. All members of a communicator give it the same 128-bit key
 * without a message: it is made of the parent's key, of how many communicators the parent's members
 * have made from it together (which each of them counts, also where it gets MPI_COMM_NULL), and of
 * the world rank of member 0, which tells apart what one call made for several groups. An
 * intercommunicator's key takes in both sides in an order that does not depend on the side. Where
 * there is no parent that counts (MPI_Comm_create_group, MPI_Intercomm_create, a handle that was
 * made behind our back), the key is made of all members and of how often this process has seen the
 * same members before.
 *
 * Processes of another job know nothing of our ranks. What is made of a communicator with such
 * members is told apart by ranks in that communicator, and its key is a step from the parent's key,
 * so that the merge can do what we cannot; see comm-meeting.c.
 */
#include "pmpi/adapter/handles/comm.h"

#include <sched.h>

#include "format/key.h"
#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/session.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/requests/status.h"
#include "record/definitions.h"

#define PIECE HYB_COMM_PIECE /* members translated at a time; they fit into one definition */

struct count {
	struct hyb_node node;	/* key: of what is counted */
	uint64_t count;
};

struct hyb_comm hyb_comm_world;
struct hyb_trie hyb_comms;
static struct hyb_trie counts;

/* How often this process has come by here with the same key, this time included. */
uint64_t hyb_comm_uses(const uint64_t key[2])
{
	struct count *c = (struct count *)hyb_trie_add(&counts, key[0] ^ key[1], sizeof(*c));

	return c ? __atomic_add_fetch(&c->count, 1, __ATOMIC_RELAXED) : 0;
}

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
		known = hyb_session_world(&all, &session);
	if (known) {
		PMPI_Group_translate_ranks(group, n, ranks, all, translated);
		PMPI_Group_free(&all);
		hyb_session_done(session);
	}
	for (i = 0; i < n; i++)
		world[i] = translated[i] < 0 ? HYB_NO_RANK : (uint32_t)translated[i];
}

/* True where all of them are of this job. */
static bool key_members(uint64_t key[2], MPI_Group group)
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

/* The groups on both sides; the remote one is MPI_GROUP_NULL where there is none. */
static void get_groups(const struct hyb_comm *c, MPI_Comm comm, MPI_Group *local, MPI_Group *remote)
{
	PMPI_Comm_group(comm, local);
	*remote = MPI_GROUP_NULL;
	if (c->kind == HYB_COMM_INTER)
		PMPI_Comm_remote_group(comm, remote);
}

static void free_groups(MPI_Group *local, MPI_Group *remote)
{
	PMPI_Group_free(local);
	if (*remote != MPI_GROUP_NULL)
		PMPI_Group_free(remote);
}

bool hyb_comm_key_all_members(uint64_t key[2], const struct hyb_comm *c, MPI_Comm comm)
{
	bool near;
	uint64_t local_key[2];
	uint64_t remote_key[2];
	MPI_Group remote;
	MPI_Group local;

	get_groups(c, comm, &local, &remote);
	hyb_comm_key_start(local_key, HYB_BY_GROUP);
	near = key_members(local_key, local);
	hyb_comm_key_start(remote_key, HYB_BY_GROUP);
	if (remote != MPI_GROUP_NULL)
		near = key_members(remote_key, remote) && near;
	hyb_key_add_pair(key, local_key, remote_key);
	free_groups(&local, &remote);
	return near;
}

/* What MPI says of a valid handle. */
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
	get_groups(c, comm, &local, &remote);
	c->first = HYB_NO_RANK;
	c->remote_first = HYB_NO_RANK;
	if (c->size > 0)
		hyb_comm_world_ranks(local, 0, 1, &c->first);
	if (c->remote_size > 0)
		hyb_comm_world_ranks(remote, 0, 1, &c->remote_first);
	free_groups(&local, &remote);
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

/*
 * Writes the definition of what is filled in and has its key, and makes it known. One without a
 * parent names itself as its parent.
 */
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
	};
	MPI_Group remote;
	MPI_Group local;

	c->id = hyb_def_comm_id();
	def.parent = parent ? parent->id : c->id;
	hyb_def_comm(c->id, &def);
	if (c->rank == 0 && !same_members && c->kind >= HYB_COMM_INTRA) {
		get_groups(c, comm, &local, &remote);
		define_members(c, local, c->size, 0);
		define_members(c, remote, c->remote_size, 1);
		free_groups(&local, &remote);
	}
	/* Release: pairs with hyb_comm_find. */
	__atomic_store_n(&c->state, HYB_COMM_LIVE, __ATOMIC_RELEASE);
}

/* The place of a handle, now ours to fill in; what was known of it is of an earlier object. */
struct hyb_comm *hyb_comm_claim(MPI_Comm comm)
{
	struct hyb_comm *c;

	if (comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
		return NULL;
	c = (struct hyb_comm *)hyb_trie_add(&hyb_comms, HYB_HANDLE(comm), sizeof(*c));
	/* Acquire: pairs with hyb_comm_freed of the thread that had the handle before. */
	if (c)
		__atomic_exchange_n(&c->state, HYB_COMM_MAKING, __ATOMIC_ACQUIRE);
	return c;
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

/* A handle nobody told us of: made in a language or by a library that passed us by. */
static void define_stranger(struct hyb_comm *c, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME] = "";
	int length = 0;

	hyb_comm_fill(c, comm);
	hyb_comm_key_start(c->key, HYB_BY_CHANCE);
	hyb_comm_key_all_members(c->key, c, comm);
	hyb_key_add(c->key, hyb_comm_uses(c->key));
	hyb_comm_define(c, comm, NULL, false);
	PMPI_Comm_get_name(comm, name, &length);
	if (name[0])
		hyb_def_comm_name(c->id, name);
	hyb_topology_made(comm);
}

struct hyb_comm *hyb_comm_meet(MPI_Comm comm)
{
	uint32_t state = HYB_COMM_FREE;
	struct hyb_comm *c = &hyb_comm_world;

	if (comm != MPI_COMM_WORLD)
		c = (struct hyb_comm *)hyb_trie_add(&hyb_comms, HYB_HANDLE(comm), sizeof(*c));
	if (!c)
		return NULL;
	while (!__atomic_compare_exchange_n(&c->state, &state, HYB_COMM_MAKING, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_ACQUIRE)) {
		if (state == HYB_COMM_LIVE)
			return c;
		/* Another thread meets the same stranger; it waits for nobody. */
		sched_yield();
		state = HYB_COMM_FREE;
	}
	if (comm == MPI_COMM_WORLD)
		define_world(c);
	else if (comm == MPI_COMM_SELF)
		define_self(c);
	else
		define_stranger(c, comm);
	return c;
}

void hyb_comm_start(void)
{
	hyb_comm_get(MPI_COMM_WORLD);
	hyb_comm_get(MPI_COMM_SELF);
	hyb_type_start();
	hyb_status_start();
}

void hyb_comm_stop(void)
{
	__atomic_store_n(&hyb_comm_world.state, HYB_COMM_FREE, __ATOMIC_RELEASE);
}

struct hyb_comm *hyb_comm_next(MPI_Comm comm, uint64_t key[2], uint32_t *number)
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

struct hyb_comm *hyb_comm_next_key(MPI_Comm comm, uint64_t key[2])
{
	uint32_t number;

	return hyb_comm_next(comm, key, &number);
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

/*
 * Which of several made in one call this is: its member 0, or the members 0 of both its sides, by their ranks in the
 * parent.
 */
static void key_first_in_parent(uint64_t key[2], const struct hyb_comm *from, MPI_Comm parent,
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
	get_groups(from, parent, &parent_local, &parent_remote);
	get_groups(c, made, &local, &remote);
	first[mine] = first_rank_in(parent_local, local);
	first[!mine] = c->kind == HYB_COMM_INTER ? first_rank_in(parent_remote, remote) : 0;
	hyb_key_add(key, first[0]);
	hyb_key_add(key, first[1]);
	free_groups(&local, &remote);
	free_groups(&parent_local, &parent_remote);
}

/* Takes in who is member 0, or of an intercommunicator the members 0 of both sides. */
static void key_first(uint64_t key[2], const struct hyb_comm *c)
{
	bool swap = c->remote_first < c->first;

	hyb_key_add(key, swap ? c->remote_first : c->first);
	hyb_key_add(key, swap ? c->first : c->remote_first);
}

/*
 * Begins the key of the next that all members of the parent make together; both sides of it count alike. Of a distant
 * parent's it is the step that is begun, and hyb_comm_step ends it.
 */
void hyb_comm_begin_key(struct hyb_comm *c, enum hyb_made_by by, const struct hyb_comm *from,
			uint64_t number)
{
	hyb_comm_key_start(from->distant ? c->step : c->key, by);
	if (!from->distant)
		hyb_key_add_key(c->key, from->key);
	hyb_key_add(from->distant ? c->step : c->key, number);
}

void hyb_comm_step(struct hyb_comm *c, const struct hyb_comm *from)
{
	hyb_key_of_step(c->key, from->key, c->step);
	c->distant = from->kind == HYB_COMM_INTER && c->kind == HYB_COMM_INTER ? from->distant :
										 HYB_COMM_MIXED;
}

struct hyb_comm *hyb_comm_claim_child(MPI_Comm parent, MPI_Comm made, struct hyb_comm **from, uint64_t *number)
{
	*from = hyb_comm_get(parent);
	if (!*from)
		return NULL;
	*number = __atomic_add_fetch(&(*from)->made, 1, __ATOMIC_RELAXED);
	return hyb_comm_claim(made);
}

void hyb_comm_made(MPI_Comm parent, MPI_Comm made)
{
	struct hyb_comm *from;
	uint64_t number;
	struct hyb_comm *c = hyb_comm_claim_child(parent, made, &from, &number);

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_begin_key(c, HYB_BY_PARENT, from, number);
	if (from->distant) {
		key_first_in_parent(c->step, from, parent, c, made);
		hyb_comm_step(c, from);
	} else {
		key_first(c->key, c);
	}
	hyb_comm_define(c, made, from, false);
}

void hyb_comm_dup(MPI_Comm parent, MPI_Comm made)
{
	hyb_comm_idup(parent, made);
}

/* Everything is the parent's, so that MPI need not be asked: the new one may not be ready yet. */
void hyb_comm_idup(MPI_Comm parent, MPI_Comm made)
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
	hyb_comm_begin_key(c, HYB_BY_PARENT, from, number);
	if (from->distant)
		hyb_comm_step(c, from);
	else
		key_first(c->key, c);
	hyb_comm_define(c, made, from, true);
}

/* Defines one whose key has been made of its members and a tag, all but how often that was used. */
static void define_counted(struct hyb_comm *c, MPI_Comm made, const struct hyb_comm *parent,
			   const uint64_t key[2])
{
	c->key[0] = key[0];
	c->key[1] = key[1];
	hyb_key_add(c->key, hyb_comm_uses(key));
	hyb_comm_define(c, made, parent, false);
}

/* As key_members, by the ranks in a communicator that may have members of other jobs. */
static void key_members_in(uint64_t key[2], MPI_Group group, MPI_Comm parent)
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

static void made_in_distant(struct hyb_comm *c, MPI_Comm parent, const struct hyb_comm *from,
			    MPI_Group group, int tag, MPI_Comm made)
{
	hyb_comm_key_start(c->step, HYB_BY_TAG);
	hyb_key_add(c->step, (uint64_t)tag);
	key_members_in(c->step, group, parent);
	hyb_key_of_step(c->key, from->key, c->step);
	hyb_key_add(c->step, hyb_comm_uses(c->key));
	hyb_comm_step(c, from);
	hyb_comm_define(c, made, from, false);
}

void hyb_comm_group_made(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm made)
{
	struct hyb_comm *from = hyb_comm_get(parent);
	struct hyb_comm *c = hyb_comm_claim(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	if (from && from->distant) {
		made_in_distant(c, parent, from, group, tag, made);
		return;
	}
	hyb_comm_key_start(key, HYB_BY_TAG);
	if (from)
		hyb_key_add_key(key, from->key);
	hyb_key_add(key, (uint64_t)tag);
	key_members(key, group);
	define_counted(c, made, from, key);
}

void hyb_comm_from_group(MPI_Group group, const char *tag, MPI_Comm made)
{
	struct hyb_comm *c = hyb_comm_claim(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_start(key, HYB_BY_STRING);
	hyb_key_add_string(key, tag);
	key_members(key, group);
	define_counted(c, made, NULL, key);
}

void hyb_intercomm_made(MPI_Comm local, int leader, int tag, MPI_Comm made)
{
	struct hyb_comm *c = hyb_comm_claim(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_start(key, HYB_BY_PAIR);
	hyb_key_add(key, (uint64_t)tag);
	if (hyb_comm_key_all_members(key, c, made))
		define_counted(c, made, NULL, key);
	else
		hyb_comm_paired(c, local, leader, tag, made);
}

void hyb_intercomm_from_groups(const char *tag, MPI_Comm made)
{
	struct hyb_comm *c = hyb_comm_claim(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_start(key, HYB_BY_STRING);
	hyb_key_add_string(key, tag);
	hyb_comm_key_all_members(key, c, made);
	define_counted(c, made, NULL, key);
}

void hyb_comm_named(MPI_Comm comm, const char *name)
{
	struct hyb_comm *c = hyb_comm_get(comm);

	if (c)
		hyb_def_comm_name(c->id, name);
}

void hyb_comm_freed(const MPI_Comm *comm)
{
	struct hyb_comm *c = comm ? hyb_comm_find(*comm) : NULL;

	if (c && c->kind != HYB_COMM_WORLD && c->kind != HYB_COMM_SELF)
		__atomic_store_n(&c->state, HYB_COMM_FREE, __ATOMIC_RELEASE);
}

void hyb_comm_kept(struct hyb_comm *known, const MPI_Comm *comm)
{
	uint32_t state = HYB_COMM_FREE;

	if (known && known->node.key == HYB_HANDLE(*comm))
		__atomic_compare_exchange_n(&known->state, &state, HYB_COMM_LIVE, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}
