/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unended: operations of which the recording has one end only, since recording is paused at the other, since the
 * request is freed, or since nothing ever comes; and messages of which it has one half. The archive's requests
 * must begin and end all the same.
 */
#include "requests.h"

static int me;
static int peer;

static void pause_recording(void)
{
	CALL(MPI_Pcontrol(0));
	expect_line("recording off");
}

static void resume_recording(void)
{
	expect_line("recording on");
	CALL(MPI_Pcontrol(1));
}

static void meet(void)
{
	PMPI_Barrier(MPI_COMM_WORLD);
}

/* Begun while recording is on, completed while it is off: each kind. */
static void ends_unseen(void)
{
	MPI_Request requests[3];
	int value = me;
	int got;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]), (void)0, expect_irecv());
	EVENTS(MPI_Issend(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]),
	       expect_isend(peer, 1, WORLD, 4), (void)0);
	EVENTS(MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]), (void)0, expect_icoll("barrier", WORLD));
	pause_recording();
	MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	resume_recording();
}

/*
 * By one of two members only: to the other it is an operation all the same, of the root that it began with, and what
 * comes after is not taken for it.
 */
static void ends_unseen_by_one(void)
{
	MPI_Request request;
	int value = me;
	int r;

	EVENTS(MPI_Ibcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request), (void)0, r = expect_icoll("bcast", WORLD));
	if (me == 0) {
		pause_recording();
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		resume_recording();
	} else {
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_icoll_done("bcast", WORLD, 1, 8, 4, r));
	}
	COLL(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD), 0, WORLD, me ? 0 : 8, 4);
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, WORLD, 0, 0);
}

/* The other way round: what began unseen is not known when it ends. */
static void begins_unseen(void)
{
	MPI_Request requests[2];
	int value = me;
	int got;

	pause_recording();
	MPI_Irecv(&got, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[0]);
	MPI_Issend(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[1]);
	resume_recording();
	CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

static void freed(void)
{
	MPI_Request request;
	int value = me;
	int got;

	EVENTS(MPI_Isend(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &request),
	       expect_isend(peer, 3, WORLD, 4), (void)0);
	CALL(MPI_Request_free(&request));
	RECV(MPI_Recv(&got, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 3, WORLD, 4);
	/* a receive that is freed while under way */
	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &request), (void)0, expect_irecv());
	CALL(MPI_Request_free(&request));
	meet();
	SEND(MPI_Send(&value, 1, MPI_INT, peer, 4, MPI_COMM_WORLD), peer, 4, WORLD, 4);
	meet();
}

/* Only one half of the message is recorded; the operation has both its ends. */
static void halves(void)
{
	MPI_Request request;
	int value = me;
	int got;
	int r;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &request), (void)0, r = expect_irecv());
	pause_recording();
	MPI_Send(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
	resume_recording();
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(peer, 5, WORLD, 4, r));

	EVENTS(MPI_Issend(&value, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, &request),
	       r = expect_isend(peer, 6, WORLD, 4), (void)0);
	pause_recording();
	MPI_Recv(&got, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	resume_recording();
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_request("sent", r));
}

/* What is made while recording is paused and started when it is on is recorded. */
static void persistent(void)
{
	MPI_Request requests[2];
	int value[2] = { me, me };
	int got[2];
	int r;
	int s;

	pause_recording();
	MPI_Recv_init(got, 2, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests[0]);
	MPI_Ssend_init(value, 2, MPI_INT, peer, 7, MPI_COMM_WORLD, &requests[1]);
	MPI_Startall(2, requests);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	resume_recording();
	EVENTS(MPI_Start(&requests[0]), (void)0, r = expect_irecv());
	EVENTS(MPI_Start(&requests[1]), s = expect_isend(peer, 7, WORLD, 8), (void)0);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 7, WORLD, 8, r);
		expect_request("sent", s);
	});
	CALL(MPI_Request_free(&requests[0]));
	CALL(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	ends_unseen();
	ends_unseen_by_one();
	begins_unseen();
	freed();
	halves();
	persistent();
	CALL(MPI_Finalize());
	return 0;
}
