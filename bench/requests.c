/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What requests cost: nanoseconds of CPU time of MPI_Irecv, MPI_Isend and MPI_Waitall together, for a message of a few
 * bytes that a process sends to itself. `requests` (two ranks, of which the other sleeps): alone; while 100,000
 * receives from the other rank are under way; of MPI_Test, MPI_Iprobe and MPI_Testany of two that find nothing, of
 * MPI_Testany of two null requests, and of MPI_Win_flush_all without an operation; and of one read of the counter.
 * `requests N` (one rank): in N threads at once, each with its own communicator; and one read of the counter. `requests
 * N NS` also makes the three calls longer by NS in all, with nothing but arithmetic, and says how much more than that
 * they take then: what the MPI does to threads that come at other times. One line; the median of batches.
 */
#include <pthread.h>
#include <unistd.h>

#include <mpi.h>

#include "clock.h"

#if defined(__GNUC__) && !defined(__clang__)
/* MPI_STATUSES_IGNORE is no array, as the headers' attributes make the compiler believe */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define BATCHES 21
#define OUTSTANDING 100000
#define WORDS 4
#define NEVER 99 /* a tag that nobody sends */

struct worker {
	pthread_t thread;
	pthread_barrier_t *start;
	MPI_Comm comm;
	double ns;
	double spins_ns;	/* the arithmetic alone, in all threads at once */
	double longer_ns;	/* calls with it */
};

#define SPINS 6	/* before each of the three calls and after it */

static volatile uint64_t sink;
static MPI_Request never[2];
static MPI_Win idle;

/* Of the thread, so that what others do meanwhile counts little. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void exchange(MPI_Comm comm)
{
	MPI_Request requests[2];
	int sent[WORDS] = { 1, 2, 3, 4 };
	int got[WORDS];

	MPI_Irecv(got, WORDS, MPI_INT, 0, 1, comm, &requests[0]);
	MPI_Isend(sent, WORDS, MPI_INT, 0, 1, comm, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	if (got[WORDS - 1] != WORDS)
		abort();
}

static uint64_t spin_turns;

static void spin(void)
{
	uint64_t x = spin_turns;

	for (uint64_t i = 0; i < spin_turns; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

static void spins(MPI_Comm comm)
{
	(void)comm;
	for (int i = 0; i < SPINS; i++)
		spin();
}

static void exchange_longer(MPI_Comm comm)
{
	MPI_Request requests[2];
	int sent[WORDS] = { 1, 2, 3, 4 };
	int got[WORDS];

	spin();
	MPI_Irecv(got, WORDS, MPI_INT, 0, 1, comm, &requests[0]);
	spin();
	spin();
	MPI_Isend(sent, WORDS, MPI_INT, 0, 1, comm, &requests[1]);
	spin();
	spin();
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	spin();
	if (got[WORDS - 1] != WORDS)
		abort();
}

/* As many turns as make all spins take so long, where nothing else runs on the CPU. */
static void set_spin(double ns)
{
	double fastest = 0;

	spin_turns = 1000000;
	for (int i = 0; i < 20; i++) {
		uint64_t start = cpu_ns();
		double took;

		spin();
		took = (double)(cpu_ns() - start);
		if (i == 0 || took < fastest)
			fastest = took;
	}
	spin_turns = (uint64_t)(ns / SPINS / (fastest / 1e6) + 0.5);
}

static void nothing(int flag)
{
	if (flag)
		abort();
}

static void test(MPI_Comm comm)
{
	int flag;

	(void)comm;
	MPI_Test(&never[0], &flag, MPI_STATUS_IGNORE);
	nothing(flag);
}

static void iprobe(MPI_Comm comm)
{
	int flag;

	MPI_Iprobe(0, NEVER, comm, &flag, MPI_STATUS_IGNORE);
	nothing(flag);
}

static void testany(MPI_Comm comm)
{
	int index;
	int flag;

	(void)comm;
	MPI_Testany(2, never, &index, &flag, MPI_STATUS_IGNORE);
	nothing(flag);
}

static void testany_null(MPI_Comm comm)
{
	MPI_Request none[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
	int index;
	int flag;

	(void)comm;
	MPI_Testany(2, none, &index, &flag, MPI_STATUS_IGNORE);
	nothing(!flag);
}

static void flush(MPI_Comm comm)
{
	(void)comm;
	MPI_Win_flush_all(idle);
}

static void read_counter(MPI_Comm comm)
{
	(void)comm;
	sink = bench_counter();
}

static double median_of_batches(int times, void (*what)(MPI_Comm), MPI_Comm comm)
{
	double ns[BATCHES];

	for (int i = 0; i < times; i++)
		what(comm);
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t start = cpu_ns();

		for (int i = 0; i < times; i++)
			what(comm);
		ns[batch] = (double)(cpu_ns() - start) / times;
	}
	qsort(ns, BATCHES, sizeof(*ns), bench_compare);
	return ns[BATCHES / 2];
}

static void cancel(int count, MPI_Request *requests)
{
	for (int i = 0; i < count; i++)
		MPI_Cancel(&requests[i]);
	MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void measure(void)
{
	static void (*const polls[])(MPI_Comm) = { test, iprobe, testany, testany_null, flush };
	static MPI_Request outstanding[OUTSTANDING];
	static int into;
	int *base;

	bench_pin();
	printf("%.1f ", median_of_batches(20000, exchange, MPI_COMM_SELF));
	for (int i = 0; i < OUTSTANDING; i++)
		MPI_Irecv(&into, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, &outstanding[i]);
	printf("%.1f ", median_of_batches(20000, exchange, MPI_COMM_SELF));
	cancel(OUTSTANDING, outstanding);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(&into, 1, MPI_INT, 1, NEVER, MPI_COMM_WORLD, &never[i]);
	MPI_Win_allocate(sizeof(into), sizeof(into), MPI_INFO_NULL, MPI_COMM_SELF, &base, &idle);
	MPI_Win_lock_all(0, idle);
	for (size_t i = 0; i < sizeof(polls) / sizeof(polls[0]); i++)
		printf("%.2f ", median_of_batches(50000, polls[i], MPI_COMM_SELF));
	cancel(2, never);
	MPI_Win_unlock_all(idle);
	MPI_Win_free(&idle);
	printf("%.2f\n", median_of_batches(50000, read_counter, MPI_COMM_SELF));
}

/* The other rank: it is there to be received from, and leaves its CPU alone. */
static void sleep_until_told(void)
{
	int flag = 0;

	while (!flag) {
		usleep(2000);
		MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *run_thread(void *arg)
{
	struct worker *self = arg;

	pthread_barrier_wait(self->start);
	self->ns = median_of_batches(5000, exchange, self->comm);
	if (!spin_turns)
		return NULL;
	pthread_barrier_wait(self->start);
	self->spins_ns = median_of_batches(5000, spins, self->comm);
	pthread_barrier_wait(self->start);
	self->longer_ns = median_of_batches(5000, exchange_longer, self->comm);
	return NULL;
}

/* Launchers bind a process to one CPU, and its threads would be in each other's way for that alone. */
static void use_all_cpus(void)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		CPU_SET((int)i, &all);
	sched_setaffinity(0, sizeof(all), &all);
}

static void measure_threads(unsigned int count)
{
	struct worker *workers = calloc(count, sizeof(*workers));
	pthread_barrier_t start;
	double more = 0;
	double sum = 0;

	if (!workers)
		abort();
	use_all_cpus();
	pthread_barrier_init(&start, NULL, count);
	for (unsigned int i = 0; i < count; i++) {
		workers[i].start = &start;
		MPI_Comm_dup(MPI_COMM_SELF, &workers[i].comm);
		if (pthread_create(&workers[i].thread, NULL, run_thread, &workers[i]))
			abort();
	}
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].ns;
		more += workers[i].longer_ns - workers[i].spins_ns - workers[i].ns;
		MPI_Comm_free(&workers[i].comm);
	}
	free(workers);
	printf("%.1f %.2f", sum / count, median_of_batches(50000, read_counter, MPI_COMM_SELF));
	if (spin_turns)
		printf(" %.1f", more / count);
	printf("\n");
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0;
	int provided;
	int rank;

	MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (threads > 0) {
		if (provided < MPI_THREAD_MULTIPLE) {
			fputs("requests: this MPI has no MPI_THREAD_MULTIPLE\n", stderr);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
		if (argc > 2)
			set_spin(atof(argv[2]));
		measure_threads((unsigned int)threads);
	} else if (rank == 0) {
		measure();
		MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else {
		sleep_until_told();
	}
	MPI_Finalize();
	return 0;
}
