/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication, of each kind and with each way of synchronisation. rma ways: also each way to complete
 * requests; rma test: also MPI_Win_test.
 */
#include "expect.h"

#define N 64

static int me, size;
static int left, right;
static int data[N], other[N];

/* Of completing some of several requests: 5 of which the order or the number of calls is chance, or none. */
static int ways;
/* A request's number, as it was given out to this thread. */
static int request;

#define SYNC(call, ...) EVENTS(call, (void)0, expect_rma(__VA_ARGS__))
#define OP(call, ...) EVENTS(call, (void)0, (request++, expect_rma(__VA_ARGS__)))
#define ROP(call, format, ...) \
	EVENTS(call, (void)0, (request++, expect_rma(format " request=0.%d", __VA_ARGS__, request)))

static void in_all(MPI_Win win, const char *name)
{
	OP(MPI_Put(data, 10, MPI_INT, right, 0, 10, MPI_INT, win), "put win=%s target=%d bytes=40", name,
	   right);
	OP(MPI_Get(other, 3, MPI_DOUBLE, left, 4, 3, MPI_DOUBLE, win), "get win=%s target=%d bytes=24",
	   name, left);
	CALL(MPI_Put(data, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win));
	CALL(MPI_Get(other, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win));
}

static void atomics(MPI_Win win, const char *name)
{
	int one = 1, result[4] = { 0 };

	OP(MPI_Accumulate(data, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, win),
	   "accumulate win=%s target=%d sent=8 received=0", name, right);
	OP(MPI_Get_accumulate(data, 2, MPI_INT, result, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, win),
	   "get-accumulate win=%s target=%d sent=8 received=8", name, right);
	OP(MPI_Get_accumulate(NULL, 0, MPI_INT, result, 4, MPI_INT, right, 0, 4, MPI_INT, MPI_NO_OP, win),
	   "get-accumulate win=%s target=%d sent=0 received=16", name, right);
	OP(MPI_Fetch_and_op(&one, result, MPI_INT, left, 0, MPI_SUM, win),
	   "fetch-and-op win=%s target=%d sum sent=4 received=4", name, left);
	OP(MPI_Fetch_and_op(&one, result, MPI_INT, left, 0, MPI_REPLACE, win),
	   "fetch-and-op win=%s target=%d replace sent=4 received=4", name, left);
	OP(MPI_Fetch_and_op(&one, result, MPI_INT, left, 0, MPI_NO_OP, win),
	   "fetch-and-op win=%s target=%d sent=0 received=4", name, left);
	OP(MPI_Compare_and_swap(&one, data, result, MPI_INT, left, 0, win),
	   "compare-and-swap win=%s target=%d sent=8 received=4", name, left);
	CALL(MPI_Fetch_and_op(&one, result, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
	CALL(MPI_Compare_and_swap(&one, data, result, MPI_INT, MPI_PROC_NULL, 0, win));
	CALL(MPI_Accumulate(data, 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, MPI_SUM, win));
}

static void fences(MPI_Win win, const char *name)
{
	SYNC(MPI_Win_fence(MPI_MODE_NOPRECEDE, win), "fence win=%s first", name);
	in_all(win, name);
	SYNC(MPI_Win_fence(0, win), "fence win=%s", name);
	atomics(win, name);
	SYNC(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), "fence win=%s", name);
}

/* What the ranks of my group are called in the output: two neighbours, in order. */
static const char *group_text(char *text, size_t room)
{
	int low = left < right ? left : right, high = left < right ? right : left;

	if (low == high)
		snprintf(text, room, "%d", low);
	else
		snprintf(text, room, "%d,%d", low, high);
	return text;
}

static void groups(MPI_Win win, const char *name, int test)
{
	int ranks[2] = { left < right ? left : right, left < right ? right : left }, flag = 0;
	MPI_Group all, near;
	char text[32];

	group_text(text, sizeof(text));
	CALL(MPI_Comm_group(MPI_COMM_WORLD, &all));
	CALL(MPI_Group_incl(all, left == right ? 1 : 2, ranks, &near));
	SYNC(MPI_Win_post(near, 0, win), "post win=%s group=%s", name, text);
	SYNC(MPI_Win_start(near, 0, win), "start win=%s group=%s", name, text);
	in_all(win, name);
	SYNC(MPI_Win_complete(win), "complete win=%s group=%s", name, text);
	if (test) {
		/* In vain it is asked for a row of calls, whose number is chance: the last is a call of its own. */
		while (!flag)
			MPI_Win_test(win, &flag);
		expect_call("enter", "MPI_Win_test");
		expect_call("leave", "MPI_Win_test");
		expect_rma("wait win=%s group=%s", name, text);
	} else {
		SYNC(MPI_Win_wait(win), "wait win=%s group=%s", name, text);
	}
	CALL(MPI_Group_free(&near));
	CALL(MPI_Group_free(&all));
}

/* With a group of nobody there is nothing to wait for. */
static void empty_groups(MPI_Win win, const char *name)
{
	SYNC(MPI_Win_start(MPI_GROUP_EMPTY, 0, win), "start win=%s group=-", name);
	SYNC(MPI_Win_complete(win), "complete win=%s group=-", name);
	SYNC(MPI_Win_post(MPI_GROUP_EMPTY, 0, win), "post win=%s group=-", name);
	SYNC(MPI_Win_wait(win), "wait win=%s group=-", name);
}

static void locks(MPI_Win win, const char *name)
{
	SYNC(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win), "lock win=%s target=%d", name, right);
	OP(MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, win), "put win=%s target=%d bytes=4", name,
	   right);
	SYNC(MPI_Win_flush_local(right, win), "flush-local win=%s target=%d", name, right);
	SYNC(MPI_Win_flush(right, win), "flush win=%s target=%d", name, right);
	OP(MPI_Put(data, 1, MPI_INT, right, 0, 1, MPI_INT, win), "put win=%s target=%d bytes=4", name,
	   right);
	SYNC(MPI_Win_unlock(right, win), "unlock win=%s target=%d", name, right);
	SYNC(MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win), "lock win=%s target=%d shared", name, left);
	SYNC(MPI_Win_unlock(left, win), "unlock win=%s target=%d", name, left);
	SYNC(MPI_Win_lock_all(0, win), "lock win=%s shared", name);
	in_all(win, name);
	SYNC(MPI_Win_flush_local_all(win), "flush-local win=%s", name);
	in_all(win, name);
	SYNC(MPI_Win_flush_all(win), "flush win=%s", name);
	SYNC(MPI_Win_sync(win), "sync win=%s", name);
	SYNC(MPI_Win_unlock_all(win), "unlock win=%s", name);
}

static void expect_done(const char *name, int number)
{
	expect_rma("done win=%s request=0.%d", name, number);
}

/* How often a test fails is chance; those are recorded one by one (HYBMON_MPI_POLL=all). */
static void complete_some_way(MPI_Win win, const char *name, int way)
{
	enum { COUNT = 3 };
	int first = request + 1, done = 0, count = 0, flag = 0, index, indices[COUNT];
	MPI_Request r[COUNT];

	for (int i = 0; i < COUNT; i++)
		ROP(MPI_Rget(other + 4 * i, 4, MPI_INT, left, 4 * i, 4, MPI_INT, win, &r[i]),
		    "get win=%s target=%d bytes=16", name, left);
	while (done < COUNT) {
		switch (way) {
		case 0:
			EVENTS(MPI_Waitany(COUNT, r, &index, MPI_STATUS_IGNORE), (void)0,
			       expect_done(name, first + index));
			done++;
			break;
		case 1:
			MANY(MPI_Waitsome(COUNT, r, &count, indices, MPI_STATUSES_IGNORE), {
				for (int i = 0; i < count; i++)
					expect_done(name, first + indices[i]);
			});
			done += count;
			break;
		case 2:
			EVENTS(MPI_Test(&r[done], &flag, MPI_STATUS_IGNORE), (void)0,
			       flag ? expect_done(name, first + done) : (void)0);
			done += flag;
			break;
		case 3:
			MANY(MPI_Testsome(COUNT, r, &count, indices, MPI_STATUSES_IGNORE), {
				for (int i = 0; i < count; i++)
					expect_done(name, first + indices[i]);
			});
			done += count;
			break;
		case 4:
			MANY(MPI_Testall(COUNT, r, &flag, MPI_STATUSES_IGNORE), {
				for (; flag && done < COUNT; done++)
					expect_done(name, first + done);
			});
			break;
		}
	}
}

static void requests(MPI_Win win, const char *name)
{
	MPI_Request r[4];
	int first;

	SYNC(MPI_Win_lock_all(0, win), "lock win=%s shared", name);
	ROP(MPI_Rput(data, 10, MPI_INT, right, 0, 10, MPI_INT, win, &r[0]),
	    "put win=%s target=%d bytes=40", name, right);
	ROP(MPI_Rget(other, 5, MPI_INT, left, 20, 5, MPI_INT, win, &r[1]),
	    "get win=%s target=%d bytes=20", name, left);
	ROP(MPI_Raccumulate(data, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, win, &r[2]),
	    "accumulate win=%s target=%d sent=8 received=0", name, right);
	ROP(MPI_Rget_accumulate(data, 2, MPI_INT, other, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, win,
				&r[3]),
	    "get-accumulate win=%s target=%d sent=8 received=8", name, right);
	first = request - 3;
	MANY(MPI_Waitall(4, r, MPI_STATUSES_IGNORE), {
		for (int i = 0; i < 4; i++)
			expect_done(name, first + i);
	});
	ROP(MPI_Rput(data, 10, MPI_INT, right, 0, 10, MPI_INT, win, &r[0]),
	    "put win=%s target=%d bytes=40", name, right);
	EVENTS(MPI_Wait(&r[0], MPI_STATUS_IGNORE), (void)0, expect_done(name, request));
	CHECK(r[0] == MPI_REQUEST_NULL);
	/* a flush before it, and nobody there */
	ROP(MPI_Rget(other, 5, MPI_INT, left, 20, 5, MPI_INT, win, &r[0]),
	    "get win=%s target=%d bytes=20", name, left);
	SYNC(MPI_Win_flush(left, win), "flush win=%s target=%d", name, left);
	EVENTS(MPI_Wait(&r[0], MPI_STATUS_IGNORE), (void)0, expect_done(name, request));
	CALL(MPI_Rput(data, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win, &r[0]));
	CALL(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	for (int way = 0; way < ways; way++)
		complete_some_way(win, name, way);
	SYNC(MPI_Win_unlock_all(win), "unlock win=%s", name);
}

static void all_ways(MPI_Win win, const char *name)
{
	fences(win, name);
	groups(win, name, 0);
	empty_groups(win, name);
	locks(win, name);
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
}

static void kinds(void)
{
	static int memory[N];
	void *base;
	MPI_Win win;

	SYNC(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	     "create win=\"my window\"");
	CALL(MPI_Win_set_name(win, "my window"));
	all_ways(win, "\"my window\"");
	requests(win, "\"my window\"");
	SYNC(MPI_Win_free(&win), "destroy win=\"my window\"");
	SYNC(MPI_Win_allocate(sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
	     "create win=win#1 allocated");
	all_ways(win, "win#1");
	SYNC(MPI_Win_free(&win), "destroy win=win#1 allocated");
	SYNC(MPI_Win_allocate_shared(sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
				     &win), "create win=win#2 allocated");
	all_ways(win, "win#2");
	SYNC(MPI_Win_free(&win), "destroy win=win#2 allocated");
	SYNC(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), "create win=win#3");
	SYNC(MPI_Win_fence(0, win), "fence win=win#3");
	SYNC(MPI_Win_free(&win), "destroy win=win#3");
}

/* MPI gives handles out again: each is another window; ranks are those of the communicator. */
static void again(void)
{
	static int memory[N];
	char name[32];
	MPI_Comm half;
	MPI_Win win;
	int n;

	/* Open MPI makes no window of memory with one member only. */
	CALL(MPI_Comm_split(MPI_COMM_WORLD, size < 4 ? 0 : me % 2, -me, &half));
	CALL(MPI_Comm_set_name(half, size >= 4 && me % 2 ? "odd" : "even"));
	CALL(MPI_Comm_size(half, &n));
	/* Both halves at once are too much for Open MPI. */
	if (size >= 4 && me % 2)
		COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "half-%d-%s", i, size >= 4 && me % 2 ? "odd" : "even");
		SYNC(MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, half, &win),
		     "create win=%s", name);
		CALL(MPI_Win_set_name(win, name));
		SYNC(MPI_Win_fence(0, win), "fence win=%s", name);
		OP(MPI_Put(&data, 1, MPI_CHAR, n - 1, 0, 1, MPI_CHAR, win),
		   "put win=%s target=%d bytes=1", name, n - 1);
		SYNC(MPI_Win_fence(0, win), "fence win=%s", name);
		SYNC(MPI_Win_free(&win), "destroy win=%s", name);
	}
	if (size >= 4 && me % 2 == 0)
		COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
	CALL(MPI_Comm_free(&half));
}

static void tested(void)
{
	static int memory[N];
	MPI_Win win;

	SYNC(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win),
	     "create win=tested");
	CALL(MPI_Win_set_name(win, "tested"));
	groups(win, "tested", 1);
	SYNC(MPI_Win_free(&win), "destroy win=tested");
}

int main(int argc, char **argv)
{
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	left = (me + size - 1) % size;
	right = (me + 1) % size;
	ways = argc > 1 && !strcmp(argv[1], "ways") ? 5 : 0;
	kinds();
	again();
	if (argc > 1 && !ways)
		tested();
	CALL(MPI_Finalize());
	return 0;
}
