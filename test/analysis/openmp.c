/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmp MODE ROUNDS: threads of OpenMP's compete, and what they do depends on who comes first. Each rank prints what
 * its threads saw, and what they left in common.
 *
 *	critical, named, atomic, lock, nest	who is next in mutual exclusion
 *	test		a lock that is tried until it is had
 *	dynamic, guided, runtime, unsigned, ordered	which chunks of a loop a thread gets
 *	sections, single	which section, and who executes it
 *	serialized	MPI called in a critical section (MPI_THREAD_SERIALIZED)
 *	chunks		messages sent and received in the chunks of a loop (MPI_THREAD_MULTIPLE)
 *	nested		teams in teams
 *	others		a thread that is not OpenMP's receives, beside them (MPI_THREAD_MULTIPLE)
 *	fork		a child process competes with nobody
 *	tasks		critical sections in tasks, of which other threads execute others in each run: not the same again
 *	exit		one thread ends the process while others compete
 *	astray		where ASTRAY is set, a thread leaves out its critical sections: not the same run
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define PLACES (2 * THREADS)

static int rank, ranks;
static uint64_t seen[PLACES + 1];
static omp_lock_t lock;
static omp_nest_lock_t nest;

/* Threads come at other times in each run. */
static void linger(void)
{
	static __thread unsigned int state;

	if (!state)
		state = (unsigned int)(getpid() * 31 + omp_get_thread_num() + 1);
	state = state * 1664525 + 1013904223;
	if (state >> 30 == 0)
		usleep(state >> 8 & 63);
}

static void see(int place, int64_t what)
{
	seen[place] = (seen[place] ^ (uint64_t)what) * UINT64_C(0x100000001b3);
}

/* Only one thread at a time comes here. */
static void share(int i)
{
	see(PLACES, omp_get_thread_num() * 1000 + i);
	see(omp_get_thread_num(), (int64_t)seen[PLACES]);
}

static void critical(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
#pragma omp critical
		share(i);
	}
}

static void named(int rounds)
{
	static uint64_t other;

#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
		if (i % 2) {
#pragma omp critical(first)
			share(i);
		} else {
#pragma omp critical(second)
			{
				other = other * 31 + (uint64_t)omp_get_thread_num();
				see(omp_get_thread_num(), (int64_t)other);
			}
		}
	}
}

/* Of that size GCC calls libgomp for it. */
static void atomic(int rounds)
{
	static long double sum;

#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		long double was;

		linger();
#pragma omp atomic capture
		{ was = sum; sum = sum * 1.25L + omp_get_thread_num() + 1; }
		see(omp_get_thread_num(), (int64_t)(was / 3));
		if (was > 1e9L) {
#pragma omp atomic write
			sum = 1;
		}
	}
}

static void locks(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
		omp_set_lock(&lock);
		share(i);
		omp_unset_lock(&lock);
	}
}

static void nested_locks(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		see(omp_get_thread_num(), omp_test_nest_lock(&nest));
		share(i);
		for (int k = 0; k < 3; k++)
			omp_unset_nest_lock(&nest);
	}
}

static void test(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		int tries = 0;

		linger();
		for (; !omp_test_lock(&lock); tries++)
			usleep(1);
		share(i);
		omp_unset_lock(&lock);
		see(omp_get_thread_num(), tries);
	}
}

static void dynamic(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(dynamic, 2) nowait
		for (int i = 0; i < rounds * THREADS; i++) {
			linger();
			see(omp_get_thread_num(), i);
		}
#pragma omp for schedule(dynamic)
		for (int i = rounds; i > 0; i--) {
			linger();
			see(omp_get_thread_num(), i);
		}
	}
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 3)
	for (int i = 0; i < rounds; i++) {
		linger();
		see(omp_get_thread_num(), i);
	}
}

static void guided(int rounds)
{
#pragma omp parallel for num_threads(THREADS) schedule(guided)
	for (int i = 0; i < rounds * THREADS; i++) {
		linger();
		see(omp_get_thread_num(), i);
	}
}

static void runtime(int rounds)
{
	omp_set_schedule(omp_sched_dynamic, 1);
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(runtime)
		for (int i = 0; i < rounds * THREADS; i++) {
			linger();
			see(omp_get_thread_num(), i);
		}
	}
}

static void unsigned_loop(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(monotonic : dynamic, 1)
		for (unsigned long long i = 0; i < (unsigned long long)rounds * THREADS; i++) {
			linger();
			see(omp_get_thread_num(), (int64_t)i);
		}
	}
}

static void ordered(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(dynamic, 1) ordered
		for (int i = 0; i < rounds * THREADS; i++) {
			linger();
			see(omp_get_thread_num(), i);
#pragma omp ordered
			share(i);
		}
	}
}

static void sections(int rounds)
{
	for (int i = 0; i < rounds; i++) {
#pragma omp parallel sections num_threads(THREADS)
		{
#pragma omp section
			{ linger(); see(omp_get_thread_num(), i * 4); }
#pragma omp section
			{ linger(); see(omp_get_thread_num(), i * 4 + 1); }
#pragma omp section
			{ linger(); see(omp_get_thread_num(), i * 4 + 2); }
#pragma omp section
			{ linger(); see(omp_get_thread_num(), i * 4 + 3); }
		}
	}
}

static void single(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
#pragma omp single nowait
		see(omp_get_thread_num(), i);
#pragma omp single
		share(i);
	}
}

/* Sends to the next rank and gets from anyone. */
static void exchange(int i, int tag)
{
	int value = (i * THREADS + omp_get_thread_num()) * ranks + rank, got;
	MPI_Status status;

	MPI_Send(&value, 1, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD);
	MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
	see(omp_get_thread_num(), got);
}

static void serialized(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
#pragma omp critical
		exchange(i, 1);
	}
}

static void chunks(int rounds)
{
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
	for (int i = 0; i < rounds * THREADS; i++) {
		linger();
		exchange(i, 1);
	}
}

static void nested(int rounds)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		const int outer = omp_get_thread_num();

#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
		for (int i = 0; i < rounds * THREADS; i++) {
			linger();
			see(outer * THREADS + omp_get_thread_num(), i);
#pragma omp critical
			see(PLACES, outer * THREADS + omp_get_thread_num());
		}
	}
}

/* A message for each round, and one that ends it; what came is seen by nobody else. */
static void *receive(void *rounds)
{
	MPI_Status status;
	int value;

	for (int i = 0; i <= *(int *)rounds * ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		see(PLACES - 1, value * 100 + status.MPI_SOURCE);
	}
	return NULL;
}

static void others(int rounds)
{
	pthread_t thread;
	int value;

	pthread_create(&thread, NULL, receive, &rounds);
	critical(rounds);
	for (value = 0; value < rounds; value++)
		for (int to = 0; to < ranks; to++) {
			linger();
			MPI_Send(&value, 1, MPI_INT, to, value % 3, MPI_COMM_WORLD);
		}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD);
	pthread_join(thread, NULL);
}

static void forked(int rounds)
{
	pid_t child;

	critical(rounds);
	child = fork();
	if (!child) {
		for (int i = 0; i < 1000; i++) {
#pragma omp critical
			share(i);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	critical(rounds);
}

static void tasks(int rounds)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	for (int i = 0; i < rounds * THREADS; i++) {
#pragma omp task firstprivate(i)
		{
			linger();
#pragma omp critical
			share(i);
		}
	}
}

static void astray(int rounds)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < rounds; i++) {
		linger();
		if (omp_get_thread_num() == 1 && getenv("ASTRAY"))
			continue;
#pragma omp critical
		share(i);
	}
}

/* After all is printed. */
static void end(void)
{
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; ; i++) {
		if (!omp_get_thread_num() && i == 1000)
			exit(0);
#pragma omp critical
		share(i);
	}
}

static const struct {
	const char *name;
	void (*all)(int rounds);
	int level;
} modes[] = {
	{ "critical", critical, MPI_THREAD_FUNNELED }, { "named", named, MPI_THREAD_FUNNELED },
	{ "atomic", atomic, MPI_THREAD_FUNNELED }, { "lock", locks, MPI_THREAD_FUNNELED },
	{ "nest", nested_locks, MPI_THREAD_FUNNELED }, { "test", test, MPI_THREAD_FUNNELED },
	{ "dynamic", dynamic, MPI_THREAD_FUNNELED }, { "guided", guided, MPI_THREAD_FUNNELED },
	{ "runtime", runtime, MPI_THREAD_FUNNELED }, { "unsigned", unsigned_loop, MPI_THREAD_FUNNELED },
	{ "ordered", ordered, MPI_THREAD_FUNNELED }, { "sections", sections, MPI_THREAD_FUNNELED },
	{ "single", single, MPI_THREAD_FUNNELED }, { "serialized", serialized, MPI_THREAD_SERIALIZED },
	{ "chunks", chunks, MPI_THREAD_MULTIPLE }, { "nested", nested, MPI_THREAD_FUNNELED },
	{ "others", others, MPI_THREAD_MULTIPLE }, { "fork", forked, MPI_THREAD_FUNNELED },
	{ "tasks", tasks, MPI_THREAD_FUNNELED }, { "exit", critical, MPI_THREAD_FUNNELED },
	{ "astray", astray, MPI_THREAD_FUNNELED },
};

/* Rank 0 prints all, so that no launcher mixes lines. */
static void print(void)
{
	uint64_t *everything = malloc((size_t)ranks * sizeof(seen));

	MPI_Gather(seen, PLACES + 1, MPI_UINT64_T, everything, PLACES + 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (int i = 0; !rank && i < ranks * (PLACES + 1); i++)
		printf("%d.%d %016llx\n", i / (PLACES + 1), i % (PLACES + 1), (unsigned long long)everything[i]);
	free(everything);
}

int main(int argc, char **argv)
{
	size_t mode = 0;
	int provided;

	while (argc > 2 && mode < sizeof(modes) / sizeof(*modes) && strcmp(argv[1], modes[mode].name))
		mode++;
	if (argc < 3 || mode == sizeof(modes) / sizeof(*modes)) {
		fputs("usage: openmp MODE ROUNDS\n", stderr);
		return 2;
	}
	MPI_Init_thread(&argc, &argv, modes[mode].level, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (provided < modes[mode].level)
		MPI_Abort(MPI_COMM_WORLD, 2);
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	modes[mode].all(atoi(argv[2]));
	print();
	MPI_Finalize();
	if (!strcmp(argv[1], "exit"))
		end();
	return 0;
}
