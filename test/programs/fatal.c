/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fatal WAY FILE: rank 0 receives one number at a time, from whoever comes first, by WAY; each third message of rank 2 has
 * two numbers, which is an error, and fatal. It writes into FILE from whom each came that had none: which ones these are,
 * and which one is the last, differs from run to run, since all send after random times. Rank 3 waits until each of its
 * messages is received.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 20
#define OPEN 3

static int file;
static int got[OPEN][2];

static void linger(void)
{
	unsigned short n = 0;
	struct timespec t;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		abort();
	t = (struct timespec){ .tv_nsec = n % 500 * 1000L };
	nanosleep(&t, NULL);
}

static void send_all(int rank)
{
	const int numbers[2] = { rank, rank };

	for (int i = 0; i < ROUNDS; i++) {
		linger();
		if (rank == 3)
			MPI_Ssend(numbers, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
		else
			MPI_Send(numbers, 1 + (rank == 2 && i % 3 == 2), MPI_INT, 0, i, MPI_COMM_WORLD);
	}
}

static void note(int source)
{
	char line[32];
	const int length = snprintf(line, sizeof(line), "%d\n", source);

	if (write(file, line, (size_t)length) != length)
		abort();
}

static void receive(void)
{
	MPI_Recv(got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	note(got[0][0]);
}

static void exchange(void)
{
	MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	note(got[0][0]);
}

static void post(MPI_Request *requests)
{
	for (int i = 0; i < OPEN; i++) {
		if (requests[i] == MPI_REQUEST_NULL)
			MPI_Irecv(got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
	}
}

static void wait_one(MPI_Request *requests)
{
	MPI_Status status;

	post(requests);
	for (int i = 0; i < OPEN; i++) {
		MPI_Wait(&requests[i], &status);
		note(status.MPI_SOURCE);
	}
}

static void wait_all(MPI_Request *requests)
{
	post(requests);
	MPI_Waitall(OPEN, requests, MPI_STATUSES_IGNORE);
	for (int i = 0; i < OPEN; i++)
		note(got[i][0]);
}

static void wait_any(MPI_Request *requests)
{
	int index;

	post(requests);
	MPI_Waitany(OPEN, requests, &index, MPI_STATUS_IGNORE);
	note(got[index][0]);
}

static void wait_some(MPI_Request *requests)
{
	int done, indices[OPEN];

	post(requests);
	MPI_Waitsome(OPEN, requests, &done, indices, MPI_STATUSES_IGNORE);
	for (int k = 0; k < done; k++)
		note(got[indices[k]][0]);
}

static void test(MPI_Request *requests)
{
	int done = 0;

	post(requests);
	for (int i = 0; !done; i = (i + 1) % OPEN) {
		MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
		if (done)
			note(got[i][0]);
	}
}

/* So late that others are complete, too, which it does not look at. */
static void test_late(MPI_Request *requests)
{
	post(requests);
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	test(requests);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(MPI_Request *requests);
	} ways[] = { { "wait", wait_one }, { "waitall", wait_all }, { "waitany", wait_any }, { "waitsome", wait_some },
		    { "test", test },
		    { "late", test_late } };
	MPI_Request requests[OPEN] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* All are there before one ends. */
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank) {
		send_all(rank);
		MPI_Finalize();
		return 0;
	}
	file = argc > 2 ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	for (int i = 0; i < 3 * ROUNDS; i++) {
		if (!strcmp(argv[1], "recv"))
			receive();
		else if (!strcmp(argv[1], "sendrecv"))
			exchange();
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++) {
			if (!strcmp(argv[1], ways[k].name))
				ways[k].run(requests);
		}
	}
	note(-1);
	MPI_Finalize();
	return 0;
}
