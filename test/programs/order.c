/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs whose result depends on the order in which messages come, each a mode by its name; ranks send after random
 * times, which no seed makes the same. Rank 0 prints what it saw: all outcomes in order, as one number, and a sum of
 * floats. Usage: order MODE [ROUNDS]
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size, rounds;
static uint64_t seen = 1469598103934665603u;
static float sum;

static void see(int64_t what)
{
	seen = (seen ^ (uint64_t)what) * 1099511628211u;
}

static unsigned int by_chance(unsigned int most)
{
	unsigned int n = 0;

	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		abort();
	return n % most;
}

static void linger(void)
{
	struct timespec t = { .tv_nsec = (long)by_chance(200) * 1000 };

	if (by_chance(3))
		nanosleep(&t, NULL);
}

/* A message's value decides the sum's last bits by when it is added. */
static float value(int from, int round)
{
	return 1.0f / (float)(1 + from * 7 + round * 3);
}

static void add(float v, const MPI_Status *status)
{
	sum = sum * 0.9999f + v;
	see(status->MPI_SOURCE);
	see(status->MPI_TAG);
}

static void send_all(int tags)
{
	for (int i = 0; i < rounds; i++) {
		float v = value(rank, i);

		linger();
		MPI_Send(&v, 1, MPI_FLOAT, 0, i % tags, MPI_COMM_WORLD);
	}
}

static void master(void)
{
	MPI_Status status;
	float v;

	if (rank) {
		send_all(3);
		return;
	}
	for (int i = 0; i < rounds * (size - 1); i++) {
		MPI_Recv(&v, 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		add(v, &status);
	}
}

#define POSTED 4
#define MANY 90

/* Several are open at once; any of them may come first, so that later ones get messages before older ones. */
static void posted(int how)
{
	const int all = rounds * (size - 1);
	MPI_Request requests[POSTED];
	MPI_Status statuses[POSTED];
	float v[POSTED];
	int indices[POSTED];
	int begun = 0;
	int done = 0;
	int count;

	if (rank) {
		send_all(1);
		return;
	}
	for (int i = 0; i < POSTED; i++)
		requests[i] = MPI_REQUEST_NULL;
	while (done < all) {
		for (int i = 0; i < POSTED; i++) {
			if (requests[i] == MPI_REQUEST_NULL && begun < all) {
				MPI_Irecv(&v[i], 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
				begun++;
			}
		}
		count = 1;
		if (how == 0) {
			MPI_Waitany(POSTED, requests, &indices[0], &statuses[0]);
		} else if (how == 1) {
			MPI_Waitsome(POSTED, requests, &count, indices, statuses);
		} else if (how == 2) {
			int flag;

			MPI_Testany(POSTED, requests, &indices[0], &flag, &statuses[0]);
			count = flag ? 1 : 0;
		} else {
			MPI_Testsome(POSTED, requests, &count, indices, statuses);
		}
		see(count);
		for (int k = 0; k < count; k++) {
			see(indices[k]);
			add(v[indices[k]], &statuses[k]);
			done++;
		}
	}
}

static void waitany(void)
{
	posted(0);
}

static void waitsome(void)
{
	posted(1);
}

static void testany(void)
{
	posted(2);
}

static void testsome(void)
{
	posted(3);
}

/* Tests of one after the other, of which each may have found nothing; then all that are left. */
static void tests(void)
{
	MPI_Request requests[POSTED];
	MPI_Status statuses[POSTED];
	float v[POSTED];
	int tested;
	int flag;

	if (rank) {
		send_all(1);
		return;
	}
	for (int round = 0; round < rounds * (size - 1) / POSTED; round++) {
		for (int i = 0; i < POSTED; i++)
			MPI_Irecv(&v[i], 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
		MPI_Test(&requests[2], &flag, &statuses[2]);
		see(flag);
		tested = flag;
		if (flag)
			add(v[2], &statuses[2]);
		MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
		see(flag);
		do {
			MPI_Testall(POSTED, requests, &flag, statuses);
			see(flag);
		} while (!flag);
		for (int i = 0; i < POSTED; i++) {
			/* of what is complete already MPIs tell something different */
			if (i != 2 || !tested)
				add(v[i], &statuses[i]);
		}
	}
	for (int i = 0; i < rounds * (size - 1) % POSTED; i++) {
		MPI_Recv(&v[0], 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[0]);
		add(v[0], &statuses[0]);
	}
}

/* Every other request of 40 is a receive, or every ninth of 90; some complete first, then all that are left. */
static void many(void)
{
	const int all = rounds * (size - 1);
	MPI_Request requests[MANY];
	MPI_Status statuses[MANY];
	bool open[MANY] = { false };
	int indices[MANY];
	float v[MANY];
	int count;

	if (rank) {
		send_all(1);
		return;
	}
	for (int begun = 0, turn = 0; begun < all; turn++) {
		const int step = turn % 2 ? 9 : 2;
		const int length = turn % 2 ? MANY : 40;

		for (int i = 0; i < length; i++) {
			requests[i] = MPI_REQUEST_NULL;
			open[i] = i % step == 1 && begun < all;
			if (!open[i])
				continue;
			MPI_Irecv(&v[i], 1, MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
			begun++;
		}
		if (turn % 3)
			MPI_Waitsome(length, requests, &count, indices, statuses);
		else
			MPI_Testsome(length, requests, &count, indices, statuses);
		see(count);
		for (int k = 0; k < count; k++) {
			add(v[indices[k]], &statuses[k]);
			open[indices[k]] = false;
		}
		MPI_Waitall(length, requests, statuses);
		for (int i = 0; i < length; i++) {
			if (open[i])
				add(v[i], &statuses[i]);
		}
	}
}

/* Persistent receives, which are started over and over. */
static void persistent(void)
{
	const int all = rounds * (size - 1);
	MPI_Request requests[POSTED];
	MPI_Status status;
	float v[POSTED];
	int done = 0;
	int index;

	if (rank) {
		send_all(2);
		return;
	}
	for (int i = 0; i < POSTED; i++)
		MPI_Recv_init(&v[i], 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
	if (all >= POSTED) {
		MPI_Startall(POSTED, requests);
		for (int begun = POSTED; done < all; done++) {
			MPI_Waitany(POSTED, requests, &index, &status);
			see(index);
			add(v[index], &status);
			if (begun < all) {
				MPI_Start(&requests[index]);
				begun++;
			}
		}
	}
	for (int i = 0; i < POSTED; i++)
		MPI_Request_free(&requests[i]);
}

/* Who sends to whom nobody knows: probes until a barrier that nobody waits in is over. */
static void nbx(void)
{
	MPI_Request barrier = MPI_REQUEST_NULL;
	MPI_Request sends[8];
	MPI_Status statuses[8];
	int count = 0;

	for (int round = 0; round < rounds; round++) {
		int over = 0;
		int entered = 0;
		float v[8];

		count = 0;
		for (int to = 0; to < size && count < 8; to++) {
			if (to == rank || (to * 5 + rank * 3 + round) % 2)
				continue;
			v[count] = value(rank, round);
			MPI_Issend(&v[count], 1, MPI_FLOAT, to, round, MPI_COMM_WORLD, &sends[count]);
			count++;
		}
		while (!over) {
			MPI_Status status;
			int flag;
			float in;

			linger();
			MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &flag, &status);
			if (flag) {
				MPI_Recv(&in, 1, MPI_FLOAT, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				add(in, &status);
			}
			if (entered) {
				MPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
			} else {
				MPI_Testall(count, sends, &flag, statuses);
				if (flag) {
					MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
					entered = 1;
				}
			}
		}
	}
}

/* A receive that is cancelled, or has got its message just then. */
static void cancel(void)
{
	MPI_Request request;
	MPI_Status status;
	int flag;
	float v;

	for (int round = 0; round < rounds; round++) {
		if (rank) {
			linger();
			v = value(rank, round);
			MPI_Send(&v, 1, MPI_FLOAT, 0, round, MPI_COMM_WORLD);
			continue;
		}
		for (int i = 0; i < size - 1; i++) {
			MPI_Irecv(&v, 1, MPI_FLOAT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
			linger();
			MPI_Cancel(&request);
			MPI_Wait(&request, &status);
			MPI_Test_cancelled(&status, &flag);
			see(flag);
			if (flag)
				MPI_Recv(&v, 1, MPI_FLOAT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
			add(v, &status);
		}
	}
}

/* Two messages are matched before either is received. */
static void mprobe(void)
{
	MPI_Message messages[2];
	MPI_Status statuses[2];
	float v[2];
	int flag;

	if (rank) {
		send_all(2);
		return;
	}
	for (int round = 0; round < rounds * (size - 1) / 2; round++) {
		MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &messages[0], &statuses[0]);
		do {
			MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &messages[1], &statuses[1]);
			see(flag);
		} while (!flag);
		MPI_Mrecv(&v[1], 1, MPI_FLOAT, &messages[1], MPI_STATUS_IGNORE);
		MPI_Mrecv(&v[0], 1, MPI_FLOAT, &messages[0], MPI_STATUS_IGNORE);
		add(v[0], &statuses[0]);
		add(v[1], &statuses[1]);
	}
	if (rounds * (size - 1) % 2) {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &statuses[0]);
		MPI_Recv(&v[0], 1, MPI_FLOAT, statuses[0].MPI_SOURCE, statuses[0].MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		add(v[0], &statuses[0]);
	}
}

/* Both halves of a call; what one gets any other may have sent. */
static void sendrecv(void)
{
	MPI_Status status;
	float out, in;

	for (int round = 0; round < rounds; round++) {
		const int to = (rank + 1 + round % (size - 1)) % size;

		out = value(rank, round);
		in = out;
		linger();
		if (round % 2)
			MPI_Sendrecv(&out, 1, MPI_FLOAT, to, round, &in, 1, MPI_FLOAT, MPI_ANY_SOURCE, round,
				     MPI_COMM_WORLD, &status);
		else
			MPI_Sendrecv_replace(&in, 1, MPI_FLOAT, to, round, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
		add(in, &status);
	}
}

/* Receives and sends that are about nobody, among one that is about anybody. */
static void nobody(void)
{
	MPI_Request requests[3];
	MPI_Status status;
	float v[3];
	int index;

	if (rank) {
		send_all(2);
		return;
	}
	for (int i = 0; i < rounds * (size - 1); i++) {
		MPI_Irecv(&v[0], 1, MPI_FLOAT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
		MPI_Irecv(&v[1], 1, MPI_FLOAT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(&v[2], 1, MPI_FLOAT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]);
		for (int k = 0; k < 3; k++) {
			MPI_Waitany(3, requests, &index, &status);
			see(index);
			if (index == 1)
				add(v[1], &status);
		}
	}
}

/* How often it goes round is decided by the time, as programs do that measure themselves. */
static void timed(void)
{
	const double begin = MPI_Wtime();
	double now = begin;
	uint64_t bits;

	while (now < begin + 0.0002 * rounds) {
		memcpy(&bits, &now, sizeof(bits));
		see((int64_t)bits);
		linger();
		now = MPI_Wtime();
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* What a handler of a signal and a child read does not belong to the order; when they come is another matter each time. */
static void on_alarm(int signal)
{
	struct timespec now;

	(void)signal;
	clock_gettime(CLOCK_REALTIME, &now);
}

static void read_in_child(void)
{
	const pid_t child = fork();

	if (!child) {
		for (int i = 0; i < 1000; i++)
			time(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* The same by clocks that are not MPI's; whose turn it is to send follows from what they say. */
static void clocks(void)
{
	const struct itimerval often = { .it_interval.tv_usec = 100, .it_value.tv_usec = 100 };
	const struct itimerval never = { 0 };
	struct timespec begin, now;
	struct timeval day;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	now = begin;
	while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 200000L * rounds) {
		gettimeofday(&day, NULL);
		see(day.tv_sec * 1000000 + day.tv_usec);
		see(time(NULL));
		see(clock());
		see(now.tv_nsec);
		if (day.tv_usec % 2)
			MPI_Sendrecv_replace(&sum, 1, MPI_FLOAT, rank, day.tv_usec % 7, rank, day.tv_usec % 7, MPI_COMM_WORLD,
					     MPI_STATUS_IGNORE);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (rounds < 100)
		read_in_child();
	MPI_Barrier(MPI_COMM_WORLD);
}

#include "order-sends.h"

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "master", master }, { "waitany", waitany }, { "waitsome", waitsome }, { "testany", testany },
	{ "testsome", testsome }, { "tests", tests }, { "many", many }, { "persistent", persistent }, { "nbx", nbx },
	{ "cancel", cancel }, { "mprobe", mprobe }, { "sendrecv", sendrecv }, { "timed", timed },
	{ "clocks", clocks }, { "nobody", nobody }, { "sends", sends }, { "eager", eager },
	{ "windows", windows }, { "parts", parts },
};

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "master";
	float all_sum = 0;
	uint64_t all_seen;
	void (*run)(void) = NULL;

	rounds = argc > 2 ? atoi(argv[2]) : 50;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(modes[i].name, mode))
			run = modes[i].run;
	}
	if (!run)
		MPI_Abort(MPI_COMM_WORLD, 2);
	run();
	MPI_Reduce(&seen, &all_seen, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
	MPI_Reduce(&sum, &all_sum, 1, MPI_FLOAT, MPI_MAX, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %016llx %a\n", mode, (unsigned long long)all_seen, (double)all_sum);
	MPI_Finalize();
	return 0;
}
