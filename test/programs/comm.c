/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: every way to make one in a job, names given late and twice, handles that MPI uses again
 * after a free, and as many as asked for (comm N), each with a message in it.
 */
#include "ring.h"

#define WORLD "MPI_COMM_WORLD"

static int me;
static int size;

static void named(MPI_Comm comm, const char *name)
{
	char got[MPI_MAX_OBJECT_NAME];
	int length;

	CALL(MPI_Comm_set_name(comm, name));
	CALL(MPI_Comm_get_name(comm, got, &length));
	CHECK(strcmp(got, name) == 0);
	use(me, comm, name);
}

static void predefined(void)
{
	use(me, MPI_COMM_WORLD, WORLD);
	use(me, MPI_COMM_SELF, "MPI_COMM_SELF");
}

static void duplicates(void)
{
	MPI_Request request;
	MPI_Comm comm;
	MPI_Comm twin;

	CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	named(comm, "dup");
	CALL(MPI_Comm_dup(comm, &twin));
	named(twin, "dup of dup");
	CALL(MPI_Comm_free(&twin));
	CALL(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &twin));
	named(twin, "dup with info");
	CALL(MPI_Comm_free(&twin));
	CALL(MPI_Comm_idup(comm, &twin, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	named(twin, "idup");
	CALL(MPI_Comm_free(&twin));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Comm_dup(MPI_COMM_SELF, &comm));
	named(comm, "self again");
	CALL(MPI_Comm_free(&comm));
}

static void splits(void)
{
	int odd = me % 2;
	MPI_Comm half;
	MPI_Comm one;

	CALL(MPI_Comm_split(MPI_COMM_WORLD, odd, -me, &half));
	named(half, odd ? "odd" : "even");
	CALL(MPI_Comm_split(half, 0, 0, &one));
	named(one, odd ? "odd again" : "even again");
	CALL(MPI_Comm_free(&one));
	CALL(MPI_Comm_split(MPI_COMM_WORLD, me ? MPI_UNDEFINED : 0, 0, &one));
	if (me == 0) {
		named(one, "first only");
		CALL(MPI_Comm_free(&one));
	} else {
		CHECK(one == MPI_COMM_NULL);
	}
	CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &one));
	named(one, "node");
	CALL(MPI_Comm_free(&one));
	CALL(MPI_Comm_free(&half));
}

/* Rank 0 is left out, so that ranks in the communicator differ from those of the world. */
static void groups(void)
{
	MPI_Group world;
	MPI_Group rest;
	MPI_Comm comm;
	int zero = 0;

	CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
	CALL(MPI_Group_excl(world, 1, &zero, &rest));
	CALL(MPI_Comm_create(MPI_COMM_WORLD, rest, &comm));
	if (me) {
		named(comm, "rest");
		CALL(MPI_Comm_free(&comm));
		for (int round = 0; round < 2; round++) {	/* the same tag twice */
			CALL(MPI_Comm_create_group(MPI_COMM_WORLD, rest, 5, &comm));
			named(comm, round ? "rest by group again" : "rest by group");
			CALL(MPI_Comm_free(&comm));
		}
	} else {
		CHECK(comm == MPI_COMM_NULL);
	}
	CALL(MPI_Group_free(&rest));
	CALL(MPI_Group_free(&world));
	CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));	/* counted alike by those left out */
	named(comm, "after groups");
	CALL(MPI_Comm_free(&comm));
}

/* The last name holds, also for what was done under another. */
static void renamed(void)
{
	MPI_Comm comm;

	CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	COLL(MPI_Barrier(comm), NO_ROOT, "last name", 0, 0);
	CALL(MPI_Comm_set_name(comm, "first name"));
	COLL(MPI_Barrier(comm), NO_ROOT, "last name", 0, 0);
	CALL(MPI_Comm_set_name(comm, "last name"));
	COLL(MPI_Barrier(comm), NO_ROOT, "last name", 0, 0);
	CALL(MPI_Comm_free(&comm));
}

/* MPI gives a freed handle out again: each is another communicator. */
static void reuse(int times)
{
	char name[32];
	MPI_Comm comm;

	for (int i = 0; i < times; i++) {
		snprintf(name, sizeof(name), "reused %d", i);
		CALL(MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? 0 : me % 2, i % 3 ? me : -me, &comm));
		if (i % 2 == 0)
			snprintf(name, sizeof(name), "reused %d %s", i, me % 2 ? "odd" : "even");
		CALL(MPI_Comm_set_name(comm, name));
		COLL(MPI_Barrier(comm), NO_ROOT, name, 0, 0);
		if (i % 5 == 4)
			CALL(MPI_Comm_disconnect(&comm));
		else
			CALL(MPI_Comm_free(&comm));
		CHECK(comm == MPI_COMM_NULL);
	}
}

static int many(int n)
{
	MPI_Comm *comm = calloc(n, sizeof(*comm));
	char name[32];

	CHECK(comm);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many %d", i);
		CALL(MPI_Comm_dup(i ? comm[i / 2] : MPI_COMM_WORLD, &comm[i]));
		CALL(MPI_Comm_set_name(comm[i], name));
	}
	for (int i = n - 1; i >= 0; i--) {
		snprintf(name, sizeof(name), "many %d", i);
		if (me == 0)
			SEND(MPI_Send(&i, 1, MPI_INT, 1, i, comm[i]), 1, i, name, 4);
		if (me == 1)
			RECV(MPI_Recv(&i, 1, MPI_INT, 0, i, comm[i], MPI_STATUS_IGNORE), 0, i, name, 4);
	}
	for (int i = 0; i < n; i++)
		CALL(MPI_Comm_free(&comm[i]));
	free(comm);
	return n;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	predefined();
	duplicates();
	splits();
	groups();
	renamed();
	reuse(40);
	if (size > 1)
		printf("%d: %d more\n", me, many(n));
	CALL(MPI_Finalize());
	return 0;
}
