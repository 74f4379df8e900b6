/* SPDX-License-Identifier: BSD-3-Clause */
/* newer: functions of MPI 4.1, by two ranks. Wants HYBMON_MPI_POLL=all. */
#include "requests.h"

#ifndef HYB_HAS_MPI_Request_get_status_any

int main(void)
{
	return 77;
}

#else

static int me;
static int peer;

/* Requests that are asked about several at a time stay: what they did comes with the call that ends them. */
static void ask(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int value = me, got = -1;
	int indices[2];
	int count, error, flag, index, r, s, source, tag;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[0]), (void)0, r = expect_irecv());
	EVENTS(MPI_Isend(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[1]),
	       s = expect_isend(peer, 5, WORLD, 4), (void)0);
	do
		CALL(MPI_Request_get_status_any(2, requests, &index, &flag, &statuses[0]));
	while (!flag);
	CHECK(index == 0 || index == 1);
	do
		CALL(MPI_Request_get_status_some(2, requests, &count, indices, statuses));
	while (count < 1);
	do
		CALL(MPI_Request_get_status_all(2, requests, &flag, statuses));
	while (!flag);
	CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
	MANY(MPI_Waitall(2, requests, statuses), {
		expect_irecv_done(peer, 5, WORLD, 4, r);
		expect_request("sent", s);
	});
	CALL(MPI_Status_get_source(&statuses[0], &source));
	CALL(MPI_Status_get_tag(&statuses[0], &tag));
	CALL(MPI_Status_set_error(&statuses[0], MPI_ERR_OTHER));
	CALL(MPI_Status_get_error(&statuses[0], &error));
	CALL(MPI_Status_set_source(&statuses[0], 1));
	CALL(MPI_Status_set_tag(&statuses[0], 2));
	CHECK(got == peer && source == peer && tag == 5 && error == MPI_ERR_OTHER);
	CHECK(statuses[0].MPI_SOURCE == 1 && statuses[0].MPI_TAG == 2);
}

/* Buffers of a communicator's own. */
static void buffered(void)
{
	static char buffer[1000 + MPI_BSEND_OVERHEAD];
	MPI_Request request;
	void *detached;
	int value = me, got = -1;
	int size;

	CALL(MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, sizeof(buffer)));
	SEND(MPI_Bsend(&value, 1, MPI_INT, peer, 6, MPI_COMM_WORLD), peer, 6, WORLD, 4);
	CALL(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request));
	RECV(MPI_Recv(&got, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, 6, WORLD, 4);
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CALL(MPI_Comm_flush_buffer(MPI_COMM_WORLD));
	CALL(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &detached, &size));
	CHECK(got == peer && detached == (void *)buffer && size == (int)sizeof(buffer));
}

int main(int argc, char **argv)
{
	int class;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	ask();
	buffered();
	CALL(MPI_Add_error_class(&class));
	CALL(MPI_Remove_error_class(class));
	CALL(MPI_Finalize());
	return 0;
}

#endif
