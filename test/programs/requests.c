/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests: two ranks use every way to begin and to complete an operation without blocking; what each call leaves is
 * written down. Completed in an order that is known: everything has arrived before it is asked for.
 */
#include "requests.h"

#define COUNT 100	/* of requests at once: more than the library keeps on the stack */
#define LONG 65536	/* of a message that no MPI sends before the other side asks for it */

static int me;
static int peer;

/* Both ranks have got so far; messages sent before it have arrived, since they are short. */
static void meet(void)
{
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, WORLD, 0, 0);
}

static void wait_each(void)
{
	MPI_Request send;
	MPI_Request recv;
	MPI_Status status;
	int value[4] = { me };
	int got[10];
	int s;
	int r;

	EVENTS(MPI_Irecv(got, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &recv), (void)0,
	       r = expect_irecv());
	EVENTS(MPI_Isend(value, 4, MPI_INT, peer, 7, MPI_COMM_WORLD, &send),
	       s = expect_isend(peer, 7, WORLD, 16), (void)0);
	EVENTS(MPI_Wait(&recv, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(peer, 7, WORLD, 16, r));
	EVENTS(MPI_Wait(&send, &status), (void)0, expect_request("sent", s));
	CHECK(send == MPI_REQUEST_NULL && recv == MPI_REQUEST_NULL && got[0] == peer);
	CALL(MPI_Wait(&send, &status));

	EVENTS(MPI_Irecv(got, 10, MPI_INT, peer, 8, MPI_COMM_WORLD, &recv), (void)0, r = expect_irecv());
	EVENTS(MPI_Issend(value, 2, MPI_INT, peer, 8, MPI_COMM_WORLD, &send),
	       s = expect_isend(peer, 8, WORLD, 8), (void)0);
	EVENTS(MPI_Wait(&recv, &status), (void)0, expect_irecv_done(peer, 8, WORLD, 8, r));
	CHECK(status.MPI_SOURCE == peer && status.MPI_TAG == 8);
	EVENTS(MPI_Wait(&send, MPI_STATUS_IGNORE), (void)0, expect_request("sent", s));

	/* nobody: no message */
	CALL(MPI_Isend(value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &send));
	CALL(MPI_Irecv(got, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &recv));
	CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
	CALL(MPI_Wait(&recv, MPI_STATUS_IGNORE));
}

static void wait_all(void)
{
	static int values[COUNT];
	static int got[COUNT];
	MPI_Request requests[2 * COUNT + 1];
	int number[2 * COUNT];

	for (int i = 0; i < COUNT; i++)
		EVENTS(MPI_Irecv(&got[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[i]), (void)0,
		       number[i] = expect_irecv());
	for (int i = 0; i < COUNT; i++)
		EVENTS(MPI_Isend(&values[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &requests[COUNT + i]),
		       number[COUNT + i] = expect_isend(peer, i, WORLD, 4), (void)0);
	requests[2 * COUNT] = MPI_REQUEST_NULL;
	MANY(MPI_Waitall(2 * COUNT + 1, requests, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < COUNT; i++)
			expect_irecv_done(peer, i, WORLD, 4, number[i]);
		for (int i = 0; i < COUNT; i++)
			expect_request("sent", number[COUNT + i]);
	});
	CALL(MPI_Waitall(2 * COUNT + 1, requests, MPI_STATUSES_IGNORE));
}

/* Each of three arrives alone. */
static void any_and_some(void)
{
	MPI_Request requests[3];
	MPI_Status statuses[3];
	int number[3];
	int indices[3];
	int value = me;
	int got[3];
	int index;
	int count;
	int flag;

	for (int i = 0; i < 3; i++)
		EVENTS(MPI_Irecv(&got[i], 1, MPI_INT, peer, 20 + i, MPI_COMM_WORLD, &requests[i]), (void)0,
		       number[i] = expect_irecv());
	meet();
	SEND(MPI_Send(&value, 1, MPI_INT, peer, 21, MPI_COMM_WORLD), peer, 21, WORLD, 4);
	EVENTS(MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE), (void)0,
	       expect_irecv_done(peer, 21, WORLD, 4, number[1]));
	CHECK(index == 1);
	meet();
	SEND(MPI_Send(&value, 1, MPI_INT, peer, 22, MPI_COMM_WORLD), peer, 22, WORLD, 4);
	MANY(MPI_Waitsome(3, requests, &count, indices, statuses),
	     expect_irecv_done(peer, 22, WORLD, 4, number[2]));
	CHECK(count == 1 && indices[0] == 2);
	meet();
	SEND(MPI_Send(&value, 1, MPI_INT, peer, 20, MPI_COMM_WORLD), peer, 20, WORLD, 4);
	MANY(MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE),
	     expect_irecv_done(peer, 20, WORLD, 4, number[0]));
	CHECK(count == 1 && indices[0] == 0);
	CALL(MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE));
	CHECK(flag && index == MPI_UNDEFINED);
	CALL(MPI_Waitsome(3, requests, &count, indices, statuses));
	CHECK(count == MPI_UNDEFINED);
}

static void persistent(void)
{
	MPI_Request requests[2];
	int value[3] = { me };
	int got[3];
	int r;
	int s;

	CALL(MPI_Recv_init(got, 3, MPI_INT, peer, 30, MPI_COMM_WORLD, &requests[0]));
	CALL(MPI_Ssend_init(value, 3, MPI_INT, peer, 30, MPI_COMM_WORLD, &requests[1]));
	for (int i = 0; i < 3; i++) {
		EVENTS(MPI_Start(&requests[0]), (void)0, r = expect_irecv());
		EVENTS(MPI_Start(&requests[1]), s = expect_isend(peer, 30, WORLD, 12), (void)0);
		MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
			expect_irecv_done(peer, 30, WORLD, 12, r);
			expect_request("sent", s);
		});
	}
	EVENTS(MPI_Startall(2, requests), {
		r = request_new();
		s = expect_isend(peer, 30, WORLD, 12);
		expect_request("irecv", r);
	}, (void)0);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 30, WORLD, 12, r);
		expect_request("sent", s);
	});
	CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
	CALL(MPI_Request_free(&requests[0]));
	CALL(MPI_Request_free(&requests[1]));
}

/*
 * Too long to arrive before it is received, so that the sender is done and MPI is not: some then give the request
 * another handle when it is started again.
 */
static void buffered(void)
{
	static int data[LONG];
	static int got[LONG];
	static char space[4 * (sizeof(data) + MPI_BSEND_OVERHEAD)];
	MPI_Request send;
	void *back;
	int size;
	int s;

	CALL(MPI_Buffer_attach(space, sizeof(space)));
	CALL(MPI_Bsend_init(data, LONG, MPI_INT, peer, 31, MPI_COMM_WORLD, &send));
	for (int i = 0; i < 4; i++) {
		if (i < 2)
			EVENTS(MPI_Start(&send), s = expect_isend(peer, 31, WORLD, sizeof(data)), (void)0);
		else
			EVENTS(MPI_Startall(1, &send), s = expect_isend(peer, 31, WORLD, sizeof(data)),
			       (void)0);
		EVENTS(MPI_Wait(&send, MPI_STATUS_IGNORE), (void)0, expect_request("sent", s));
	}
	for (int i = 0; i < 4; i++)
		RECV(MPI_Recv(got, LONG, MPI_INT, peer, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 31, WORLD,
		     sizeof(got));
	CALL(MPI_Request_free(&send));
	CALL(MPI_Buffer_detach(&back, &size));
}

static void cancel(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag;
	int got;
	int r;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 99, MPI_COMM_WORLD, &request), (void)0,
	       r = expect_irecv());
	CALL(MPI_Cancel(&request));
	EVENTS(MPI_Wait(&request, &status), (void)0, expect_request("cancelled", r));
	CALL(MPI_Test_cancelled(&status, &flag));
	CHECK(flag);
}

static void collectives(void)
{
	MPI_Request requests[3];
	int mine[2] = { me, me };
	int all[4];
	int a;
	int b;
	int c;

	EVENTS(MPI_Ibcast(mine, 2, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]), (void)0,
	       a = expect_icoll("bcast", WORLD));
	EVENTS(MPI_Iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]), (void)0,
	       b = expect_icoll("allgather", WORLD));
	EVENTS(MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]), (void)0, c = expect_icoll("barrier", WORLD));
	MANY(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), {
		expect_icoll_done("bcast", WORLD, 0, me == 0 ? 16 : 0, 8, a);
		expect_icoll_done("allgather", WORLD, NO_ROOT, 8, 8, b);
		expect_icoll_done("barrier", WORLD, NO_ROOT, 0, 0, c);
	});
	EVENTS(MPI_Iallreduce(&me, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]), (void)0,
	       a = expect_icoll("allreduce", WORLD));
	EVENTS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), (void)0,
	       expect_icoll_done("allreduce", WORLD, NO_ROOT, 8, 8, a));
	CHECK(all[0] == 1);
}

static void matched(void)
{
	MPI_Message message;
	MPI_Request request;
	MPI_Status status;
	int value = me;
	int got;
	int r;

	SEND(MPI_Send(&value, 1, MPI_INT, peer, 40, MPI_COMM_WORLD), peer, 40, WORLD, 4);
	CALL(MPI_Mprobe(peer, 40, MPI_COMM_WORLD, &message, &status));
	EVENTS(MPI_Imrecv(&got, 1, MPI_INT, &message, &request), (void)0, r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_irecv_done(peer, 40, WORLD, 4, r));
	CHECK(got == peer);
}

/*
 * Complete when it is asked for: so it is from there on, be it then waited for or freed. Who asks is recorded where the
 * request is, whatever its own group.
 */
static void asked(void)
{
	MPI_Request request;
	MPI_Status status;
	int value = me;
	int got;
	int behind;
	int flag;
	int r;

	for (int i = 0; i < 3; i++) {
		EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 50, MPI_COMM_WORLD, &request), (void)0, r = expect_irecv());
		SEND(MPI_Send(&value, 1, MPI_INT, peer, 50, MPI_COMM_WORLD), peer, 50, WORLD, 4);
		/* what comes behind it has come */
		SEND(MPI_Send(&value, 1, MPI_INT, peer, 51, MPI_COMM_WORLD), peer, 51, WORLD, 4);
		RECV(MPI_Recv(&behind, 1, MPI_INT, peer, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 51, WORLD, 4);
		EVENTS(MPI_Request_get_status(request, &flag, i == 1 ? &status : MPI_STATUS_IGNORE), (void)0,
		       expect_irecv_done(peer, 50, WORLD, 4, r));
		CHECK(flag && request != MPI_REQUEST_NULL);
		if (i == 2)
			CALL(MPI_Request_free(&request));
		else
			CALL(MPI_Wait(&request, &status));
	}
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	wait_each();
	wait_all();
	any_and_some();
	persistent();
	buffered();
	cancel();
	collectives();
	matched();
	asked();
	CALL(MPI_Finalize());
	return 0;
}
