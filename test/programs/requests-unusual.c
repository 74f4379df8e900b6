/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests-unusual: what requests.c leaves out, by two ranks: arrays with requests of nobody, of nothing, inactive ones
 * and the program's own among them; calls that find nothing; errors of single requests; cancelled sends; and what MPI 4
 * brought: partitioned communication, large counts. Wants HYBMON_MPI_POLL=all.
 */
#include "generalized.h"
#include "requests.h"

static int me;
static int peer;

static void meet(void)
{
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, WORLD, 0, 0);
}

/* Real ones among requests that are none, of nobody, of the program's own, and inactive. */
static void mixed(void)
{
	MPI_Request requests[7];
	MPI_Request start;
	MPI_Status statuses[7];
	int value = me;
	int got[2];
	int indices[7];
	int count;
	int flag;
	int r;
	int s;

	CALL(MPI_Recv_init(&got[1], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &start));
	for (int i = 0; i < 2; i++) {
		requests[0] = MPI_REQUEST_NULL;
		CALL(MPI_Irecv(got, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[1]));
		EVENTS(MPI_Irecv(got, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[2]), (void)0,
		       r = expect_irecv());
		CALL(MPI_Grequest_start(query, release, cancel, NULL, &requests[3]));
		requests[4] = start;
		EVENTS(MPI_Issend(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[5]),
		       s = expect_isend(peer, 2, WORLD, 4), (void)0);
		CALL(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[6]));
		CALL(MPI_Grequest_complete(requests[3]));
		if (i == 0) {
			MANY(MPI_Waitall(7, requests, statuses), {
				expect_irecv_done(peer, 2, WORLD, 4, r);
				expect_request("sent", s);
			});
		} else {
			/* each by itself */
			CALL(MPI_Wait(&requests[6], MPI_STATUS_IGNORE));
			CALL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
			EVENTS(MPI_Wait(&requests[2], MPI_STATUS_IGNORE), (void)0,
			       expect_irecv_done(peer, 2, WORLD, 4, r));
			CALL(MPI_Wait(&requests[3], MPI_STATUS_IGNORE));
			CALL(MPI_Wait(&requests[4], MPI_STATUS_IGNORE));
			EVENTS(MPI_Wait(&requests[5], MPI_STATUS_IGNORE), (void)0, expect_request("sent", s));
		}
		CHECK(got[0] == peer && requests[2] == MPI_REQUEST_NULL && requests[4] == start);
	}
	/* only what is not active */
	CALL(MPI_Waitsome(7, requests, &count, indices, statuses));
	CHECK(count == MPI_UNDEFINED);
	CALL(MPI_Testsome(7, requests, &count, indices, MPI_STATUSES_IGNORE));
	CHECK(count == MPI_UNDEFINED);
	CALL(MPI_Waitany(7, requests, &count, MPI_STATUS_IGNORE));
	CHECK(count == MPI_UNDEFINED);
	CALL(MPI_Testall(7, requests, &flag, MPI_STATUSES_IGNORE));
	CHECK(flag);
	CALL(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
	CALL(MPI_Request_free(&start));
}

/* A send to nobody has the handle of others in some MPIs, and completes first. */
static void shared(void)
{
	MPI_Request real[2];
	MPI_Request nobody;
	int value = me;
	int got;
	int s[2];

	EVENTS(MPI_Isend(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &real[0]),
	       s[0] = expect_isend(peer, 3, WORLD, 4), (void)0);
	CALL(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &nobody));
	EVENTS(MPI_Isend(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &real[1]),
	       s[1] = expect_isend(peer, 3, WORLD, 4), (void)0);
	EVENTS(MPI_Wait(&real[0], MPI_STATUS_IGNORE), (void)0, expect_request("sent", s[0]));
	CALL(MPI_Wait(&nobody, MPI_STATUS_IGNORE));
	EVENTS(MPI_Wait(&real[1], MPI_STATUS_IGNORE), (void)0, expect_request("sent", s[1]));
	for (int i = 0; i < 2; i++)
		RECV(MPI_Recv(&got, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 3, WORLD, 4);
}

/* Calls that find nothing: a record for each request they asked for. */
static void nothing(void)
{
	MPI_Request requests[3];
	int value = me;
	int got[3];
	int r[3];
	int indices[3];
	int index;
	int count;
	int flag;

	for (int i = 0; i < 3; i++)
		EVENTS(MPI_Irecv(&got[i], 1, MPI_INT, peer, 10 + i, MPI_COMM_WORLD, &requests[i]), (void)0,
		       r[i] = expect_irecv());
	EVENTS(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE), (void)0, expect_request("tested", r[1]));
	CHECK(!flag);
	MANY(MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < 3; i++)
			expect_request("tested", r[i]);
	});
	MANY(MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE), {
		for (int i = 0; i < 2; i++)
			expect_request("tested", r[i]);
	});
	MANY(MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < 3; i++)
			expect_request("tested", r[i]);
	});
	CHECK(!flag && count == 0);
	meet();
	for (int i = 0; i < 3; i++)
		SEND(MPI_Send(&value, 1, MPI_INT, peer, 10 + i, MPI_COMM_WORLD), peer, 10 + i, WORLD, 4);
	MANY(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < 3; i++)
			expect_irecv_done(peer, 10 + i, WORLD, 4, r[i]);
	});
}

/* What one of them fails with does not hide the others. */
static void errors(bool some)
{
	MPI_Request requests[3];
	MPI_Status statuses[3];
	int value[4] = { me };
	int got[3][4];
	int r[3];
	int indices[3];
	int count = 3;
	int class = MPI_SUCCESS;
	int left = 3;
	int ret;

	for (int i = 0; i < 3; i++)
		EVENTS(MPI_Irecv(got[i], i == 1 ? 1 : 4, MPI_INT, peer, 20 + i, MPI_COMM_WORLD, &requests[i]),
		       (void)0, r[i] = expect_irecv());
	meet();
	for (int i = 0; i < 3; i++)
		SEND(MPI_Send(value, 4, MPI_INT, peer, 20 + i, MPI_COMM_WORLD), peer, 20 + i, WORLD, 16);
	meet();
	while (left) {
		for (int i = 0; i < 3; i++)
			statuses[i].MPI_ERROR = MPI_SUCCESS;
		expect_call("enter", some ? "MPI_Waitsome" : "MPI_Waitall");
		ret = some ? MPI_Waitsome(3, requests, &count, indices, statuses) :
			     MPI_Waitall(3, requests, statuses);
		if (ret != MPI_SUCCESS)
			PMPI_Error_class(ret, &class);
		CHECK(ret == MPI_SUCCESS || class == MPI_ERR_IN_STATUS);
		for (int i = 0; i < count; i++) {
			int at = some ? indices[i] : i;

			if (!r[at] || (ret != MPI_SUCCESS && statuses[i].MPI_ERROR == MPI_ERR_PENDING))
				continue;
			if (ret == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_SUCCESS)
				expect_irecv_done(peer, 20 + at, WORLD, 16, r[at]);
			else
				CHECK(at == 1);
			r[at] = 0;
			left--;
		}
		expect_call("leave", some ? "MPI_Waitsome" : "MPI_Waitall");
		if (ret != MPI_SUCCESS)
			expect_line("  error code=%d", ret);
	}
	CHECK(class == MPI_ERR_IN_STATUS);
}

/* Whether a send can be cancelled is the MPI's affair. */
static void cancelled_send(void)
{
	MPI_Request request;
	MPI_Status status;
	int value = me;
	int flag;
	int theirs;
	int got;
	int s;

	EVENTS(MPI_Issend(&value, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, &request),
	       s = expect_isend(peer, 30, WORLD, 4), (void)0);
	CALL(MPI_Cancel(&request));
	PMPI_Test(&request, &flag, &status);
	if (flag)
		PMPI_Test_cancelled(&status, &flag);
	PMPI_Sendrecv(&flag, 1, MPI_INT, peer, 31, &theirs, 1, MPI_INT, peer, 31, MPI_COMM_WORLD,
		      MPI_STATUS_IGNORE);
	/* behind the library's back it is complete, and stays begun */
	if (flag && theirs)
		return;
	if (!theirs)
		RECV(MPI_Recv(&got, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 30, WORLD, 4);
	if (!flag)
		EVENTS(MPI_Wait(&request, &status), (void)0, expect_request("sent", s));
}

#ifdef HYB_HAS_MPI_Psend_init
static void partitioned(void)
{
	MPI_Request requests[2];
	int list[2] = { 3, 0 };
	int value[8] = { me };
	int got[8];
	int flag;
	int r;
	int s;

	CALL(MPI_Psend_init(value, 4, 2, MPI_INT, peer, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
	CALL(MPI_Precv_init(got, 4, 2, MPI_INT, peer, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]));
	for (int i = 0; i < 2; i++) {
		EVENTS(MPI_Start(&requests[1]), (void)0, r = expect_irecv());
		EVENTS(MPI_Start(&requests[0]), {
			s = request_new();
			expect_line("  send to=%d tag=40 comm=" WORLD " bytes=32 request=0.%d partitioned", peer, s);
		}, (void)0);
		CALL(MPI_Pready_range(1, 2, requests[0]));
		if (i == 0) {
			CALL(MPI_Pready_list(2, list, requests[0]));
		} else {
			CALL(MPI_Pready(0, requests[0]));
			CALL(MPI_Pready(3, requests[0]));
		}
		do
			CALL(MPI_Parrived(requests[1], 2, &flag));
		while (!flag);
		MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
			expect_request("sent", s);
			expect_line("  recv from=%d tag=40 comm=" WORLD " bytes=32 request=0.%d partitioned", peer, r);
		});
		CHECK(got[0] == peer);
	}
	CALL(MPI_Request_free(&requests[0]));
	CALL(MPI_Request_free(&requests[1]));
}
#endif

#ifdef HYB_HAS_MPI_Irecv_c
static void large_counts(void)
{
	MPI_Request requests[2];
	MPI_Count n = 3;
	int value[3] = { me };
	int got[3];
	int r;
	int s;

	EVENTS(MPI_Irecv_c(got, n, MPI_INT, peer, 41, MPI_COMM_WORLD, &requests[0]), (void)0,
	       r = expect_irecv());
	EVENTS(MPI_Issend_c(value, n, MPI_INT, peer, 41, MPI_COMM_WORLD, &requests[1]),
	       s = expect_isend(peer, 41, WORLD, 12), (void)0);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 41, WORLD, 12, r);
		expect_request("sent", s);
	});
	CALL(MPI_Recv_init_c(got, n, MPI_INT, peer, 42, MPI_COMM_WORLD, &requests[0]));
	CALL(MPI_Send_init_c(value, n, MPI_INT, peer, 42, MPI_COMM_WORLD, &requests[1]));
	EVENTS(MPI_Startall(2, requests), {
		r = request_new();
		s = expect_isend(peer, 42, WORLD, 12);
		expect_request("irecv", r);
	}, (void)0);
	MANY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), {
		expect_irecv_done(peer, 42, WORLD, 12, r);
		expect_request("sent", s);
	});
	CALL(MPI_Request_free(&requests[0]));
	CALL(MPI_Request_free(&requests[1]));
}
#endif

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	mixed();
	shared();
	nothing();
	errors(false);
	errors(true);
	cancelled_send();
#ifdef HYB_HAS_MPI_Irecv_c
	large_counts();
#endif
#ifdef HYB_HAS_MPI_Psend_init
	partitioned();
#endif
	CALL(MPI_Finalize());
	return 0;
}
