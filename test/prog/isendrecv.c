/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isendrecv: two ranks exchange messages by the calls of MPI 4.0 that send and receive with one request;
 * nothing where the MPI is older. Each has as much room as is sent: MPICH 4.0 does not fill their statuses in.
 */
#include "requests.h"

#if MPI_VERSION >= 4
static void exchange(int peer)
{
	MPI_Request request;
	int mine[3] = { peer };
	int got[2];
	int s;
	int r;

	EVENTS(MPI_Isendrecv(mine, 2, MPI_INT, peer, 5, got, 2, MPI_INT, peer, 5, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 5, WORLD, 8), r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       (expect_request("sent", s), expect_irecv_done(peer, 5, WORLD, 8, r)));

	EVENTS(MPI_Isendrecv_replace(mine, 3, MPI_INT, peer, 6, peer, 6, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 6, WORLD, 12), r = expect_irecv());
	MANY(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE),
	     (expect_request("sent", s), expect_irecv_done(peer, 6, WORLD, 12, r)));
}

/* One half of it only: what comes from the other rank, or what goes there. */
static void halves(int me, int peer)
{
	int from = me == 0 ? peer : MPI_PROC_NULL;
	int to = me == 0 ? MPI_PROC_NULL : peer;
	MPI_Request request;
	int half;

	EVENTS(MPI_Isendrecv(NULL, 0, MPI_INT, to, 7, NULL, 0, MPI_INT, from, 7, MPI_COMM_WORLD, &request),
	       if (me == 1) half = expect_isend(to, 7, WORLD, 0), if (me == 0) half = expect_irecv());
	if (me == 0)
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
		       expect_irecv_done(from, 7, WORLD, 0, half));
	else
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_request("sent", half));
}
#endif

int main(int argc, char **argv)
{
	int me;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
#if MPI_VERSION >= 4
	exchange(1 - me);
	halves(me, 1 - me);
#endif
	CALL(MPI_Finalize());
	return 0;
}
