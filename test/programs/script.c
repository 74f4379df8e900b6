/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank does what its argument says, one word a step: sD.T sends to rank D with tag T; rS.T receives, iS.T begins to
 * receive, from S with tag T, each a number or *; wN waits for the N-th that it began, from 0; b is a barrier; dN waits
 * for N milliseconds; p0 pauses the recording, p1 goes on. A message is a number, its sender * 1000 + how many that has
 * sent before. Each rank prints what its receives got, in the order in which they were posted: RANK N SENDER COUNT.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 64

static int got[MOST], posted, begun_at[MOST], begun, sent, rank;
static MPI_Request requests[MOST];

static int number(const char *text, int any)
{
	return *text == '*' ? any : atoi(text);
}

static void step(const char *word)
{
	const char *dot = strchr(word, '.');
	const int peer = number(word + 1, MPI_ANY_SOURCE);
	const int tag = dot ? number(dot + 1, MPI_ANY_TAG) : 0;
	int value = rank * 1000 + sent;

	switch (*word) {
	case 's':
		sent++;
		MPI_Send(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
		break;
	case 'r':
		MPI_Recv(&got[posted++], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 'i':
		begun_at[begun] = posted;
		MPI_Irecv(&got[posted++], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[begun++]);
		break;
	case 'w':
		MPI_Wait(&requests[peer], MPI_STATUS_IGNORE);
		break;
	case 'd':
		nanosleep(&(struct timespec){ .tv_nsec = peer * 1000000L }, NULL);
		break;
	case 'p':
		MPI_Pcontrol(peer);
		break;
	case 'b':
		MPI_Barrier(MPI_COMM_WORLD);
		break;
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank + 1 < argc) {
		for (char *word = strtok(argv[rank + 1], " "); word; word = strtok(NULL, " "))
			step(word);
	}
	for (int i = 0; i < posted; i++)
		printf("%d %d %d %d\n", rank, i, got[i] / 1000, got[i] % 1000);
	MPI_Finalize();
	return 0;
}
