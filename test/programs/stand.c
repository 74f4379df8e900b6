/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 stands in a call that does not come back, until it kills itself: which one, the argument says. Before each
 * call that may be this one it writes what hybmon-print is to show of it, and where the call is in this file, over what
 * it wrote before. The other rank stands in MPI_Recv.
 */
#ifndef __clang__
/* A function's last call would return to its caller otherwise. */
#pragma GCC optimize("no-optimize-sibling-calls")
#endif

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define MANY 300

#define WORLD "comm=MPI_COMM_WORLD"
#define QUIET "comm=quiet"
#define NEXT (__LINE__ + 1)

static int rank;
static __thread int thread;
static MPI_Comm quiet; /* nobody sends anything in it */
static int buf[MANY];
static MPI_Status statuses[MANY];

static void write_line(const char *mode, const char *call, int line, const char *format,
		       va_list list)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d.%d", getenv("TEST_EXPECT"), rank, thread);
	file = fopen(path, mode);
	if (!file)
		abort();
	if (call)
		fprintf(file, "%d.%d stands in %s stand.c:%d\n", rank, thread, call, line);
	if (*format) {
		fprintf(file, "%d.%d   waits ", rank, thread);
		vfprintf(file, format, list);
		fputc('\n', file);
	}
	fclose(file);
}

static void end_soon(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 150000 } };

	if (rank == 1)
		setitimer(ITIMER_REAL, &soon, NULL);
}

/* The call in that line comes next, and waits for this; where there is more, it is added. Soon after the last all end. */
static void say(const char *call, int line, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line("w", call, line, format, list);
	va_end(list);
	end_soon();
}

static void add(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line("a", NULL, 0, format, list);
	va_end(list);
	end_soon();
}

static void stand_recv(void)
{
	say("MPI_Recv", NEXT, "recv from=0 tag=7 " WORLD);
	MPI_Recv(buf, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void stand_any(void)
{
	say("MPI_Recv", NEXT, "recv from=any tag=any " QUIET);
	MPI_Recv(buf, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, quiet, MPI_STATUS_IGNORE);
}

static void stand_probe(void)
{
	say("MPI_Probe", NEXT, "recv from=any tag=9 " QUIET);
	MPI_Probe(MPI_ANY_SOURCE, 9, quiet, MPI_STATUS_IGNORE);
}

static void stand_mprobe(void)
{
	MPI_Message message;

	say("MPI_Mprobe", NEXT, "recv from=0 tag=any " QUIET);
	MPI_Mprobe(0, MPI_ANY_TAG, quiet, &message, MPI_STATUS_IGNORE);
}

static void stand_ssend(void)
{
	say("MPI_Ssend", NEXT, "send to=0 tag=3 " WORLD);
	MPI_Ssend(buf, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
}

/* Its numbers do not fit in the short record. */
static void stand_send(void)
{
	static char large[1 << 24];

	say("MPI_Send", NEXT, "send to=0 tag=100000 " WORLD);
	MPI_Send(large, sizeof(large), MPI_CHAR, 0, 100000, MPI_COMM_WORLD);
}

/* How many bytes it is of a type that was not committed is not known before the call. */
static void stand_type(void)
{
	static int large[1 << 22];
	MPI_Datatype type;

	MPI_Type_dup(MPI_INT, &type);
	say("MPI_Send", NEXT, "send to=0 tag=4 " QUIET);
	MPI_Send(large, 1 << 22, type, 0, 4, quiet);
}

static void stand_sendrecv(void)
{
	say("MPI_Sendrecv", NEXT, "recv from=0 tag=2 " QUIET);
	MPI_Sendrecv(buf, 1, MPI_INT, MPI_PROC_NULL, 1, buf + 1, 1, MPI_INT, 0, 2, quiet,
		     MPI_STATUS_IGNORE);
}

static void stand_wait(void)
{
	MPI_Request request;

	MPI_Irecv(buf, 1, MPI_INT, 0, 11, quiet, &request);
	say("MPI_Wait", NEXT, "recv from=0 tag=11 " QUIET " request=0.1");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void stand_waitall(void)
{
	MPI_Request requests[4];

	MPI_Irecv(buf, 1, MPI_INT, 0, 11, quiet, &requests[0]);
	requests[1] = MPI_REQUEST_NULL;
	MPI_Issend(buf + 1, 1, MPI_INT, 0, 12, quiet, &requests[2]);
	MPI_Irecv(buf + 2, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, quiet, &requests[3]);
	say("MPI_Waitall", __LINE__ + 4, "recv from=0 tag=11 " QUIET " request=0.1");
	add("send to=0 tag=12 " QUIET " request=0.2");
	add("recv from=any tag=any " QUIET " request=0.3");
	add("others=1");
	MPI_Waitall(4, requests, statuses);
}

static void stand_many(void)
{
	static MPI_Request requests[MANY];

	say("MPI_Waitany", __LINE__ + 6, "");
	for (int i = 0; i < MANY; i++) {
		MPI_Irecv(&buf[i], 1, MPI_INT, 0, i, quiet, &requests[i]);
		add("recv from=0 tag=%d " QUIET " request=0.%d", i, i + 1);
	}
	for (int index;;)
		MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
}

static void stand_waitsome(void)
{
	MPI_Request request;
	int count, index;

	MPI_Irecv(buf, 1, MPI_INT, MPI_ANY_SOURCE, 5, quiet, &request);
	say("MPI_Waitsome", NEXT, "recv from=any tag=5 " QUIET " request=0.1");
	MPI_Waitsome(1, &request, &count, &index, statuses);
}

static void stand_persistent(void)
{
	MPI_Request requests[2];

	MPI_Recv_init(buf, 1, MPI_INT, 0, 21, quiet, &requests[0]);
	MPI_Recv_init(buf + 1, 1, MPI_INT, 0, 22, quiet, &requests[1]);
	MPI_Startall(2, requests);
	say("MPI_Waitall", __LINE__ + 2, "recv from=0 tag=21 " QUIET " request=0.1");
	add("recv from=0 tag=22 " QUIET " request=0.2");
	MPI_Waitall(2, requests, statuses);
}

static void stand_icoll(void)
{
	MPI_Request request;

	MPI_Iallreduce(MPI_IN_PLACE, buf, 1, MPI_INT, MPI_SUM, quiet, &request);
	say("MPI_Wait", NEXT, "icoll " QUIET " request=0.1");
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* It is in no call when it is killed, or in one of many that find nothing. */
static void stand_test(void)
{
	MPI_Request request;
	int flag = 0;

	MPI_Irecv(buf, 1, MPI_INT, MPI_ANY_SOURCE, 31, quiet, &request);
	say("MPI_Test", __LINE__ + 2, "recv from=any tag=31 " QUIET " request=0.1");
	while (!flag)
		MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void stand_testall(void)
{
	MPI_Request requests[2];
	int flag = 0;

	MPI_Irecv(buf, 1, MPI_INT, MPI_ANY_SOURCE, 31, quiet, &requests[0]);
	MPI_Irecv(buf + 1, 1, MPI_INT, 0, 32, quiet, &requests[1]);
	say("MPI_Testall", __LINE__ + 3, "recv from=any tag=31 " QUIET " request=0.1");
	add("recv from=0 tag=32 " QUIET " request=0.2");
	while (!flag)
		MPI_Testall(2, requests, &flag, statuses);
}

static void stand_iprobe(void)
{
	int flag = 0;

	say("MPI_Iprobe", __LINE__ + 2, "recv from=0 tag=33 " QUIET);
	while (!flag)
		MPI_Iprobe(0, 33, quiet, &flag, MPI_STATUS_IGNORE);
}

static void stand_barrier(void)
{
	say("MPI_Barrier", NEXT, "coll " QUIET " sent=0 received=0");
	MPI_Barrier(quiet);
}

static void stand_bcast(void)
{
	say("MPI_Bcast", NEXT, "coll " QUIET " root=0 sent=0 received=12");
	MPI_Bcast(buf, 3, MPI_INT, 0, quiet);
}

static void stand_reduce(void)
{
	say("MPI_Reduce", NEXT, "coll " QUIET " root=1 sent=4 received=8");
	MPI_Reduce(buf, buf + 9, 1, MPI_INT, MPI_SUM, 1, quiet);
}

static void stand_gatherv(void)
{
	int counts[2] = { 2, 1 }, displacements[2] = { 0, 2 };

	say("MPI_Gatherv", NEXT, "coll " QUIET " root=1 sent=4 received=12");
	MPI_Gatherv(buf, 1, MPI_INT, buf + 9, counts, displacements, MPI_INT, 1, quiet);
}

static void stand_scatter(void)
{
	say("MPI_Scatter", NEXT, "coll " QUIET " root=0 sent=0 received=8");
	MPI_Scatter(NULL, 0, MPI_INT, buf, 2, MPI_INT, 0, quiet);
}

static void stand_allgather(void)
{
	say("MPI_Allgather", NEXT, "coll " QUIET " sent=8 received=8");
	MPI_Allgather(buf, 1, MPI_INT, buf + 9, 1, MPI_INT, quiet);
}

static void stand_alltoallv(void)
{
	int counts[2] = { 1, 2 }, displacements[2] = { 0, 1 };

	say("MPI_Alltoallv", NEXT, "coll " QUIET " sent=12 received=12");
	MPI_Alltoallv(buf, counts, displacements, MPI_INT, buf + 9, counts, displacements, MPI_INT,
		      quiet);
}

static void stand_allreduce(void)
{
	say("MPI_Allreduce", NEXT, "coll " QUIET " sent=4 received=4");
	MPI_Allreduce(MPI_IN_PLACE, buf, 1, MPI_INT, MPI_SUM, quiet);
}

static void stand_reduce_scatter(void)
{
	say("MPI_Reduce_scatter_block", NEXT, "coll " QUIET " sent=8 received=8");
	MPI_Reduce_scatter_block(buf, buf + 9, 1, MPI_INT, MPI_SUM, quiet);
}

static void stand_scan(void)
{
	say("MPI_Scan", NEXT, "coll " QUIET " sent=4 received=8");
	MPI_Scan(buf, buf + 9, 1, MPI_INT, MPI_SUM, quiet);
}

static void stand_late(void)
{
	MPI_Datatype type;

	MPI_Type_dup(MPI_INT, &type);
	say("MPI_Bcast", NEXT, "coll " QUIET " root=0");
	MPI_Bcast(buf, 3, type, 0, quiet);
}

static void stand_split(void)
{
	MPI_Comm comm;

	say("MPI_Comm_split", NEXT, "coll " QUIET);
	MPI_Comm_split(quiet, 0, 0, &comm);
}

static void stand_dup(void)
{
	MPI_Comm comm;

	say("MPI_Comm_dup", NEXT, "coll " QUIET);
	MPI_Comm_dup(quiet, &comm);
}

static void stand_create_group(void)
{
	MPI_Group group;
	MPI_Comm comm;

	MPI_Comm_group(quiet, &group);
	say("MPI_Comm_create_group", NEXT, "");
	MPI_Comm_create_group(quiet, group, 6, &comm);
}

static MPI_Win make_window(void)
{
	MPI_Win win;

	MPI_Win_create(buf, sizeof(buf), sizeof(*buf), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_name(win, "pane");
	return win;
}

static void stand_win(void)
{
	MPI_Win win;

	say("MPI_Win_create", NEXT, "coll " QUIET);
	MPI_Win_create(buf, sizeof(buf), 1, MPI_INFO_NULL, quiet, &win);
}

static void stand_fence(void)
{
	MPI_Win win = make_window();

	if (!rank)
		return;
	say("MPI_Win_fence", NEXT, "rma fence win=pane");
	MPI_Win_fence(0, win);
}

/* Some MPIs wait for the lock when it is taken, others when it is first needed. */
static void stand_lock(void)
{
	MPI_Win win = make_window();

	if (!rank)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		return;
	say("MPI_Win_lock", NEXT, "rma lock win=pane target=0 shared");
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Put(buf, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	say("MPI_Win_flush", NEXT, "rma flush win=pane target=0");
	MPI_Win_flush(0, win);
	say("MPI_Win_unlock", NEXT, "rma unlock win=pane target=0");
	MPI_Win_unlock(0, win);
}

static MPI_Group other(void)
{
	MPI_Group all, group;
	int zero = 0;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &zero, &group);
	return group;
}

static void stand_start(void)
{
	MPI_Win win = make_window();

	if (!rank)
		return;
	say("MPI_Win_start", NEXT, "rma start win=pane");
	MPI_Win_start(other(), 0, win);
	MPI_Put(buf, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	say("MPI_Win_complete", NEXT, "rma complete win=pane group=0");
	MPI_Win_complete(win);
}

static void stand_post(void)
{
	MPI_Win win = make_window();

	if (!rank)
		return;
	say("MPI_Win_post", NEXT, "rma post win=pane");
	MPI_Win_post(other(), 0, win);
	say("MPI_Win_wait", NEXT, "rma wait win=pane group=0");
	MPI_Win_wait(win);
}

static void stand_win_free(void)
{
	MPI_Win win = make_window();

	if (!rank)
		return;
	say("MPI_Win_free", NEXT, "rma destroy win=pane");
	MPI_Win_free(&win);
}

static MPI_File make_file(void)
{
	MPI_File file;

	MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
		      &file);
	return file;
}

static void stand_open(void)
{
	MPI_File file;

	say("MPI_File_open", NEXT, "coll " QUIET);
	MPI_File_open(quiet, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

static void stand_write_all(void)
{
	MPI_File file = make_file();

	if (!rank)
		return;
	say("MPI_File_write_all", NEXT, "io write file=data collective");
	MPI_File_write_all(file, buf, 1, MPI_INT, MPI_STATUS_IGNORE);
}

static void stand_close(void)
{
	MPI_File file = make_file();

	if (!rank)
		return;
	say("MPI_File_close", NEXT, "io close file=data collective");
	MPI_File_close(&file);
}

static void *second(void *unused)
{
	(void)unused;
	thread = 1;
	say("MPI_Recv", __LINE__ + 1, "recv from=0 tag=41 " QUIET);
	MPI_Recv(buf, 1, MPI_INT, 0, 41, quiet, MPI_STATUS_IGNORE);
	return NULL;
}

static void stand_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, second, NULL);
	say("MPI_Recv", NEXT, "recv from=0 tag=42 " QUIET);
	MPI_Recv(buf + 1, 1, MPI_INT, 0, 42, quiet, MPI_STATUS_IGNORE);
}

/* Much was recorded before, so that chunks are used again. */
static void stand_much(void)
{
	for (int i = 0; i < 100000; i++)
		MPI_Sendrecv(buf, 1, MPI_INT, rank, i % 1000, buf + 1, 1, MPI_INT, rank, i % 1000,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	stand_waitall();
}

static const struct {
	const char *name;
	void (*stand)(void);
	int both; /* rank 0 has a part in it */
} forms[] = {
#define FORM(name)                                                                                 \
	{                                                                                          \
#name, stand_##name, 0                                                             \
	}
#define BOTH(name)                                                                                 \
	{                                                                                          \
#name, stand_##name, 1                                                             \
	}
	FORM(recv),	      FORM(any),      FORM(probe),	FORM(mprobe),	 FORM(ssend),
	FORM(send),	      FORM(type),     FORM(sendrecv),	FORM(wait),	 FORM(waitall),
	FORM(many),	      FORM(waitsome), FORM(persistent), FORM(icoll),	 FORM(test),
	FORM(testall),	      FORM(iprobe),   FORM(barrier),	FORM(bcast),	 FORM(reduce),
	FORM(gatherv),	      FORM(scatter),  FORM(allgather),	FORM(alltoallv), FORM(allreduce),
	FORM(reduce_scatter), FORM(scan),     FORM(late),	FORM(split),	 FORM(dup),
	FORM(create_group),   FORM(win),      BOTH(fence),	BOTH(lock),	 BOTH(start),
	BOTH(post),	      BOTH(win_free), FORM(open),	BOTH(write_all), BOTH(close),
	FORM(thread),	      FORM(much),
};

static void die(int signal)
{
	(void)signal;
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "recv";
	int level;

	MPI_Init_thread(&argc, &argv,
			strcmp(form, "thread") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
	if (!strcmp(form, "thread") && level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 77);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
	MPI_Comm_set_name(quiet, "quiet");
	signal(SIGALRM, die);
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(forms[i].name, form) && (rank || forms[i].both))
			forms[i].stand();
	say("MPI_Recv", NEXT, "recv from=1 tag=99 " QUIET);
	MPI_Recv(buf, 1, MPI_INT, 1, 99, quiet, MPI_STATUS_IGNORE);
	return 1;
}
