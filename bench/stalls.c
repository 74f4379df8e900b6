/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stalls [MILLION-EVENTS]: how long single recordings take, over 100 million events from one
 * thread, beside an empty loop on the same core: both in turn, with as much work, so that what the
 * machine does to the one it does to the other. A recording is one call, two events. Those of 1 ms
 * or more are told apart by what the scheduler did meanwhile: preempted the thread, had it wait
 * for something (as a write that blocks does), or neither.
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>

#include "clock.h"

#define BLOCK 10000  /* calls in a row */
#define BUCKETS 4096 /* of 50 ns; the last takes all beyond */
#define BUCKET_NS 50

struct distribution {
	uint64_t count;
	uint64_t longest; /* ticks */
	uint64_t over_20us;
	uint64_t long_ticks; /* those over 20 us together */
	uint64_t over_1ms;
	uint64_t preempted; /* of those */
	uint64_t waited;
	uint64_t bucket[BUCKETS];
	uint64_t power[64]; /* of ticks: the same over all lengths */
};

static double tick;

/* What the scheduler did to the thread since the last sample of more than 20 us. */
static void note_long(struct distribution *d, uint64_t ticks, double ns)
{
	static long preempted, waited;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	d->over_20us++;
	d->long_ticks += ticks;
	if (ns > 1e6) {
		d->over_1ms++;
		if (usage.ru_nvcsw != waited)
			d->waited++;
		else if (usage.ru_nivcsw != preempted)
			d->preempted++;
	}
	preempted = usage.ru_nivcsw;
	waited = usage.ru_nvcsw;
}

static void note(struct distribution *d, uint64_t ticks)
{
	double ns = (double)ticks * tick;
	uint64_t i = (uint64_t)(ns / BUCKET_NS);

	d->count++;
	d->bucket[i < BUCKETS ? i : BUCKETS - 1]++;
	d->power[63 - __builtin_clzll(ticks | 1)]++;
	if (ns > 20e3)
		note_long(d, ticks, ns);
	if (ticks > d->longest)
		d->longest = ticks;
}

/* Upper end of the bucket below which this part of all lies, in microseconds. */
static double quantile(const struct distribution *d, double part)
{
	double wanted = part * (double)d->count;
	uint64_t sum = 0;

	for (int i = 0; i < BUCKETS; i++) {
		sum += d->bucket[i];
		if ((double)sum >= wanted)
			return (i + 1) * BUCKET_NS / 1e3;
	}
	return BUCKETS * BUCKET_NS / 1e3;
}

static void print(const char *name, const struct distribution *d)
{
	printf("%-10s %12llu %8.2f %8.2f %8.2f %10.1f %10llu %8llu %9llu %8llu %8llu\n", name,
	       (unsigned long long)d->count, quantile(d, 0.5), quantile(d, 0.999),
	       quantile(d, 0.9999), (double)d->longest * tick / 1e3,
	       (unsigned long long)d->over_20us, (unsigned long long)d->over_1ms,
	       (unsigned long long)d->preempted, (unsigned long long)d->waited,
	       (unsigned long long)(d->over_1ms - d->preempted - d->waited));
}

static void print_histogram(const struct distribution *recorded, const struct distribution *empty)
{
	printf("%10s %12s %12s\n", "below us", "recorded", "empty-loop");
	for (int i = 0; i < 63; i++) {
		if (recorded->power[i] || empty->power[i])
			printf("%10.3f %12llu %12llu\n", (double)(UINT64_C(2) << i) * tick / 1e3,
			       (unsigned long long)recorded->power[i],
			       (unsigned long long)empty->power[i]);
	}
}

/*
 * One sample ends where the next begins, so that nothing falls between them. Returns how long it
 * worked, without the long samples. The empty loop then works as long: if its own interruptions
 * were part of its time, it would be exposed to fewer of them.
 */
static uint64_t record_block(struct distribution *d)
{
	uint64_t last = bench_counter();
	uint64_t start = last - d->long_ticks;
	uint64_t now;
	int rank;

	for (int i = 0; i < BLOCK; i++) {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		now = bench_counter();
		note(d, now - last);
		last = now;
	}
	return last - d->long_ticks - start;
}

static void empty_block(struct distribution *d, uint64_t ticks)
{
	uint64_t last = bench_counter();
	uint64_t start = last - d->long_ticks;
	uint64_t now;

	do {
		now = bench_counter();
		note(d, now - last);
		last = now;
	} while (last - d->long_ticks - start < ticks);
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	static struct distribution recorded;
	static struct distribution empty;

	MPI_Init(&argc, &argv);
	bench_pin();
	tick = bench_tick();
	for (uint64_t done = 0; done < events; done += 2 * BLOCK)
		empty_block(&empty, record_block(&recorded));
	printf("%-10s %12s %8s %8s %8s %10s %10s %8s %9s %8s %8s\n", "us", "times", "50%", "99.9%",
	       "99.99%", "longest", ">20us", ">1ms", "preempted", "waited", "neither");
	print("recorded", &recorded);
	print("empty-loop", &empty);
	print_histogram(&recorded, &empty);
	MPI_Finalize();
	return 0;
}
