/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that hang, each in its own way: `hang NAME`. Ranks say that they have come to the last call by a file of their
 * own in TEST_EXPECT; check.test looks at them then, and ends them.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE (4 << 20)

static int rank, size;
static char *large;
static int value;

/* From here on this rank may never come back. */
static void last_call(void)
{
	const char *dir = getenv("TEST_EXPECT");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/stands.%d", dir ? dir : ".", rank);
	f = fopen(path, "w");
	if (f)
		fclose(f);
}

static void rest(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static int next_rank(void)
{
	return (rank + 1) % size;
}

static int previous_rank(void)
{
	return (rank + size - 1) % size;
}

static void recv_recv(void)
{
	last_call();
	MPI_Recv(&value, 1, MPI_INT, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Send(&value, 1, MPI_INT, rank ^ 1, 5, MPI_COMM_WORLD);
}

static void send_send(void)
{
	last_call();
	MPI_Send(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD);
	MPI_Recv(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void isend_wait(void)
{
	MPI_Request request;

	last_call();
	MPI_Isend(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Recv(large, LARGE, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ssend_ring(void)
{
	last_call();
	MPI_Ssend(&value, 1, MPI_INT, next_rank(), 5, MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, previous_rank(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_tag(void)
{
	last_call();
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void wrong_source(void)
{
	last_call();
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void wrong_comm(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_name(other, "other");
	last_call();
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 0, 5, other);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void wrong_root(void)
{
	for (int i = 0; i < 100; i++)
		MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	last_call();
	MPI_Bcast(large, LARGE, MPI_CHAR, rank == 1, MPI_COMM_WORLD);
	rest();
	pause();
}

static void missing_in_barrier(void)
{
	last_call();
	if (rank == 2)
		MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void swapped(void)
{
	MPI_Comm other;

	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_name(other, "other");
	last_call();
	MPI_Barrier(rank ? MPI_COMM_WORLD : other);
	MPI_Barrier(rank ? other : MPI_COMM_WORLD);
}

static void bcast_reduce(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	last_call();
	if (rank == 1)
		MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	rest();
	pause();
}

static void differing_counts(void)
{
	last_call();
	MPI_Allreduce(MPI_IN_PLACE, large, rank ? LARGE / 2 : LARGE / 4, MPI_CHAR, MPI_BOR,
		      MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, rank ^ 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void early_return(void)
{
	last_call();
	if (rank == 1) {
		/* the launcher ends the others then */
		sleep(1);
		return;
	}
	MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void lock_held(void)
{
	MPI_Win win;
	int *memory;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_set_name(win, "shared window");
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	last_call();
	if (rank == 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
	}
	if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

static void fence_missing(void)
{
	MPI_Win win;
	int *memory;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_fence(0, win);
	last_call();
	if (rank)
		MPI_Win_fence(0, win);
	rest();
}

static void post_start(void)
{
	MPI_Group world, one;
	MPI_Win win;
	int *memory, other = rank == 0 ? 1 : 0;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &one);
	last_call();
	if (rank == 0) { /* should post */
		MPI_Win_start(one, 0, win);
		MPI_Win_complete(win);
	}
	if (rank == 1) {
		MPI_Win_start(one, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	}
	rest();
}

static void wait_complete(void)
{
	MPI_Group world, one;
	MPI_Win win;
	int *memory, other = 1;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &one);
	last_call();
	if (rank == 0) {
		MPI_Win_post(one, 0, win);
		MPI_Win_wait(win);
	}
	rest();
}

static void wait_unserved(void)
{
	MPI_Request request;

	last_call();
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	rest();
}

static void waitall_missing(void)
{
	MPI_Request requests[4];
	MPI_Status statuses[4];
	int values[4];

	last_call();
	if (rank == 0) {
		for (int i = 0; i < 4; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitall(4, requests, statuses);
	}
	if (rank == 1)
		for (int i = 0; i < 4; i++)
			if (i != 2)
				MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	rest();
}

static void waitany_none(void)
{
	MPI_Request requests[2];
	int values[2], which;

	last_call();
	if (rank == 0) {
		MPI_Irecv(&values[0], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&values[1], 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
	}
	rest();
}

static MPI_Request handed;

static void *wait_for_it(void *arg)
{
	last_call();
	MPI_Wait(&handed, MPI_STATUS_IGNORE);
	return arg;
}

/* The request of one thread, for which another one waits. */
static void thread_request(void)
{
	pthread_t thread;

	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &handed);
		pthread_create(&thread, NULL, wait_for_it, NULL);
		pthread_join(thread, NULL);
	}
	last_call();
	if (rank == 1)
		MPI_Recv(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 2)
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void probe_nothing(void)
{
	last_call();
	if (rank == 0)
		MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rest();
}

static void sendrecv_chain(void)
{
	int got;

	last_call();
	/* each receives from the one that it sends to */
	MPI_Sendrecv(&value, 1, MPI_INT, next_rank(), 5, &got, 1, MPI_INT, next_rank(), 5,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void inter(void)
{
	MPI_Comm half, between;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 3, &between);
	MPI_Comm_set_name(between, "between");
	last_call();
	MPI_Recv(&value, 1, MPI_INT, 0, 5, between, MPI_STATUS_IGNORE);
}

static void computing(void)
{
	last_call();
	if (rank == 2)
		for (volatile int i = 0;; i++)
			;
	rest();
}

/* Before MPI_Init: each rank records other groups of functions. */
static void choose_groups(void)
{
	static const char *const groups[] = { "all", "-coll", "all", "env,p2p" };
	const char *of_openmpi = getenv("OMPI_COMM_WORLD_RANK"), *of_mpich = getenv("PMI_RANK");

	setenv("HYBMON_MPI", groups[atoi(of_openmpi ? of_openmpi : of_mpich ? of_mpich : "0") % 4], 1);
}

/* All but rank 2 are in the operation, or through with it, also those of whom no operation is recorded. */
static void other_groups(void)
{
	int all[4];

	last_call();
	if (rank == 2)
		for (volatile int i = 0;; i++)
			;
	MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void finalize_early(void)
{
	last_call();
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void create_barrier(void)
{
	MPI_Comm other;

	last_call();
	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		MPI_Comm_dup(MPI_COMM_WORLD, &other);
	rest();
}

static void ibarrier(void)
{
	MPI_Request request;

	last_call();
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
	} else {
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	rest();
}

static void polls(void)
{
	MPI_Request request;
	int flag = 0;

	last_call();
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
		while (!flag)
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
	}
	rest();
}

/* Enough for a flight recorder to lose what was before. */
static void overwritten(void)
{
	int unused;

	for (int i = 0; i < 100000; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &unused);
	recv_recv();
}

static void paused(void)
{
	MPI_Pcontrol(0);
	MPI_Pcontrol(1);
	recv_recv();
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "recv-recv", recv_recv },
	{ "send-send", send_send },
	{ "isend-wait", isend_wait },
	{ "ssend-ring", ssend_ring },
	{ "wrong-tag", wrong_tag },
	{ "wrong-source", wrong_source },
	{ "wrong-comm", wrong_comm },
	{ "wrong-root", wrong_root },
	{ "missing-in-barrier", missing_in_barrier },
	{ "swapped", swapped },
	{ "bcast-reduce", bcast_reduce },
	{ "differing-counts", differing_counts },
	{ "early-return", early_return },
	{ "early-exit", early_return },
	{ "lock-held", lock_held },
	{ "fence-missing", fence_missing },
	{ "post-start", post_start },
	{ "wait-complete", wait_complete },
	{ "wait-unserved", wait_unserved },
	{ "waitall-missing", waitall_missing },
	{ "waitany-none", waitany_none },
	{ "thread-request", thread_request },
	{ "probe-nothing", probe_nothing },
	{ "sendrecv-chain", sendrecv_chain },
	{ "inter", inter },
	{ "computing", computing },
	{ "groups", other_groups },
	{ "finalize-early", finalize_early },
	{ "create-barrier", create_barrier },
	{ "ibarrier", ibarrier },
	{ "polls", polls },
	{ "overwritten", overwritten },
	{ "paused", paused },
};

int main(int argc, char **argv)
{
	int level = MPI_THREAD_SINGLE;
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc > 1 && !strcmp(ways[i].name, argv[1]))
			break;
	if (i == sizeof(ways) / sizeof(ways[0]))
		return 2;
	if (ways[i].run == other_groups)
		choose_groups();
	if (ways[i].run == thread_request)
		MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	else
		MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	large = calloc(1, LARGE);
	ways[i].run();
	if (!strcmp(ways[i].name, "early-exit"))
		_exit(0);
	if (!strcmp(ways[i].name, "early-return"))
		return 0;
	MPI_Finalize();
	return 0;
}
