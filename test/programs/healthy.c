/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs in which nothing is wrong, and that go on until they are killed: `healthy NAME SEED`. check.test kills their
 * ranks one after the other, at moments drawn by chance.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE (256 << 10)

static int rank, size, value;
static char *large, *more;
static unsigned int seed;

static int chance(int n)
{
	return (int)(rand_r(&seed) % (unsigned int)n);
}

static int next_rank(void)
{
	return (rank + 1) % size;
}

static int previous_rank(void)
{
	return (rank + size - 1) % size;
}

/* Some time for oneself, which differs. */
static void compute(void)
{
	for (volatile int i = chance(20000); i > 0; i--)
		;
}

static void ring(void)
{
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, next_rank(), 5, MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, previous_rank(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank)
		MPI_Send(&value, 1, MPI_INT, next_rank(), 5, MPI_COMM_WORLD);
}

static void large_ring(void)
{
	if (rank % 2)
		MPI_Recv(large, LARGE, MPI_CHAR, previous_rank(), 5, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	MPI_Send(large, LARGE, MPI_CHAR, next_rank(), 5, MPI_COMM_WORLD);
	if (rank % 2 == 0)
		MPI_Recv(large, LARGE, MPI_CHAR, previous_rank(), 5, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
}

static void pairs(void)
{
	if (rank % 2) {
		MPI_Recv(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ssend(&value, 1, MPI_INT, rank ^ 1, 6, MPI_COMM_WORLD);
	} else {
		MPI_Send(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, rank ^ 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void collectives(void)
{
	static int count;
	int sum[64], root = count++ % size;

	compute();
	switch (count % 6) {
	case 0:
		MPI_Barrier(MPI_COMM_WORLD);
		break;
	case 1:
		MPI_Bcast(large, LARGE, MPI_CHAR, root, MPI_COMM_WORLD);
		break;
	case 2:
		MPI_Reduce(&value, sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
		break;
	case 3:
		MPI_Allreduce(&value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case 4:
		MPI_Gather(&value, 1, MPI_INT, sum, 1, MPI_INT, root, MPI_COMM_WORLD);
		break;
	case 5:
		MPI_Allgather(&value, 1, MPI_INT, sum, 1, MPI_INT, MPI_COMM_WORLD);
		break;
	}
}

static void stencil(void)
{
	MPI_Request requests[4];
	MPI_Status statuses[4];
	int bytes = chance(4) ? 100 : LARGE;

	MPI_Irecv(large, LARGE, MPI_CHAR, previous_rank(), 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(large + LARGE, LARGE, MPI_CHAR, next_rank(), 2, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(more, bytes, MPI_CHAR, next_rank(), 1, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(more, bytes, MPI_CHAR, previous_rank(), 2, MPI_COMM_WORLD, &requests[3]);
	compute();
	MPI_Waitall(4, requests, statuses);
}

/* Receives that are begun long before, sends that need them. */
static void begun_before(void)
{
	MPI_Request request;

	MPI_Irecv(large, LARGE, MPI_CHAR, previous_rank(), 1, MPI_COMM_WORLD, &request);
	MPI_Send(more, LARGE, MPI_CHAR, next_rank(), 1, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void any_of(void)
{
	MPI_Request requests[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int values[3], which;

	if (rank) {
		compute();
		MPI_Send(&value, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	for (int i = 1; i < size && i <= 3; i++)
		MPI_Irecv(&values[i - 1], 1, MPI_INT, i, i, MPI_COMM_WORLD, &requests[i - 1]);
	for (int i = 1; i < size && i <= 3; i++) {
		MPI_Waitany(3, requests, &which, MPI_STATUS_IGNORE);
		MPI_Send(&value, 1, MPI_INT, which + 1, 0, MPI_COMM_WORLD);
	}
}

static void server(void)
{
	MPI_Status status;

	if (rank) {
		compute();
		MPI_Ssend(&value, 1, MPI_INT, 0, chance(100), MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	if (chance(2))
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD);
}

static void sendrecv(void)
{
	MPI_Sendrecv(large, LARGE, MPI_CHAR, next_rank(), 5, more, LARGE, MPI_CHAR, previous_rank(),
		     5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void polling(void)
{
	MPI_Request request;
	int flag = 0;

	MPI_Irecv(&value, 1, MPI_INT, previous_rank(), 5, MPI_COMM_WORLD, &request);
	MPI_Send(&rank, 1, MPI_INT, next_rank(), 5, MPI_COMM_WORLD);
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int sum;

	MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
	compute();
	MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses);
}

/* Communicators come and go, messages between. */
static void comms(void)
{
	MPI_Comm half, copy;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Comm_dup(half, &copy);
	MPI_Barrier(copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&half);
	ring();
}

static MPI_Win window(void)
{
	static MPI_Win win = MPI_WIN_NULL;
	int *memory;

	if (win == MPI_WIN_NULL)
		MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	return win;
}

static void fences(void)
{
	MPI_Win win = window();

	MPI_Win_fence(0, win);
	MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	ring();
}

static void locks(void)
{
	int target = chance(size), got;
	MPI_Win win = window();

	MPI_Win_lock(chance(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
	MPI_Get(&got, 1, MPI_INT, target, 0, 1, MPI_INT, win);
	if (chance(2))
		MPI_Win_flush(target, win);
	MPI_Win_unlock(target, win);
	if (chance(4) == 0)
		compute();
}

static void post_start(void)
{
	static MPI_Group to = MPI_GROUP_NULL, from = MPI_GROUP_NULL;
	MPI_Win win = window();
	MPI_Group world;
	int other;

	if (to == MPI_GROUP_NULL) {
		MPI_Comm_group(MPI_COMM_WORLD, &world);
		other = next_rank();
		MPI_Group_incl(world, 1, &other, &to);
		other = previous_rank();
		MPI_Group_incl(world, 1, &other, &from);
	}
	MPI_Win_post(from, 0, win);
	MPI_Win_start(to, 0, win);
	MPI_Put(&value, 1, MPI_INT, next_rank(), 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
}

static void inter(void)
{
	static MPI_Comm between = MPI_COMM_NULL;
	MPI_Comm half;
	int sum;

	if (between == MPI_COMM_NULL) {
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 3, &between);
	}
	if (rank % 2)
		MPI_Send(&value, 1, MPI_INT, rank / 2, 5, between);
	else
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, between, MPI_STATUS_IGNORE);
	MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, between);
}

static void *answer(void *arg)
{
	int got;

	for (;;) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&got, 1, MPI_INT, got, 2, MPI_COMM_WORLD);
	}
	return arg;
}

/* A second thread of each rank answers. */
static void threads(void)
{
	static pthread_t thread;
	static int begun;

	if (!begun)
		begun = !pthread_create(&thread, NULL, answer, NULL);
	MPI_Send(&rank, 1, MPI_INT, chance(size), 1, MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each rank records other groups of functions. */
static void choose_groups(void)
{
	static const char *const groups[] = { "all", "-coll", "-p2p,-env", "rma,topo" };
	const char *of_openmpi = getenv("OMPI_COMM_WORLD_RANK"), *of_mpich = getenv("PMI_RANK");
	int number = atoi(of_openmpi ? of_openmpi : of_mpich ? of_mpich : "0");

	setenv("HYBMON_MPI", groups[number % 4], 1);
}

static void groups(void)
{
	MPI_Comm copy;

	collectives();
	sendrecv();
	large_ring();
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	compute();
	MPI_Barrier(copy);
	MPI_Comm_free(&copy);
	fences();
	post_start();
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "ring", ring },
	{ "large-ring", large_ring },
	{ "pairs", pairs },
	{ "collectives", collectives },
	{ "stencil", stencil },
	{ "begun-before", begun_before },
	{ "any-of", any_of },
	{ "server", server },
	{ "sendrecv", sendrecv },
	{ "polling", polling },
	{ "nonblocking", nonblocking },
	{ "comms", comms },
	{ "fences", fences },
	{ "locks", locks },
	{ "post-start", post_start },
	{ "inter", inter },
	{ "threads", threads },
	{ "groups", groups },
};

int main(int argc, char **argv)
{
	int level;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc > 2 && !strcmp(ways[i].name, argv[1]))
			break;
	if (i == sizeof(ways) / sizeof(ways[0]))
		return 2;
	if (ways[i].run == groups)
		choose_groups();
	if (ways[i].run == threads)
		MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	else
		MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	seed = (unsigned int)atoi(argv[2]) * 1000 + (unsigned int)rank;
	large = calloc(2, LARGE);
	more = calloc(1, LARGE);
	for (;;)
		ways[i].run();
}
