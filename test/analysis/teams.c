/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * teams WAY TIMES MS: OpenMP's threads wait for one of them in a known way. Says by its own clock how long they waited,
 * `waited KIND NS LATE`, where the machine came LATE ns too late in all, and who is to blame, `culprit RANK TID LINE`: the line of the construct that it is in, or comes to.
 * Built with -DHYBRID it is for two ranks, and the second one comes late because of a thread.
 */
#define _GNU_SOURCE 1
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef HYBRID
#include <mpi.h>
#endif

#define THREADS 3
#define LATE 1 /* the thread that is */

static int rank, line;
static long ms, tid;
static int64_t waited, overslept;
static omp_lock_t lock;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void nap(long for_ms)
{
	const struct timespec moment = { .tv_sec = for_ms / 1000, .tv_nsec = for_ms % 1000 * 1000000 };
	int64_t begin = now();

	nanosleep(&moment, NULL);
	__atomic_add_fetch(&overslept, now() - begin - for_ms * 1000000, __ATOMIC_RELAXED);
}

/* Of all that came, those before the last one waited for it. */
static void add_waits(const int64_t *came)
{
	int64_t last = 0;

	for (int i = 0; i < THREADS; i++)
		last = came[i] > last ? came[i] : last;
	for (int i = 0; i < THREADS; i++)
		waited += last - came[i];
}

static void is_late(int at)
{
	tid = (long)syscall(SYS_gettid);
	line = at;
}

/* The late one has 30 % more to do. */
static void loop(void)
{
	int64_t came[THREADS];

#pragma omp parallel num_threads(THREADS)
	{
		const int at = __LINE__ + 1;
#pragma omp for schedule(static)
		for (int i = 0; i < THREADS; i++) {
			if (i == LATE && rank == 0)
				is_late(at);
			nap(i == LATE ? ms * 13 / 10 : ms);
			came[omp_get_thread_num()] = now();
		}
	}
	add_waits(came);
}

static void barrier(void)
{
	int64_t came[THREADS];
	const int at = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		if (me == LATE) {
			is_late(at);
			nap(ms);
		}
		came[me] = now();
#pragma omp barrier
	}
	add_waits(came);
}

/* One has it for long, which the others want then. */
static void critical(void)
{
	int64_t asked[THREADS] = { 0 }, had[THREADS] = { 0 };

#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		if (me == LATE) {
			is_late(__LINE__ + 1);
#pragma omp critical
			nap(ms);
		} else {
			nap(ms / 4);
			asked[me] = now();
#pragma omp critical
			had[me] = now();
		}
	}
	for (int i = 0; i < THREADS; i++)
		waited += had[i] - asked[i];
}

static void locks(void)
{
	int64_t asked[THREADS] = { 0 }, had[THREADS] = { 0 };
	const int at = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
	{
		int me = omp_get_thread_num();

		if (me == LATE) {
			is_late(at);
			omp_set_lock(&lock);
			nap(ms);
		} else {
			nap(ms / 4);
			asked[me] = now();
			omp_set_lock(&lock);
			had[me] = now();
		}
		omp_unset_lock(&lock);
	}
	for (int i = 0; i < THREADS; i++)
		waited += had[i] - asked[i];
}

/* The first thread does something by itself between regions. */
static void serial(void)
{
	static int64_t done;
	int64_t came[THREADS];

	nap(ms);
	waited += done ? (THREADS - 1) * (now() - done) : 0;
	is_late(__LINE__ + 1);
#pragma omp parallel num_threads(THREADS)
	came[omp_get_thread_num()] = now();
	done = 0;
	for (int i = 0; i < THREADS; i++)
		done = came[i] > done ? came[i] : done;
}

/* The others have nothing to do until the first one creates tasks, and that one waits for those that they execute. */
static void tasks(void)
{
	int64_t came[THREADS], created[THREADS], ended[THREADS], asked = 0, last = 0;
	int by[THREADS];
	const int at = __LINE__ + 1;
#pragma omp parallel num_threads(THREADS)
	{
		came[omp_get_thread_num()] = now();
		if (omp_get_thread_num() == 0) {
			is_late(at);
			nap(3 * ms);
			for (int i = 0; i < THREADS; i++) {
				created[i] = now();
#pragma omp task
				{
					by[i] = omp_get_thread_num();
					nap(ms);
					ended[i] = now();
				}
			}
			asked = now();
#pragma omp taskwait
		}
#pragma omp barrier
	}
	for (int i = 0; i < THREADS; i++) {
		if (by[i] == 0) {
			asked = ended[i] > asked ? ended[i] : asked;
			continue;
		}
		last = ended[i] > last ? ended[i] : last;
		waited += created[i] > came[by[i]] ? created[i] - came[by[i]] : 0;
		/* Its next task it finds at once. */
		came[by[i]] = INT64_MAX;
	}
	waited += last > asked ? last - asked : 0;
}

#ifdef HYBRID
/* Both ranks have a loop; because of one thread in the second one's the first one has to wait for its message. */
static void chain(void)
{
	int64_t sent, asked;
	const int at = __LINE__ + 2;
#pragma omp parallel num_threads(THREADS)
#pragma omp for schedule(static)
	for (int i = 0; i < THREADS; i++) {
		if (i == LATE && rank == 1)
			is_late(at);
		nap(i == LATE && rank == 1 ? 2 * ms : ms);
	}
	asked = sent = now();
	if (rank == 1) {
		MPI_Send(&sent, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&sent, 1, MPI_INT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		waited += sent > asked ? sent - asked : 0;
	}
	MPI_Barrier(MPI_COMM_WORLD);
}
#endif

static const struct {
	const char *name;
	void (*run)(void);
	const char *kind;
	int teller; /* rank that knows how long was waited */
	int culprit;
} ways[] = {
	{ "loop", loop, "omp_barrier", 0, 0 },	{ "barrier", barrier, "omp_barrier", 0, 0 },
	{ "critical", critical, "omp_lock", 0, 0 }, { "lock", locks, "omp_lock", 0, 0 },
	{ "serial", serial, "omp_idle", 0, 0 }, { "tasks", tasks, "omp_task", 0, 0 },
#ifdef HYBRID
	{ "chain", chain, "late_sender", 0, 1 },
#endif
};

int main(int argc, char **argv)
{
	size_t way = 0;

#ifdef HYBRID
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	while (way < sizeof(ways) / sizeof(ways[0]) && (argc < 4 || strcmp(ways[way].name, argv[1])))
		way++;
	if (way == sizeof(ways) / sizeof(ways[0]))
		return 2;
	ms = strtol(argv[3], NULL, 10);
	omp_init_lock(&lock);
#ifdef HYBRID
	MPI_Barrier(MPI_COMM_WORLD);
#endif
	for (long i = strtol(argv[2], NULL, 10); i; i--)
		ways[way].run();
	if (rank == ways[way].teller)
		printf("waited %s %lld %lld\n", ways[way].kind, (long long)waited, (long long)overslept);
	if (rank == ways[way].culprit)
		printf("culprit %d %ld %d\n", rank, tid, line);
#ifdef HYBRID
	MPI_Finalize();
#endif
	return 0;
}
