/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isendrecv: two ranks exchange messages by the calls of MPI 4.0 that send and receive with one request; nothing where
 * the MPI is older. Some are shorter than there is room for, and of whom the call does not say. MPICH does not fill the
 * statuses in: then only what the call names is known of them, and the merge has to find out the rest.
 */
#include "requests.h"

#ifdef HYB_HAS_MPI_Isendrecv
/* Whether MPI tells what came: by a message whose numbers nothing else has. */
static int told;

static void find_out(void)
{
	char data[99] = "";
	char room[99];
	MPI_Request request;
	MPI_Status status;
	int bytes;

	PMPI_Isendrecv(data, 83, MPI_CHAR, 0, 31415, room, 99, MPI_CHAR, 0, 31415, MPI_COMM_SELF, &request);
	PMPI_Wait(&request, &status);
	PMPI_Get_count(&status, MPI_CHAR, &bytes);
	told = status.MPI_SOURCE == 0 && status.MPI_TAG == 31415 && bytes == 83;
}

/* from, tag: what is known where MPI tells nothing, "?" if the call did not name it. */
static void expect_got(const char *from, const char *tag, int peer, int its_tag, int bytes, int request)
{
	if (told)
		expect_irecv_done(peer, its_tag, WORLD, bytes, request);
	else
		expect_line("  recv from=%s tag=%s comm=%s bytes=? request=0.%d", from, tag, WORLD, request);
}

static void exchange(int peer)
{
	const char *from = peer ? "1" : "0";
	MPI_Request request;
	int mine[3] = { peer };
	int got[2];
	int s;
	int r;

	EVENTS(MPI_Isendrecv(mine, 2, MPI_INT, peer, 5, got, 2, MPI_INT, peer, 5, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 5, WORLD, 8), r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       (expect_request("sent", s), expect_got(from, "5", peer, 5, 8, r)));

	EVENTS(MPI_Isendrecv_replace(mine, 3, MPI_INT, peer, 6, peer, 6, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 6, WORLD, 12), r = expect_irecv());
	MANY(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE),
	     (expect_request("sent", s), expect_got(from, "6", peer, 6, 12, r)));
}

/*
 * Several at once on one tag, each of another size, complete in another order than they began, with a plain receive of
 * that tag between them; sizes differ by rank, too.
 */
static void shorter(int me, int peer)
{
	const char *from = peer ? "1" : "0";
	static char data[64];
	char got[4][64];
	MPI_Request request[4];
	int s[4];
	int r[4];

	for (int i = 0; i < 4; i++) {
		if (i == 2)
			EVENTS(MPI_Irecv(got[i], 64, MPI_CHAR, peer, 8, MPI_COMM_WORLD, &request[i]), (void)0,
			       r[i] = expect_irecv());
		else
			EVENTS(MPI_Isendrecv(data, 5 + i + 10 * me, MPI_CHAR, peer, 8, got[i], 64, MPI_CHAR, peer, 8,
					     MPI_COMM_WORLD, &request[i]),
			       s[i] = expect_isend(peer, 8, WORLD, 5 + i + 10 * me), r[i] = expect_irecv());
	}
	EVENTS(MPI_Send(data, 1, MPI_CHAR, peer, 8, MPI_COMM_WORLD), expect_send(peer, 8, WORLD, 1), (void)0);
	/*
	 * In the order in which they were sent: so the plain one, number 2, gets what number 3 of the other rank sent.
	 */
	for (int i = 3; i >= 0; i--) {
		int bytes = i == 3 ? 1 : (i == 2 ? 8 : 5 + i) + 10 * peer;

		EVENTS(MPI_Wait(&request[i], MPI_STATUS_IGNORE), (void)0,
		       if (i == 2) expect_irecv_done(peer, 8, WORLD, bytes, r[i]);
		       else (expect_request("sent", s[i]), expect_got(from, "8", peer, 8, bytes, r[i])));
	}
}

/* Of anybody, with any tag. */
static void unnamed(int peer)
{
	const char *from = peer ? "1" : "0";
	MPI_Request request;
	char data[16] = "";
	char got[16];
	int s;
	int r;

	EVENTS(MPI_Isendrecv(data, 3, MPI_CHAR, peer, 9, got, 16, MPI_CHAR, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 9, WORLD, 3), r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       (expect_request("sent", s), expect_got("?", "9", peer, 9, 3, r)));
	EVENTS(MPI_Isendrecv(data, 4, MPI_CHAR, peer, 10, got, 16, MPI_CHAR, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 10, WORLD, 4), r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       (expect_request("sent", s), expect_got(from, "?", peer, 10, 4, r)));
}

/* One half of it only: what comes from the other rank, or what goes there. MPICH does that as a plain one. */
static void halves(int me, int peer)
{
	int from = me == 0 ? peer : MPI_PROC_NULL;
	int to = me == 0 ? MPI_PROC_NULL : peer;
	MPI_Request request;
	int data[2] = { me };
	int got[3];
	int half;

	EVENTS(MPI_Isendrecv(data, 2, MPI_INT, to, 7, got, 3, MPI_INT, from, 7, MPI_COMM_WORLD, &request),
	       if (me == 1) half = expect_isend(to, 7, WORLD, 8), if (me == 0) half = expect_irecv());
	if (me == 0)
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(from, 7, WORLD, 8, half));
	else
		EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_request("sent", half));
}
#endif

int main(int argc, char **argv)
{
	int me;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
#ifdef HYB_HAS_MPI_Isendrecv
	find_out();
	exchange(1 - me);
	shorter(me, 1 - me);
	unnamed(1 - me);
	halves(me, 1 - me);
#endif
	CALL(MPI_Finalize());
	return 0;
}
