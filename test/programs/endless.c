/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that exchange messages without end, until they are killed: each round all send one to all others, and receive as
 * many from anyone, in a way that the argument names. What a rank sends, and to whom first, follows from what it received,
 * so that a replay in which a receive gets another message is another run at its next send. Each says once that it has
 * begun, and its process. Usage: endless KIND
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST 16

static int rank, size, others;
static uint32_t seen = 1, in[MOST], out[MOST];
static MPI_Request sends[MOST], receives[MOST];
static int sent;

static void see(uint32_t what)
{
	seen = (seen ^ what) * 16777619u;
}

static void got(int index, const MPI_Status *status)
{
	see((uint32_t)index);
	see((uint32_t)status->MPI_SOURCE);
	see((uint32_t)status->MPI_TAG);
	see(in[index]);
}

static void send_next(void)
{
	static int first;
	int to;

	if (!sent)
		first = (int)(seen >> 8) & 0xff;
	to = (rank + 1 + (first + sent) % others) % size;
	out[sent] = seen;
	MPI_Isend(&out[sent], 1, MPI_UINT32_T, to, (int)(seen >> 16) & 7, MPI_COMM_WORLD, &sends[sent]);
	sent++;
}

static void send_rest(void)
{
	while (sent < others)
		send_next();
}

static void post_all(void)
{
	for (int i = 0; i < others; i++)
		MPI_Irecv(&in[i], 1, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
}

static void receive(void)
{
	MPI_Status status;

	send_rest();
	for (int i = 0; i < others; i++) {
		MPI_Recv(&in[i], 1, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		got(i, &status);
	}
}

static void waitany(void)
{
	MPI_Status status;
	int index;

	post_all();
	send_rest();
	for (int i = 0; i < others; i++) {
		MPI_Waitany(others, receives, &index, &status);
		got(index, &status);
	}
}

static void waitsome(void)
{
	MPI_Status statuses[MOST];
	int indices[MOST];
	int count;

	post_all();
	send_rest();
	for (int done = 0; done < others; done += count) {
		MPI_Waitsome(others, receives, &count, indices, statuses);
		for (int k = 0; k < count; k++)
			got(indices[k], &statuses[k]);
	}
}

static void waitall(void)
{
	MPI_Status statuses[MOST];

	post_all();
	send_rest();
	MPI_Waitall(others, receives, statuses);
	for (int i = 0; i < others; i++)
		got(i, &statuses[i]);
}

/* One is sent whenever a test finds nothing: the others' messages hang on how often that is. */
static void test(void)
{
	MPI_Status status;
	int flag;

	for (int i = 0; i < others; i++) {
		MPI_Irecv(&in[i], 1, MPI_UINT32_T, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
		do {
			MPI_Test(&receives[i], &flag, &status);
			see((uint32_t)flag);
			if (!flag && sent < others)
				send_next();
		} while (!flag);
		got(i, &status);
	}
	send_rest();
}

static void testsome(void)
{
	MPI_Status statuses[MOST];
	int indices[MOST];
	int count;

	post_all();
	for (int done = 0; done < others; done += count) {
		MPI_Testsome(others, receives, &count, indices, statuses);
		see((uint32_t)count);
		for (int k = 0; k < count; k++)
			got(indices[k], &statuses[k]);
		if (!count && sent < others)
			send_next();
	}
	send_rest();
}

static void probe(void)
{
	MPI_Status status;
	int flag;

	for (int i = 0; i < others; i++) {
		do {
			MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
			see((uint32_t)flag);
			if (!flag && sent < others)
				send_next();
		} while (!flag);
		MPI_Recv(&in[i], 1, MPI_UINT32_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
		got(i, &status);
	}
	send_rest();
}

static const struct {
	const char *name;
	void (*round)(void);
} kinds[] = {
	{ "recv", receive }, { "waitany", waitany }, { "waitsome", waitsome }, { "waitall", waitall },
	{ "test", test }, { "testsome", testsome }, { "probe", probe },
};

int main(int argc, char **argv)
{
	MPI_Status statuses[MOST];
	void (*round)(void) = NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	others = size - 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc > 1 && !strcmp(kinds[i].name, argv[1]))
			round = kinds[i].round;
	}
	if (!round || others < 1 || others > MOST)
		MPI_Abort(MPI_COMM_WORLD, 2);
	printf("begun %ld\n", (long)getpid());
	fflush(stdout);
	for (;;) {
		sent = 0;
		round();
		MPI_Waitall(others, sends, statuses);
	}
}
