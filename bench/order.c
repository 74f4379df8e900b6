/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the order of a run costs to record. `order` (one rank, which sends to itself): nanoseconds of CPU time of a
 * send and a receive that names its source, of the same from any source, of MPI_Irecv from any source with MPI_Waitall,
 * of MPI_Waitany of two, of MPI_Test and MPI_Iprobe that find nothing. `order N` (any number of ranks): N messages from
 * each of the others to rank 0, which receives from anyone. One line; the median of batches.
 */
#include <mpi.h>

#include "clock.h"

#if defined(__GNUC__) && !defined(__clang__)
/* MPI_STATUSES_IGNORE is no array, as the headers' attributes make the compiler believe */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define BATCHES 21

static MPI_Request never[2];

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void exchange_with(int source)
{
	MPI_Request request;
	int sent = 1;
	int got;

	MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	MPI_Recv(&got, 1, MPI_INT, source, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void named(void)
{
	exchange_with(0);
}

static void from_anyone(void)
{
	exchange_with(MPI_ANY_SOURCE);
}

static void posted(void)
{
	MPI_Request requests[2];
	int sent = 1;
	int got;

	MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &requests[0]);
	MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void waitany(void)
{
	MPI_Request requests[2];
	int sent = 1;
	int index;
	int got;

	MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
	MPI_Isend(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
	MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void test(void)
{
	int flag;

	MPI_Test(&never[0], &flag, MPI_STATUS_IGNORE);
	if (flag)
		abort();
}

static void iprobe(void)
{
	int flag;

	MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	if (flag)
		abort();
}

static double median_of_batches(int times, void (*what)(void))
{
	double ns[BATCHES];

	for (int i = 0; i < times; i++)
		what();
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = cpu_ns();

		for (int i = 0; i < times; i++)
			what();
		ns[batch] = (double)(cpu_ns() - start) / times;
	}
	qsort(ns, BATCHES, sizeof(*ns), bench_compare);
	return ns[BATCHES / 2];
}

static void measure(void)
{
	static void (*const calls[])(void) = { named, from_anyone, posted, waitany, test, iprobe };
	static int into;

	bench_pin();
	MPI_Irecv(&into, 1, MPI_INT, 0, 77, MPI_COMM_SELF, &never[0]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		printf("%.2f ", median_of_batches(20000, calls[i]));
	printf("\n");
	MPI_Cancel(&never[0]);
	MPI_Wait(&never[0], MPI_STATUS_IGNORE);
}

static void gather(int messages)
{
	int rank, size, value = 0;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < (rank ? messages : messages * (size - 1)); i++) {
		if (rank)
			MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		else
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (!rank)
		printf("%d\n", messages * (size - 1));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 1)
		gather(atoi(argv[1]));
	else
		measure();
	MPI_Finalize();
	return 0;
}
