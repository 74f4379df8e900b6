/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meetings FILE MS: calls that all make and that move no data. Rank 1 comes to each of them so many milliseconds later,
 * and to no other.
 * Each rank puts the times of its calls into FILE, by one clock. When all are past MPI_Finalize, rank 0 says how long
 * they waited: `waited KIND NS LATE`, LATE being what the clock may be wrong by.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RANKS 4
#define CALLS 64

enum kind { HANDLE, FILES, KINDS };

struct call {
	int64_t enter[RANKS];
	int64_t leave[RANKS];
	int kind;
};

static struct shared {
	struct call calls[CALLS];
	int over[RANKS];
} *shared;

static int rank, ranks, count;
static long ms;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void nap(void)
{
	const struct timespec moment = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&moment, NULL);
}

static void enter(int kind)
{
	shared->calls[count].kind = kind;
	if (rank == 1)
		nap();
	shared->calls[count].enter[rank] = now();
}

static void leave(void)
{
	shared->calls[count++].leave[rank] = now();
}

#define MEET(kind, call) \
	do { \
		MPI_Barrier(MPI_COMM_WORLD); \
		enter(kind); \
		call; \
		leave(); \
	} while (0)

static void free_comm(MPI_Comm comm)
{
	MEET(HANDLE, MPI_Comm_free(&comm));
}

static void comms(void)
{
	MPI_Comm comm, half, inter;
	MPI_Group group;

	MEET(HANDLE, MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	free_comm(comm);
	MEET(HANDLE, MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm));
	free_comm(comm);
	MEET(HANDLE, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
	MEET(HANDLE, MPI_Comm_disconnect(&comm));
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	MEET(HANDLE, MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
	free_comm(comm);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank != 0, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank != 0 ? 0 : 1, 5, &inter);
	MEET(HANDLE, MPI_Intercomm_merge(inter, rank == 0, &comm));
	free_comm(comm);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Group_free(&group);
}

static void topologies(void)
{
	const int extent[] = { ranks }, periodic[] = { 1 }, keep[] = { 1 }, degrees[] = { 1 };
	const int next[] = { (rank + 1) % ranks };
	int index[RANKS], edges[RANKS];
	MPI_Comm comm, other;

	MEET(HANDLE, MPI_Cart_create(MPI_COMM_WORLD, 1, extent, periodic, 0, &comm));
	MEET(HANDLE, MPI_Cart_sub(comm, keep, &other));
	MPI_Comm_free(&other);
	free_comm(comm);
	for (int i = 0; i < ranks; i++) {
		index[i] = i + 1;
		edges[i] = (i + 1) % ranks;
	}
	MEET(HANDLE, MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm));
	free_comm(comm);
	MEET(HANDLE, MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, degrees, next, degrees, MPI_INFO_NULL, 0, &comm));
	free_comm(comm);
}

static void free_win(MPI_Win win)
{
	MEET(HANDLE, MPI_Win_free(&win));
}

static void windows(void)
{
	static int memory[16];
	void *given;
	MPI_Win win;

	MEET(HANDLE, MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	free_win(win);
	MEET(HANDLE, MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &win));
	free_win(win);
	MEET(HANDLE, MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &given, &win));
	free_win(win);
	MEET(HANDLE, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	free_win(win);
}

static void files(const char *path)
{
	MPI_File file;

	MEET(FILES, MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
				  MPI_INFO_NULL, &file));
	MEET(FILES, MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	MEET(FILES, MPI_File_set_size(file, 4096));
	MEET(FILES, MPI_File_preallocate(file, 8192));
	MEET(FILES, MPI_File_seek_shared(file, 16, MPI_SEEK_SET));
	MEET(FILES, MPI_File_sync(file));
	MEET(FILES, MPI_File_close(&file));
}

/* A rank waits for the last one, unless it is back before that comes. */
static int64_t waited_in(const struct call *call)
{
	int64_t last = 0, sum = 0;

	for (int i = 0; i < ranks; i++)
		last = call->enter[i] > last ? call->enter[i] : last;
	for (int i = 0; i < ranks; i++)
		sum += last < call->leave[i] ? last - call->enter[i] : 0;
	return sum;
}

static void say(void)
{
	static const char *const words[KINDS] = { [HANDLE] = "create_free_end", [FILES] = "file_operation" };

	for (int kind = 0; kind < KINDS; kind++) {
		int64_t sum = 0;

		for (int i = 0; i < count; i++)
			sum += shared->calls[i].kind == kind ? waited_in(&shared->calls[i]) : 0;
		printf("waited %s %lld %d\n", words[kind], (long long)sum, 200000 * count);
	}
}

int main(int argc, char **argv)
{
	char path[4096];
	int fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	fd = argc == 3 && ranks <= RANKS ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		MPI_Abort(MPI_COMM_WORLD, 2);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		MPI_Abort(MPI_COMM_WORLD, 2);
	ms = atol(argv[2]);
	comms();
	topologies();
	windows();
	snprintf(path, sizeof(path), "%s.data", argv[1]);
	files(path);
	MEET(HANDLE, MPI_Finalize());
	__atomic_store_n(&shared->over[rank], 1, __ATOMIC_RELEASE);
	for (int i = 0; !rank && i < ranks; i++) {
		while (!__atomic_load_n(&shared->over[i], __ATOMIC_ACQUIRE))
			usleep(1000);
	}
	if (!rank)
		say();
	return 0;
}
