/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traffic KIND TURNS MICROSECONDS PAUSE: messages between neighbours, TURNS times with so much work of each rank
 * between, and in the middle a pause of so many milliseconds in which nothing is sent: what is known of clocks from
 * messages.
 *
 *	pingpong	rank 0 with each other one, there and back
 *	ring		each rank to the next one only
 *	oneway		each rank to the next one, the last one to nobody; a barrier now and then
 *	pipe		the same without barriers: nothing ever comes back
 *	collective	collective operations and nothing else, each rank the root in turn
 *	none		no messages at all
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;
static int last; /* turn */
static int data[256];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Takes a while, another one each time. */
static void work(int turn, double microseconds)
{
	double end = now() + microseconds * 1e-6 * (0.5 + (unsigned int)(turn * 7919 + rank * 104729) % 1000 / 1e3);

	while (now() < end)
		;
}

static void pingpong(int turn)
{
	for (int other = 1; other < ranks; other++) {
		if (!rank) {
			MPI_Send(data, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
			MPI_Recv(data, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else if (rank == other) {
			MPI_Recv(data, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		}
	}
	(void)turn;
}

static void ring(int turn)
{
	int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;

	if (rank == turn % ranks) {
		MPI_Send(data, 4, MPI_INT, to, 3, MPI_COMM_WORLD);
		MPI_Recv(data, 4, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(data, 4, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(data, 4, MPI_INT, to, 3, MPI_COMM_WORLD);
	}
}

static void pipe_(int turn)
{
	(void)turn;
	if (rank > 0)
		MPI_Recv(data, 2, MPI_INT, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank + 1 < ranks)
		MPI_Send(data, 2, MPI_INT, rank + 1, 4, MPI_COMM_WORLD);
}

static void collective(int turn)
{
	int sum[256];

	switch (turn % 4) {
	case 0:
		MPI_Barrier(MPI_COMM_WORLD);
		break;
	case 1:
		MPI_Allreduce(data, sum, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case 2:
		MPI_Bcast(data, 8, MPI_INT, turn / 4 % ranks, MPI_COMM_WORLD);
		break;
	case 3:
		MPI_Reduce(data, sum, 8, MPI_INT, MPI_SUM, turn / 4 % ranks, MPI_COMM_WORLD);
		break;
	}
}

static void oneway(int turn)
{
	if (turn % 20 == 0 || turn == last)
		MPI_Barrier(MPI_COMM_WORLD);
	pipe_(turn);
}

static void none(int turn)
{
	(void)turn;
}

/*
 * The end, unrecorded. MPICH 4.0.2 with UCX hangs in MPI_Finalize of several nodes now and then, also without hybmon:
 * one rank waits for an answer of another one, which waits for all in the launcher's barrier and gives none any more.
 * Hydra is content with ranks that end without it.
 */
static void end(void)
{
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
#ifdef MPICH
	_exit(0);
#endif
	MPI_Finalize();
}

static const struct {
	const char *name;
	void (*turn)(int turn);
} kinds[] = {
	{ "pingpong", pingpong }, { "ring", ring },		{ "oneway", oneway },
	{ "pipe", pipe_ },	  { "collective", collective }, { "none", none },
};

int main(int argc, char **argv)
{
	void (*run)(int) = NULL;
	int turns = argc > 2 ? atoi(argv[2]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; argc == 5 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(argv[1], kinds[i].name))
			run = kinds[i].turn;
	}
	if (!run) {
		fprintf(stderr, "usage: traffic KIND TURNS MICROSECONDS PAUSE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	last = turns - 1;
	for (int turn = 0; turn < turns; turn++) {
		work(turn, atof(argv[3]));
		if (turn == turns / 2)
			usleep((useconds_t)atoi(argv[4]) * 1000);
		run(turn);
	}
	end();
	return 0;
}
