/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restart: persistent sends that are started while recording is paused, and again after that. Some MPIs give such a
 * request another handle when it is started anew and its last message has not left yet: too long to arrive before it is
 * received.
 */
#include "requests.h"

#define LONG 65536
#define TAG 31

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

static void start(MPI_Request *sends, bool all)
{
	static const long long bytes = LONG * sizeof(int);
	int s[2];

	if (all)
		EVENTS(MPI_Startall(2, sends), for (int k = 0; k < 2; k++) s[k] = expect_isend(peer, TAG + k, WORLD, bytes),
		       (void)0);
	for (int k = 0; !all && k < 2; k++)
		EVENTS(MPI_Start(&sends[k]), s[k] = expect_isend(peer, TAG + k, WORLD, bytes), (void)0);
	MANY(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE), for (int k = 0; k < 2; k++) expect_request("sent", s[k]));
}

static void receive(void)
{
	static int got[LONG];

	for (int k = 0; k < 2; k++) {
		RECV(MPI_Recv(got, LONG, MPI_INT, peer, TAG + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE), peer, TAG + k,
		     WORLD, sizeof(got));
		CHECK(got[LONG - 1] == peer);
	}
}

int main(int argc, char **argv)
{
	static int data[LONG];
	static char space[12 * (sizeof(data) + MPI_BSEND_OVERHEAD)];
	MPI_Request sends[2];
	void *back;
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	peer = 1 - me;
	data[LONG - 1] = me;
	CALL(MPI_Buffer_attach(space, sizeof(space)));
	for (int k = 0; k < 2; k++)
		CALL(MPI_Bsend_init(data, LONG, MPI_INT, peer, TAG + k, MPI_COMM_WORLD, &sends[k]));
	start(sends, false);
	pause_recording();
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			MPI_Startall(2, sends);
		else
			for (int k = 0; k < 2; k++)
				MPI_Start(&sends[k]);
		MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
	}
	resume_recording();
	start(sends, true);
	start(sends, false);

	receive();
	pause_recording();
	for (int i = 0; i < 4; i++)
		MPI_Recv(data, LONG, MPI_INT, peer, TAG + i % 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	resume_recording();
	receive();
	receive();
	for (int k = 0; k < 2; k++)
		CALL(MPI_Request_free(&sends[k]));
	CALL(MPI_Buffer_detach(&back, &size));
	CALL(MPI_Finalize());
	return 0;
}
