/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that one thread begins and another completes, of files and windows. The argument is the file. One thread is
 * at work at a time, so that all of it is known.
 */
#include <pthread.h>

#include "expect.h"

#define N 16

static const char *path;
static MPI_File file;
static MPI_Win win;
static MPI_Request write_request, put_request;
static int data[N], memory[N];
static int me, size;

/* A thread's operations are numbered as they begin. */
static __thread unsigned int ids;

static void begin(void)
{
	const int at = 4 * N * me, target = (me + 1) % size;

	EVENTS(MPI_File_iwrite_at(file, at, data, N, MPI_INT, &write_request), (void)0,
	       expect_line("  io write file=%s how=non-blocking|explicit offset=%d bytes=%d request=%d.%u", path, at,
			   4 * N, expect_self.thread, ++ids));
	EVENTS(MPI_Rput(data, 4, MPI_INT, target, 0, 4, MPI_INT, win, &put_request), (void)0,
	       expect_rma("put win=win#0 target=%d bytes=16 request=%d.%u", target, expect_self.thread, ++ids));
}

/* What a thread began whose last operation has that number */
static void complete(int thread, unsigned int last)
{
	EVENTS(MPI_Wait(&put_request, MPI_STATUS_IGNORE), (void)0,
	       expect_rma("done win=win#0 request=%d.%u", thread, last));
	EVENTS(MPI_Wait(&write_request, MPI_STATUS_IGNORE), (void)0,
	       expect_line("  io done file=%s request=%d.%u bytes=%d", path, thread, last - 1, 4 * N));
}

static void *work(void *arg)
{
	expect_open(1);
	complete(0, 2);
	begin();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int provided;

	CHECK(argc == 2);
	path = argv[1];
	CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	CHECK(provided == MPI_THREAD_MULTIPLE);
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	IO(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
			 MPI_INFO_NULL, &file),
	   "open file=%s comm=MPI_COMM_WORLD mode=wronly|create|delete-on-close", path);
	EVENTS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	       (void)0, expect_rma("create win=win#0"));
	EVENTS(MPI_Win_lock_all(0, win), (void)0, expect_rma("lock win=win#0 shared"));
	begin();
	CHECK(!pthread_create(&thread, NULL, work, NULL));
	CHECK(!pthread_join(thread, NULL));
	complete(1, 2);
	EVENTS(MPI_Win_unlock_all(win), (void)0, expect_rma("unlock win=win#0"));
	EVENTS(MPI_Win_free(&win), (void)0, expect_rma("destroy win=win#0"));
	IO(MPI_File_close(&file), "close file=%s", path);
	CALL(MPI_Finalize());
	return 0;
}
