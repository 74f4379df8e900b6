/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs of two jobs say to each other over an intercommunicator, and over what they make of it; both sides
 * do it alike. `of` names the meeting, and so all communicators.
 */
#ifndef TEST_TALK_H
#define TEST_TALK_H

#include <sys/stat.h>

#include "expect.h"

#define INT ((long long)sizeof(int))

static inline const char *named(MPI_Comm comm, const char *of, const char *what)
{
	static char name[MPI_MAX_OBJECT_NAME];

	snprintf(name, sizeof(name), "%s %s", of, what);
	CALL(MPI_Comm_set_name(comm, name));
	return name;
}

/* Every pair across exchanges a message, and rank 0 of the parents tells all children something. */
static inline void across(MPI_Comm inter, bool child, const char *of)
{
	const char *name = named(inter, of, "across");
	int rank;
	int remote;
	int value = 7;

	CALL(MPI_Comm_rank(inter, &rank));
	CALL(MPI_Comm_remote_size(inter, &remote));
	for (int i = 0; i < remote; i++) {
		if (child) {
			RECV(MPI_Recv(&value, 1, MPI_INT, i, 5, inter, MPI_STATUS_IGNORE), i, 5, name, INT);
			SEND(MPI_Send(&value, 1, MPI_INT, i, 6 + rank, inter), i, 6 + rank, name, INT);
		} else {
			SEND(MPI_Send(&value, 1, MPI_INT, i, 5, inter), i, 5, name, INT);
			RECV(MPI_Recv(&value, 1, MPI_INT, i, 6 + i, inter, MPI_STATUS_IGNORE), i, 6 + i,
			     name, INT);
		}
	}
	if (child)
		EVENTS(MPI_Bcast(&value, 1, MPI_INT, 0, inter), (void)0,
		       expect_inter(0, name, 0, INT));
	else
		EVENTS(MPI_Bcast(&value, 1, MPI_INT, rank ? MPI_PROC_NULL : MPI_ROOT, inter), (void)0,
		       expect_inter(rank ? MPI_PROC_NULL : MPI_ROOT, name, rank ? 0 : remote * INT, 0));
}

static inline void ring(MPI_Comm comm, const char *of, const char *what)
{
	const char *name = named(comm, of, what);
	int got = -1;
	int rank;
	int n;

	CALL(MPI_Comm_rank(comm, &rank));
	CALL(MPI_Comm_size(comm, &n));
	EVENTS(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % n, n, &got, 1, MPI_INT, (rank + n - 1) % n, n,
			    comm, MPI_STATUS_IGNORE),
	       expect_send((rank + 1) % n, n, name, INT), expect_recv((rank + n - 1) % n, n, name, INT));
	CHECK(got == (rank + n - 1) % n);
	COLL(MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, comm), NO_ROOT, name, (n - 1) * INT,
	     (n - 1) * INT);
}

/* Two groups, each with members of both jobs, meet; each process finds its own side to be known as one. */
static inline void pair(MPI_Comm all, const char *of)
{
	char name[64];
	MPI_Comm inter;
	MPI_Comm again;
	MPI_Comm half;
	int rank;

	snprintf(name, sizeof(name), "%s pair", of);
	CALL(MPI_Comm_rank(all, &rank));
	CALL(MPI_Comm_split(all, rank % 2, rank, &half));
	CALL(MPI_Intercomm_create(half, 0, all, !(rank % 2), of[0], &inter));
	across(inter, rank % 2, name);
	CALL(MPI_Intercomm_merge(inter, rank % 2, &again));
	ring(again, name, "merged");
	CALL(MPI_Comm_free(&again));
	CALL(MPI_Comm_free(&inter));
	CALL(MPI_Comm_free(&half));
}

/* What is made of a communicator with members of two jobs. */
static inline void make_more(MPI_Comm all, const char *of)
{
	MPI_Request request;
	MPI_Group group;
	MPI_Group ends;
	MPI_Comm comm;
	int range[1][3] = { { 0, 0, 0 } };
	int rank;
	int n;

	CALL(MPI_Comm_rank(all, &rank));
	CALL(MPI_Comm_size(all, &n));
	CALL(MPI_Comm_dup(all, &comm));
	ring(comm, of, "dup");
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Comm_idup(all, &comm, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	ring(comm, of, "idup");
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Comm_split(all, rank % 2, -rank, &comm));
	ring(comm, of, rank % 2 ? "odd" : "even");
	CALL(MPI_Comm_free(&comm));
	range[0][1] = n - 1;
	range[0][2] = n - 1;
	CALL(MPI_Comm_group(all, &group));
	CALL(MPI_Group_range_incl(group, 1, range, &ends));
	if (rank == 0 || rank == n - 1) {
		for (int round = 0; round < 2; round++) {
			CALL(MPI_Comm_create_group(all, ends, 3, &comm));
			ring(comm, of, round ? "ends again" : "ends");
			CALL(MPI_Comm_free(&comm));
		}
	}
	CALL(MPI_Comm_create(all, ends, &comm));
	if (comm != MPI_COMM_NULL) {
		ring(comm, of, "ends of all");
		CALL(MPI_Comm_free(&comm));
	}
	CALL(MPI_Group_free(&ends));
	CALL(MPI_Group_free(&group));
	pair(all, of);
}

/* Both sides do this alike; the merged communicator is the caller's. */
static inline MPI_Comm talk(MPI_Comm inter, bool child, const char *of)
{
	MPI_Comm twin;
	MPI_Comm all;

	across(inter, child, of);
	CALL(MPI_Comm_dup(inter, &twin));
	CALL(MPI_Intercomm_merge(twin, child, &all));
	CALL(MPI_Comm_free(&twin));
	ring(all, of, "merged");
	make_more(all, of);
	return all;
}

static inline void leave(MPI_Comm *inter, MPI_Comm *all)
{
	CALL(MPI_Comm_free(all));
	CALL(MPI_Comm_disconnect(inter));
}

/* A folder of its own in that of the parents. */
static inline void expect_apart(const char *of)
{
	const char *dir = getenv("TEST_EXPECT");
	char path[PATH_MAX];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/../expect-%s", dir, of);
	CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
	setenv("TEST_EXPECT", path, 1);
}

#endif
