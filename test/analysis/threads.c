/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads MODE ROUNDS: threads of each rank send to the next rank and receive from the one before, all on the same
 * channels, so which of them gets what depends on which comes first. Each thread of each rank prints what it saw.
 *
 *	recv		receives that name all
 *	any		receives from anyone with any tag
 *	post		several receives at once, completed in any order
 *	probe		matched probes, blocking
 *	improbe		the same until one finds something
 *	sendrecv	both at once, in one buffer every other time
 *	persistent	requests that are started
 *	modes		other ways to send
 *	own		half of the threads' messages are their own, by tag
 */
#include <mpi.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 4
#define SEVERAL 3

static int rank, ranks, to, from;
static uint64_t seen[THREADS];

/* Threads come at other times in each run. */
static void linger(unsigned int *state)
{
	*state = *state * 1664525 + 1013904223;
	if (*state >> 30 == 0)
		usleep(*state >> 8 & 127);
}

static void see(int thread, int64_t what)
{
	seen[thread] = (seen[thread] ^ (uint64_t)what) * UINT64_C(0x100000001b3);
}

static void recv(int thread, int value, int tag)
{
	int got;

	MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
	MPI_Recv(&got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	see(thread, got);
}

static void any(int thread, int value, int tag)
{
	MPI_Status status;
	int got;

	MPI_Send(&value, 1, MPI_INT, to, thread % 2, MPI_COMM_WORLD);
	MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	see(thread, got);
	see(thread, status.MPI_TAG);
	(void)tag;
}

static void post(int thread, int value, int tag)
{
	MPI_Request requests[2 * SEVERAL];
	int got[SEVERAL], sent[SEVERAL], index;

	for (int i = 0; i < SEVERAL; i++) {
		sent[i] = value * SEVERAL + i;
		MPI_Irecv(&got[i], 1, MPI_INT, i ? from : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
		MPI_Isend(&sent[i], 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[SEVERAL + i]);
	}
	for (int i = 0; i < 2 * SEVERAL; i++) {
		MPI_Waitany(2 * SEVERAL, requests, &index, MPI_STATUS_IGNORE);
		see(thread, index);
	}
	for (int i = 0; i < SEVERAL; i++)
		see(thread, got[i]);
}

static void probe(int thread, int value, int tag)
{
	MPI_Message message;
	MPI_Status status;
	MPI_Request request;
	int got[8] = { 0 }, sent[8], count;

	memset(sent, 0, sizeof(sent));
	sent[0] = value;
	MPI_Isend(sent, 1 + value % 7, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
	MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	MPI_Mrecv(got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
	see(thread, count * 100000 + got[0]);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void improbe(int thread, int value, int tag)
{
	MPI_Message message;
	int got, flag = 0, tries = 0;

	MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
	for (; !flag; tries++)
		MPI_Improbe(from, tag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
	MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	see(thread, got);
	see(thread, tries);
}

static void sendrecv(int thread, int value, int tag)
{
	MPI_Status status;
	int got = value;

	if (value % 2)
		MPI_Sendrecv_replace(&got, 1, MPI_INT, to, tag, from, tag, MPI_COMM_WORLD, &status);
	else
		MPI_Sendrecv(&value, 1, MPI_INT, to, tag, &got, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	see(thread, got);
	see(thread, status.MPI_SOURCE);
}

/* MPICH declares no statuses as an array of none. */
static void persistent(int thread, int value, int tag)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int got[2], sent = value;

	MPI_Recv_init(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
	MPI_Send_init(&sent, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[1]);
	for (int i = 0; i < 2; i++) {
		if (i)
			MPI_Startall(2, requests);
		else {
			MPI_Start(&requests[0]);
			MPI_Start(&requests[1]);
		}
		MPI_Waitall(2, requests, statuses);
		see(thread, got[0]);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void modes(int thread, int value, int tag)
{
	MPI_Request request;
	int got;

	MPI_Irecv(&got, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
	switch (value % 4) {
	case 0:
		MPI_Ssend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
		break;
	case 1:
		MPI_Bsend(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
		break;
	default:
		MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
		break;
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	see(thread, got);
}

static void own(int thread, int value, int tag)
{
	int got;

	recv(thread, value, value / ranks / THREADS % 2 ? tag : 100 + thread);
	MPI_Send(&value, 1, MPI_INT, rank, 200 + thread % 2, MPI_COMM_WORLD);
	MPI_Recv(&got, 1, MPI_INT, rank, 200 + thread % 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	see(thread, got);
}

static const struct {
	const char *name;
	void (*round)(int thread, int value, int tag);
} all[] = {
	{ "recv", recv }, { "any", any }, { "post", post }, { "probe", probe }, { "improbe", improbe },
	{ "sendrecv", sendrecv }, { "persistent", persistent }, { "modes", modes }, { "own", own },
};

static void run(void (*round)(int, int, int), int rounds)
{
#pragma omp parallel num_threads(THREADS)
	{
		int thread = omp_get_thread_num();
		unsigned int state = (unsigned int)(getpid() * 31 + thread);

		for (int i = 0; i < rounds; i++) {
			linger(&state);
			round(thread, (i * THREADS + thread) * ranks + rank, 1);
		}
	}
}

/* Rank 0 prints all, so that no launcher mixes lines. */
static void print(void)
{
	uint64_t *everything = malloc((size_t)ranks * sizeof(seen));

	MPI_Gather(seen, THREADS, MPI_UINT64_T, everything, THREADS, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (int i = 0; !rank && i < ranks * THREADS; i++)
		printf("%d.%d %016llx\n", i / THREADS, i % THREADS, (unsigned long long)everything[i]);
	free(everything);
}

int main(int argc, char **argv)
{
	static char buffered[1 << 20];
	void (*round)(int, int, int) = NULL;
	int provided, size = sizeof(buffered);
	void *buffer = buffered;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	to = (rank + 1) % ranks;
	from = (rank + ranks - 1) % ranks;
	for (size_t i = 0; argc > 2 && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name))
			round = all[i].round;
	if (!round || provided < MPI_THREAD_MULTIPLE) {
		fprintf(stderr, "threads: %s\n", round ? "this MPI has no MPI_THREAD_MULTIPLE" : "usage: threads MODE ROUNDS");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Buffer_attach(buffer, size);
	run(round, atoi(argv[2]));
	MPI_Buffer_detach(&buffer, &size);
	print();
	MPI_Finalize();
	return 0;
}
