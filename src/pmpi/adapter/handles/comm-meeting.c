/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators with processes that have an MPI_COMM_WORLD of their own: spawned ones, those that connect and accept.
 * There is nothing by which both sides could form the same key, and a message of our own would hang where the other
 * side runs without us. So each side has a key for itself and writes down by what the other one will be recognised:
 * the role, who led it, and the port; the merge puts the two together.
 */
#include "pmpi/adapter/handles/comm-meeting.h"

#include <string.h>
#include <sys/socket.h>

#include "core/sys/sys.h"
#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/comm-key.h"
#include "core/record/definitions.h"

/* The world rank of a member of an intracommunicator. */
static uint32_t world_rank_of(MPI_Comm comm, int rank)
{
	uint32_t world = HYB_NO_RANK;
	MPI_Group group;

	if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
		return world;
	hyb_comm_world_ranks(group, rank, 1, &world);
	PMPI_Group_free(&group);
	return world;
}

static void define_meeting(struct hyb_comm *c, MPI_Comm made, const struct hyb_comm *from,
			   struct hyb_def_meeting *def)
{
	def->counter = hyb_counter();
	hyb_comm_define(c, made, from, false);
	hyb_def_meeting(c->id, def);
}

/* Which side counts as the first must be the same on both. */
static enum hyb_comm_distance distance(enum hyb_meeting_role role)
{
	return role == HYB_MEETING_PARENT || role == HYB_MEETING_CONNECT ? HYB_COMM_SECOND_SIDE :
									   HYB_COMM_FIRST_SIDE;
}

static void met(MPI_Comm parent, struct hyb_def_meeting *def, MPI_Comm made)
{
	struct hyb_comm *from;
	uint64_t number;
	struct hyb_comm *c = hyb_comm_claim_child(parent, made, &from, &number);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_start(key, HYB_BY_MEETING);
	if (hyb_comm_key_all_members(key, c, made)) {
		/* Both sides are of one job, so both can name all members. */
		c->key[0] = key[0];
		c->key[1] = key[1];
		hyb_key_add(c->key, hyb_comm_key_count(key));
		hyb_comm_define(c, made, from, false);
		return;
	}
	hyb_comm_key_begin(c, HYB_BY_MEETING, from, number);
	if (from->distant)
		hyb_comm_key_end_step(c, from);
	c->distant = distance((enum hyb_meeting_role)def->role);
	define_meeting(c, made, from, def);
}

void hyb_comm_spawned(MPI_Comm parent, int root, MPI_Comm made)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_SPAWN };

	def.root = world_rank_of(parent, root);
	met(parent, &def, made);
}

/* Asked for as often as the program likes, but made once, before MPI_Init came back. */
void hyb_comm_got_parent(MPI_Comm parent)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_PARENT, .root = HYB_NO_RANK };
	struct hyb_comm *world = hyb_comm_find(MPI_COMM_WORLD);
	struct hyb_comm *c;

	if (!world || parent == MPI_COMM_NULL || hyb_comm_find(parent))
		return;
	c = hyb_comm_claim(parent);
	if (!c)
		return;
	hyb_comm_fill(c, parent);
	c->distant = distance(HYB_MEETING_PARENT);
	hyb_comm_key_begin(c, HYB_BY_MEETING, world, 0);
	define_meeting(c, parent, world, &def);
}

static void met_by_port(MPI_Comm parent, int root, const char *port, struct hyb_def_meeting *def,
			MPI_Comm made)
{
	int rank = -1;

	PMPI_Comm_rank(parent, &rank);
	def->root = world_rank_of(parent, root);
	if (rank == root) {
		hyb_comm_key_start(def->port, HYB_BY_PORT);
		hyb_key_add_string(def->port, port);
	}
	met(parent, def, made);
}

void hyb_comm_accepted(MPI_Comm parent, int root, const char *port, MPI_Comm made)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_ACCEPT };

	met_by_port(parent, root, port, &def, made);
}

void hyb_comm_connected(MPI_Comm parent, int root, const char *port, MPI_Comm made)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_CONNECT };

	met_by_port(parent, root, port, &def, made);
}

/* One end of a socket; false where it has no address. */
static bool key_address(uint64_t key[2], int fd, bool peer)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	const unsigned char *bytes = (const unsigned char *)&address;
	long err;

	memset(&address, 0, sizeof(address));
	if (peer)
		err = HYB_SYS(getpeername, fd, &address, &size, 0, 0, 0);
	else
		err = HYB_SYS(getsockname, fd, &address, &size, 0, 0, 0);
	if (err || (address.ss_family != AF_INET && address.ss_family != AF_INET6))
		return false;
	hyb_comm_key_start(key, HYB_BY_SOCKET);
	for (socklen_t i = 0; i < size && i < sizeof(address); i++)
		hyb_key_add(key, bytes[i]);
	return true;
}

void hyb_comm_joined(int fd, MPI_Comm made)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_JOIN };
	uint64_t here[2];
	uint64_t there[2];

	def.root = world_rank_of(MPI_COMM_SELF, 0);
	if (key_address(here, fd, false) && key_address(there, fd, true))
		hyb_key_add_pair(def.port, here, there);
	met(MPI_COMM_SELF, &def, made);
}

/* With members that are not of this job. */
static void pair(struct hyb_comm *c, MPI_Comm local, int leader, int tag, MPI_Comm made)
{
	struct hyb_def_meeting def = { .role = HYB_MEETING_PAIR };
	const struct hyb_comm *from = hyb_comm_get(local);
	uint64_t key[2];

	if (!from)
		return;
	def.root = world_rank_of(local, leader);
	hyb_comm_key_start(def.port, HYB_BY_TAG);
	hyb_key_add(def.port, (uint64_t)tag);
	hyb_comm_key_start(key, HYB_BY_PAIR);
	hyb_key_add_key(key, def.port);
	/* Counted over this communicator alone, where all members come by here as often. */
	hyb_key_add_key(key, from->key);
	hyb_comm_key_begin(c, HYB_BY_PAIR, from, hyb_comm_key_count(key));
	if (from->distant)
		hyb_comm_key_end_step(c, from);
	c->distant = distance(HYB_MEETING_PAIR);
	define_meeting(c, made, from, &def);
}

void hyb_comm_created_intercomm(MPI_Comm local, int leader, int tag, MPI_Comm made)
{
	struct hyb_comm *c = hyb_comm_claim(made);
	uint64_t key[2];

	if (!c)
		return;
	hyb_comm_fill(c, made);
	hyb_comm_key_start(key, HYB_BY_PAIR);
	hyb_key_add(key, (uint64_t)tag);
	if (hyb_comm_key_all_members(key, c, made))
		hyb_comm_define_counted(c, made, NULL, key);
	else
		pair(c, local, leader, tag, made);
}
