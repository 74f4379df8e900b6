/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steady [N [WHAT]]: two ranks make N (100000) operations of each kind, of some a part of that, or N of the kind WHAT,
 * and no more than a few at once. The memory that the process has after the first tenth must do for the rest; the files
 * of the recording do not count. With STEADY_REPORT it says how much that was.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "expect.h"

#define AT_ONCE 8

static int me;
static int peer;
static long wanted = 100000;
static MPI_Win window = MPI_WIN_NULL;	/* of `puts` */

/* Kilobytes of anonymous memory; the library's own mappings as well as the heap. */
static long memory(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %ld", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

static long messages(long i)
{
	MPI_Request requests[2 * AT_ONCE];
	int values[AT_ONCE];
	int got[AT_ONCE];

	(void)i;
	for (int k = 0; k < AT_ONCE; k++)
		MPI_Irecv(&got[k], 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[k]);
	for (int k = 0; k < AT_ONCE; k++) {
		values[k] = k;
		MPI_Isend(&values[k], 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[AT_ONCE + k]);
	}
	MPI_Waitall(2 * AT_ONCE, requests, MPI_STATUSES_IGNORE);
	return 2 * AT_ONCE;
}

static long persistent(long i)
{
	static MPI_Request requests[2];
	static int value;
	static int got;

	/* made anew now and then */
	if (i % 1600 == 0) {
		if (i)
			for (int k = 0; k < 2; k++)
				MPI_Request_free(&requests[k]);
		MPI_Send_init(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
		MPI_Recv_init(&got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
	}
	MPI_Startall(2, requests);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	return 2;
}

static long collectives(long i)
{
	MPI_Request request;
	int sum;
	int value = 1;

	(void)i;
	MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return 1;
}

static long cancelled(long i)
{
	MPI_Request request;
	int got;

	(void)i;
	MPI_Irecv(&got, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return 1;
}

static long freed(long i)
{
	MPI_Request request;
	int value = 1;
	int got;

	(void)i;
	MPI_Isend(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request);
	MPI_Request_free(&request);
	MPI_Recv(&got, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 1;
}

/* Begun while recording is on and completed while it is off, and the other way round. */
static long paused(long i)
{
	MPI_Request requests[2];
	int value = 1;
	int got;

	if (i % 64 == 0)
		MPI_Pcontrol(i / 64 % 2);
	MPI_Irecv(&got, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[1]);
	if (i % 64 == 62)
		MPI_Pcontrol(1 - i / 64 % 2);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	return 2;
}

/* More at once than the stack holds. */
static long many(long i)
{
	static MPI_Request requests[200];
	static int got[200];

	(void)i;
	for (int k = 0; k < 100; k++) {
		MPI_Irecv(&got[k], 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[k]);
		MPI_Isend(&me, 1, MPI_INT, peer, k, MPI_COMM_WORLD, &requests[100 + k]);
	}
	MPI_Waitall(200, requests, MPI_STATUSES_IGNORE);
	return 200;
}

/* Too long for their receives, which fail. */
static long failed(long i)
{
	MPI_Request requests[2];
	int values[2] = { 1, 2 };
	int got[2];

	(void)i;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Irecv(got, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(values, 2, MPI_INT, peer, 4, MPI_COMM_WORLD, &requests[1]);
	CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) != MPI_SUCCESS);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	return 2;
}

/* Asked for in vain, and asked for again. */
static long polled(long i)
{
	MPI_Request requests[2];
	int value = 1;
	int got;
	int flag = 0;

	(void)i;
	MPI_Irecv(&got, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[0]);
	MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
	MPI_Isend(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &requests[1]);
	for (flag = 0; !flag;)
		MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
	return 2;
}

static long files(long i)
{
	static MPI_File file;
	MPI_Request request;
	int value = 1;

	if (!i)
		MPI_File_open(MPI_COMM_WORLD, "steady-file", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
	MPI_File_iwrite_at(file, 4 * me, &value, 1, MPI_INT, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return 1;
}

static long communicators(long i)
{
	MPI_Comm made;

	(void)i;
	MPI_Comm_dup(MPI_COMM_SELF, &made);
	MPI_Comm_free(&made);
	return 1;
}

static long datatypes(long i)
{
	MPI_Datatype type;

	MPI_Type_contiguous(1 + (int)(i % 100), MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&type);
	return 1;
}

static long windows(long i)
{
	static char memory_of[16];
	MPI_Win win;

	(void)i;
	MPI_Win_create(memory_of, sizeof(memory_of), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_free(&win);
	return 1;
}

static long puts_with_requests(long i)
{
	static int memory_of[2];
	MPI_Request request;

	if (!i) {
		MPI_Win_create(memory_of, sizeof(memory_of), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
		MPI_Win_lock_all(0, window);
	}
	MPI_Rput(&me, 1, MPI_INT, peer, me, 1, MPI_INT, window, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (i % 1000 == 999)
		MPI_Win_flush_all(window);
	return 1;
}

/* Several begun and completed together */
static long barriers(long i)
{
	MPI_Request requests[AT_ONCE];

	(void)i;
	for (int k = 0; k < AT_ONCE; k++)
		MPI_Ibarrier(MPI_COMM_WORLD, &requests[k]);
	MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE);
	return AT_ONCE;
}

static void *exchange(void *arg)
{
	int got;

	(void)arg;
	MPI_Sendrecv(&me, 1, MPI_INT, peer, 6, &got, 1, MPI_INT, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

/* Threads that live for one call each */
static long threads(long i)
{
	pthread_t thread;

	(void)i;
	CHECK(pthread_create(&thread, NULL, exchange, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return 1;
}

static const struct {
	const char *name;
	long (*run)(long i);
	int part;	/* how many times fewer, since the MPI is slow at it */
} kinds[] = {
	{ "messages", messages, 1 },
	{ "persistent", persistent, 1 },
	{ "collectives", collectives, 4 },
	{ "cancelled", cancelled, 1 },
	{ "freed", freed, 1 },
	{ "paused", paused, 1 },
	{ "many", many, 1 },
	{ "failed", failed, 1 },
	{ "polled", polled, 1 },
	{ "files", files, 100 },
	{ "communicators", communicators, 10 },
	{ "datatypes", datatypes, 10 },
	{ "windows", windows, 100 },
	{ "puts", puts_with_requests, 4 },
	{ "barriers", barriers, 4 },
	{ "threads", threads, 100 },
};

static void run(size_t kind, bool alone)
{
	long n = alone ? wanted : wanted / kinds[kind].part;
	long before = -1;
	long grown;
	long i = 0;

	while (i < n) {
		i += kinds[kind].run(i);
		if (before < 0 && i >= n / 10)
			before = memory();
	}
	grown = memory() - before;
	if (window != MPI_WIN_NULL) {
		MPI_Win_unlock_all(window);
		MPI_Win_free(&window);
	}
	if (getenv("STEADY_REPORT"))
		fprintf(stderr, "%d: %s: %ld operations, %ld KiB, grown by %ld KiB\n", me, kinds[kind].name, n,
			before, grown);
	MPI_Pcontrol(1);
	/* what the MPI keeps for itself, and half a byte for each; a sanitizer keeps what was freed */
	CHECK(dlsym(RTLD_DEFAULT, "__asan_init") || grown * 1024 < n / 2 + (512 << 10));
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : NULL;
	int provided;

	if (argc > 1)
		wanted = atol(argv[1]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	peer = 1 - me;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!what || !strcmp(what, kinds[i].name))
			run(i, what != NULL);
	MPI_Finalize();
	return 0;
}
