/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What local-calls.c leaves out: requests (non-blocking, persistent, generalized), windows, files, topologies' and
 * communicators' questions, ports. On two ranks or more; it writes down Enter and Leave only.
 */
#include "expect.h"
#include "generalized.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int me;
static int size;

/* Messages to oneself, so that every call finds its message whenever it comes. */
static void requests(void)
{
	MPI_Request request[2];
	MPI_Status status[2];
	int value[2] = { 1, 2 };
	int flag;
	int n;

	CALL(MPI_Irecv(&value[0], 1, MPI_INT, me, 1, world, &request[0]));
	CALL(MPI_Isend(&value[1], 1, MPI_INT, me, 1, world, &request[1]));
	CALL(MPI_Waitall(2, request, status));
	CALL(MPI_Get_count(&status[0], MPI_INT, &n));
	CHECK(n == 1 && value[0] == 2);
	CALL(MPI_Get_elements(&status[0], MPI_INT, &n));
	CALL(MPI_Test_cancelled(&status[0], &flag));
	CALL(MPI_Irecv(&value[0], 1, MPI_INT, me, 1, world, &request[0]));
	CALL(MPI_Issend(&value[1], 1, MPI_INT, me, 1, world, &request[1]));
	CALL(MPI_Wait(&request[0], &status[0]));
	CALL(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
	CALL(MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE));
	CALL(MPI_Waitany(2, request, &n, MPI_STATUS_IGNORE));
	CALL(MPI_Waitsome(2, request, &n, &flag, MPI_STATUSES_IGNORE));
	CALL(MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE));
	CALL(MPI_Testany(2, request, &n, &flag, MPI_STATUS_IGNORE));
	CALL(MPI_Testsome(2, request, &n, &flag, MPI_STATUSES_IGNORE));
	CALL(MPI_Recv_init(&value[0], 1, MPI_INT, me, 2, world, &request[0]));
	CALL(MPI_Send_init(&value[1], 1, MPI_INT, me, 2, world, &request[1]));
	CALL(MPI_Start(&request[0]));
	CALL(MPI_Start(&request[1]));
	CALL(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
	CALL(MPI_Startall(2, request));
	CALL(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
	CALL(MPI_Request_get_status(request[0], &flag, MPI_STATUS_IGNORE));
	CALL(MPI_Request_free(&request[0]));
	CALL(MPI_Request_free(&request[1]));
	CALL(MPI_Irecv(&value[0], 1, MPI_INT, me, 3, world, &request[0]));
	CALL(MPI_Cancel(&request[0]));
	CALL(MPI_Wait(&request[0], &status[0]));
	CALL(MPI_Test_cancelled(&status[0], &flag));
	CALL(MPI_Iprobe(me, 4, world, &flag, MPI_STATUS_IGNORE));
	CHECK(!flag);
}

static void non_blocking_collectives(void)
{
	MPI_Request request;
	int value = 1;
	int sum;

	CALL(MPI_Ibarrier(world, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CALL(MPI_Ibcast(&value, 1, MPI_INT, 0, world, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CALL(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	CHECK(sum == size);
}

/* What the callbacks call lies inside the program's own MPI_Wait: it is no call of the program. */
static void generalized(void)
{
	MPI_Request request;

	CALL(MPI_Grequest_start(query, release, cancel, NULL, &request));
	CALL(MPI_Grequest_complete(request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void windows(void)
{
	int value = me + 1;
	int got = -1;
	int target = 0;
	int *memory;
	MPI_Win win;

	EVENTS(MPI_Win_create(&target, sizeof(int), sizeof(int), MPI_INFO_NULL, world, &win), (void)0,
	       expect_rma("create win=window"));
	CALL(MPI_Win_set_name(win, "window"));
	EVENTS(MPI_Win_fence(0, win), (void)0,
	       expect_rma("fence win=window"));
	EVENTS(MPI_Put(&value, 1, MPI_INT, me, 0, 1, MPI_INT, win), (void)0,
	       expect_rma("put win=window target=%d bytes=4", me));
	EVENTS(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), (void)0,
	       expect_rma("fence win=window"));
	EVENTS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win), (void)0,
	       expect_rma("lock win=window target=%d", me));
	EVENTS(MPI_Accumulate(&value, 1, MPI_INT, me, 0, 1, MPI_INT, MPI_SUM, win), (void)0,
	       expect_rma("accumulate win=window target=%d sent=4 received=0", me));
	EVENTS(MPI_Win_flush(me, win), (void)0,
	       expect_rma("flush win=window target=%d", me));
	EVENTS(MPI_Get(&got, 1, MPI_INT, me, 0, 1, MPI_INT, win), (void)0,
	       expect_rma("get win=window target=%d bytes=4", me));
	EVENTS(MPI_Win_unlock(me, win), (void)0,
	       expect_rma("unlock win=window target=%d", me));
	CHECK(got == 2 * me + 2);
	EVENTS(MPI_Win_free(&win), (void)0,
	       expect_rma("destroy win=window"));
	EVENTS(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &win), (void)0,
	       expect_rma("create win=win#1 allocated"));
	EVENTS(MPI_Win_free(&win), (void)0,
	       expect_rma("destroy win=win#1 allocated"));
}

static void files(const char *path)
{
	MPI_Offset length;
	MPI_File file;
	int value = 7;

	IO(MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
	   "open file=%s comm=MPI_COMM_WORLD mode=rdwr|create", path);
	IO(MPI_File_write_at(file, me * (int)sizeof(int), &value, 1, MPI_INT, MPI_STATUS_IGNORE),
	   "write file=%s how=explicit offset=%d bytes=4 done=4", path, 4 * me);
	IO(MPI_File_sync(file), "flush file=%s how=collective bytes=0 done=0", path);
	COLL(MPI_Barrier(world), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
	IO(MPI_File_read_at(file, me * (int)sizeof(int), &value, 1, MPI_INT, MPI_STATUS_IGNORE),
	   "read file=%s how=explicit offset=%d bytes=4 done=4", path, 4 * me);
	CALL(MPI_File_get_size(file, &length));
	CHECK(value == 7 && length == size * (int)sizeof(int));
	IO(MPI_File_close(&file), "close file=%s", path);
	if (me == 0)
		IO(MPI_File_delete(path, MPI_INFO_NULL), "delete file=%s", path);
}

static void questions(void)
{
	int dims[2] = { 0, 0 };
	int one = 1;
	int n;
	int flag;
	MPI_Comm comm;

	CALL(MPI_Dims_create(size, 2, dims));
	CALL(MPI_Cart_create(world, 1, &size, &one, 0, &comm));
	CALL(MPI_Topo_test(comm, &n));
	CHECK(n == MPI_CART);
	CALL(MPI_Cartdim_get(comm, &n));
	CALL(MPI_Cart_get(comm, 1, dims, &flag, &n));
	CALL(MPI_Cart_rank(comm, &me, &n));
	CHECK(n == me);
	CALL(MPI_Cart_coords(comm, me, 1, &n));
	CALL(MPI_Cart_map(comm, 1, &size, &one, &n));
	CALL(MPI_Comm_compare(world, comm, &n));
	CHECK(n == MPI_CONGRUENT);
	CALL(MPI_Comm_test_inter(comm, &flag));
	CHECK(!flag);
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Comm_get_parent(&comm));
	CHECK(comm == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(world, &me));
	CALL(MPI_Comm_size(world, &size));
	requests();
	non_blocking_collectives();
	generalized();
	windows();
	if (argc > 1)
		files(argv[1]);
	questions();
	printf("%d: done\n", me);
	CALL(MPI_Finalize());
	return 0;
}
