/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * effectless: calls that have nothing to find or to do, which programs make by the million: tests of null requests and
 * of those that are not active, of what was said to be complete, flushes of windows without operations, MPI_Win_sync.
 * The first of them is a call like others, those behind it are rows. What does have an effect is a call, wherever it
 * comes, also among thousands of failing ones, of which each is counted. Two ranks.
 */
#include <setjmp.h>

#include "requests.h"

#define TIMES 1000
#define NEVER 99 /* a tag that nobody sends */

static int me, other;

static void folded(const char *name, int count, const char *how)
{
	if (count)
		expect_line("poll %s count=%d%s%s", name, count, *how ? " " : "", how);
}

/* So many from one place. The first is a call, unless the one before it was such a one, too. */
#define SETTLED(first, name, call) do {						\
	for (int i_ = 0; i_ < TIMES; i_++)					\
		CHECK((call) == MPI_SUCCESS && flag);				\
	if (first) {								\
		expect_call("enter", name);					\
		expect_call("leave", name);					\
	}									\
	folded(name, TIMES - (first), "settled");				\
} while (0)

/* Something else is recorded. */
static void breaks(void)
{
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
}

static void null_requests(void)
{
	MPI_Request none[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	MPI_Status status, statuses[3];
	int flag, index, count, indices[3];

	breaks();
	SETTLED(1, "MPI_Test", MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE));
	breaks();
	SETTLED(1, "MPI_Testany", MPI_Testany(3, none, &index, &flag, &status));
	CHECK(index == MPI_UNDEFINED);
	SETTLED(0, "MPI_Testany", MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE));
	breaks();
	SETTLED(1, "MPI_Testall", MPI_Testall(3, none, &flag, statuses));
	SETTLED(0, "MPI_Testall", MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
	breaks();
	flag = 1;
	SETTLED(1, "MPI_Testsome", MPI_Testsome(3, none, &count, indices, MPI_STATUSES_IGNORE));
	CHECK(count == MPI_UNDEFINED);
	breaks();
	SETTLED(1, "MPI_Request_get_status", MPI_Request_get_status(none[0], &flag, &status));
	breaks();
	/* one alone */
	CALL(MPI_Test(&none[0], &flag, MPI_STATUS_IGNORE));
	breaks();
}

/* Null ones and such as are under way, asked for from one place: a row for each answer. */
static void both_answers(void)
{
	MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int got, value = 1, flag, r;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &requests[0]), (void)0, r = expect_irecv());
	for (int i = 0; i < 2 * TIMES; i++) {
		CHECK(MPI_Test(&requests[i % 2], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
		CHECK(flag == i % 2);
	}
	folded("MPI_Test", TIMES, "");
	folded("MPI_Test", TIMES, "settled");
	SEND(MPI_Send(&value, 1, MPI_INT, me, 1, MPI_COMM_WORLD), me, 1, WORLD, sizeof(value));
	EVENTS(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), (void)0, expect_irecv_done(me, 1, WORLD, sizeof(value), r));
}

static void inactive(void)
{
	MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int got, value = 1, flag, index, r;

	CALL(MPI_Recv_init(&got, 1, MPI_INT, me, 2, MPI_COMM_WORLD, &request[0]));
	SETTLED(1, "MPI_Test", MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE));
	SETTLED(0, "MPI_Testall", MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE));
	SETTLED(0, "MPI_Testany", MPI_Testany(2, request, &index, &flag, MPI_STATUS_IGNORE));
	EVENTS(MPI_Start(&request[0]), (void)0, r = expect_irecv());
	SEND(MPI_Send(&value, 1, MPI_INT, me, 2, MPI_COMM_WORLD), me, 2, WORLD, sizeof(value));
	EVENTS(MPI_Wait(&request[0], MPI_STATUS_IGNORE), (void)0, expect_irecv_done(me, 2, WORLD, sizeof(value), r));
	SETTLED(1, "MPI_Test", MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE));
	CALL(MPI_Request_free(&request[0]));
}

/* It says so as often as it is asked. */
static void told(void)
{
	MPI_Request request;
	MPI_Status status;
	int got, value = 1, flag, r;

	EVENTS(MPI_Irecv(&got, 1, MPI_INT, me, 3, MPI_COMM_WORLD, &request), (void)0, r = expect_irecv());
	SEND(MPI_Send(&value, 1, MPI_INT, me, 3, MPI_COMM_WORLD), me, 3, WORLD, sizeof(value));
	EVENTS(MPI_Request_get_status(request, &flag, &status), (void)0,
	       expect_irecv_done(me, 3, WORLD, sizeof(value), r));
	CHECK(flag);
	SETTLED(1, "MPI_Request_get_status", MPI_Request_get_status(request, &flag, &status));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* The one that finds it is one of many, from one place; whether the counter was read when it began is chance. */
static void found(int times)
{
	for (int i = 0; i < times; i++) {
		MPI_Request request;
		int got, value = i, flag, n = 0, r;

		if (me) {
			RECV(MPI_Recv(&got, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0, 4, WORLD, sizeof(got));
			usleep((useconds_t)(1000 + i * 37 % 3000));
			SEND(MPI_Send(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD), 0, 5, WORLD, sizeof(got));
			continue;
		}
		EVENTS(MPI_Irecv(&got, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request), (void)0, r = expect_irecv());
		SEND(MPI_Send(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD), 1, 4, WORLD, sizeof(value));
		for (;; n++) {
			CHECK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
			if (flag)
				break;
		}
		folded("MPI_Test", n, "");
		expect_call("enter", "MPI_Test");
		expect_call("leave", "MPI_Test");
		expect_irecv_done(1, 5, WORLD, sizeof(got), r);
		CHECK(got == i);
	}
}

static jmp_buf back;

static void leave_it(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	(void)error;
	longjmp(back, 1);
}

/* One of many that fails, and is left by longjmp. */
static void left(int size)
{
	MPI_Errhandler handler;
	volatile int i;
	int flag;

	CALL(MPI_Comm_create_errhandler(leave_it, &handler));
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
	if (!setjmp(back)) {
		for (i = 0; i <= TIMES; i++)
			MPI_Iprobe(i < TIMES ? other : size, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		CHECK(!"not reached");
	}
	folded("MPI_Iprobe", TIMES, "");
	expect_call("enter", "MPI_Iprobe");
	expect_call("leave", "MPI_Iprobe");
	expect_line("  abandoned");
	CALL(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
	CALL(MPI_Errhandler_free(&handler));
}

#define SYNC(call, ...) EVENTS(call, (void)0, expect_rma(__VA_ARGS__))

#define IDLE(name, call) do {							\
	for (int i_ = 0; i_ < TIMES; i_++)					\
		CHECK((call) == MPI_SUCCESS);					\
	folded(name, TIMES, "idle");						\
} while (0)

static void put(MPI_Win win, int target)
{
	static int value;

	request_new();
	SYNC(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win), "put win=w target=%d bytes=4", target);
}

static void flushes(void)
{
	MPI_Win win;
	int *base;

	EVENTS(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), (void)0,
	       expect_rma("create win=w allocated"));
	CALL(MPI_Win_set_name(win, "w"));
	SYNC(MPI_Win_lock_all(0, win), "lock win=w shared");
	/* the first of a kind is a call */
	SYNC(MPI_Win_flush_all(win), "flush win=w");
	IDLE("MPI_Win_flush_all", MPI_Win_flush_all(win));
	IDLE("MPI_Win_flush_local", MPI_Win_flush_local(other, win));
	put(win, other);
	SYNC(MPI_Win_flush(me, win), "flush win=w target=%d", me);
	IDLE("MPI_Win_flush", MPI_Win_flush(me, win));
	/* here, and then there */
	SYNC(MPI_Win_flush_local(other, win), "flush-local win=w target=%d", other);
	SYNC(MPI_Win_flush_local_all(win), "flush-local win=w");
	IDLE("MPI_Win_flush_local_all", MPI_Win_flush_local_all(win));
	SYNC(MPI_Win_flush(other, win), "flush win=w target=%d", other);
	SYNC(MPI_Win_flush(other, win), "flush win=w target=%d", other);
	IDLE("MPI_Win_flush", MPI_Win_flush(other, win));
	put(win, me);
	put(win, other);
	SYNC(MPI_Win_flush(other, win), "flush win=w target=%d", other);
	SYNC(MPI_Win_flush_all(win), "flush win=w");
	SYNC(MPI_Win_flush_all(win), "flush win=w");
	IDLE("MPI_Win_flush_all", MPI_Win_flush_all(win));
	put(win, other);
	SYNC(MPI_Win_sync(win), "sync win=w");
	IDLE("MPI_Win_sync", MPI_Win_sync(win));
	SYNC(MPI_Win_unlock_all(win), "unlock win=w");
	SYNC(MPI_Win_free(&win), "destroy win=w allocated");
}

int main(int argc, char **argv)
{
	int size;

	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	CHECK(size == 2);
	other = 1 - me;
	null_requests();
	both_answers();
	inactive();
	told();
	found(30);
	left(size);
	flushes();
	CALL(MPI_Finalize());
	return 0;
}
