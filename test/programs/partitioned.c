/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * partitioned: rank 0 sends a partitioned message and a plain one with the same tag, and rank 1 receives both; each of
 * them records one half of each only, by pausing: a partitioned send, and a plain receive, which do not belong
 * together. partitioned all: both are recorded. Status 77: this MPI has no such messages.
 */
#include "requests.h"

#ifndef HYB_HAS_MPI_Psend_init

int main(void)
{
	return 77;
}

#else

#define TAG 5

static int me;
static bool all;

static void pause_recording(void)
{
	if (all)
		return;
	CALL(MPI_Pcontrol(0));
	expect_line("recording off");
}

static void resume_recording(void)
{
	if (all)
		return;
	expect_line("recording on");
	CALL(MPI_Pcontrol(1));
}

static void send_partitioned(void)
{
	MPI_Request request;
	int data[4] = { 1, 2, 3, 4 };
	int s;

	CALL(MPI_Psend_init(data, 2, 2, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	EVENTS(MPI_Start(&request), {
		s = request_new();
		expect_line("  send to=1 tag=%d comm=" WORLD " bytes=16 request=0.%d partitioned", TAG, s);
	}, (void)0);
	CALL(MPI_Pready_range(0, 1, request));
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0, expect_request("sent", s));
	CALL(MPI_Request_free(&request));
}

static void receive_partitioned(void)
{
	MPI_Request request;
	int got[4];
	int r;

	CALL(MPI_Precv_init(got, 2, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
	EVENTS(MPI_Start(&request), (void)0, r = expect_irecv());
	EVENTS(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0,
	       expect_line("  recv from=0 tag=%d comm=" WORLD " bytes=16 request=0.%d partitioned", TAG, r));
	CHECK(got[3] == 4);
	CALL(MPI_Request_free(&request));
}

static void send_plain(void)
{
	int data[4] = { 5, 6, 7, 8 };

	SEND(MPI_Send(data, 4, MPI_INT, 1, TAG, MPI_COMM_WORLD), 1, TAG, WORLD, 16);
}

static void receive_plain(void)
{
	int got[4];

	RECV(MPI_Recv(got, 4, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0, TAG, WORLD, 16);
	CHECK(got[3] == 8);
}

/* What is not recorded is not written down either. */
static void unseen(void (*what)(void))
{
	int fd = expect_self.fd;
	int count = request_count;

	pause_recording();
	if (!all)
		expect_self.fd = -2;
	what();
	if (!all) {
		expect_self.fd = fd;
		request_count = count;
	}
	resume_recording();
}

int main(int argc, char **argv)
{
	all = argc > 1;
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	if (me == 0) {
		send_partitioned();
		unseen(send_plain);
	} else {
		unseen(receive_partitioned);
		receive_plain();
	}
	CALL(MPI_Finalize());
	return 0;
}

#endif
