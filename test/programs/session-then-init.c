/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session-then-init: messages that are under way in a session when MPI_Init comes, with threads that call MPI at once,
 * and are completed after it. Status 77: this MPI has no sessions.
 */
#include "requests.h"

#ifndef HYB_HAS_MPI_Session_init

int main(void)
{
	return 77;
}

#else

#define NAME "early"
#define MESSAGES 1

int main(int argc, char **argv)
{
	MPI_Request requests[2 * MESSAGES];
	MPI_Session session;
	MPI_Group all;
	MPI_Comm comm;
	int values[MESSAGES];
	int got[MESSAGES];
	int number[2 * MESSAGES];
	int provided;
	int size;
	int peer;
	int me;

	CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
	CALL(MPI_Group_from_session_pset(session, "mpi://WORLD", &all));
	CALL(MPI_Group_rank(all, &me));
	CALL(MPI_Group_size(all, &size));
	CHECK(size == 2);
	peer = 1 - me;
	CALL(MPI_Comm_create_from_group(all, "org.hybmon.early", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
	CALL(MPI_Comm_set_name(comm, NAME));
	/* short ones, which are complete for the sender when they begin */
	for (int i = 0; i < MESSAGES; i++) {
		values[i] = 10 * me + i;
		EVENTS(MPI_Isend(&values[i], 1, MPI_INT, peer, i, comm, &requests[i]),
		       number[i] = expect_isend(peer, i, NAME, 4), (void)0);
	}
	/* those that have arrived are, too */
	COLL(MPI_Barrier(comm), NO_ROOT, NAME, 0, 0);
	for (int i = 0; i < MESSAGES; i++)
		EVENTS(MPI_Irecv(&got[i], 1, MPI_INT, peer, i, comm, &requests[MESSAGES + i]), (void)0,
		       number[MESSAGES + i] = expect_irecv());
	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	for (int i = 0; i < MESSAGES; i++) {
		EVENTS(MPI_Wait(&requests[MESSAGES + i], MPI_STATUS_IGNORE), (void)0,
		       expect_irecv_done(peer, i, NAME, 4, number[MESSAGES + i]));
		CHECK(got[i] == 10 * peer + i);
	}
	MANY(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < MESSAGES; i++)
			expect_request("sent", number[i]);
	});
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Group_free(&all));
	CALL(MPI_Session_finalize(&session));
	CALL(MPI_Finalize());
	return 0;
}

#endif
