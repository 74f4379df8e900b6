/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stalls [MILLION-EVENTS]: how long single recordings take, over 100 million events from one thread, beside an
 * empty loop on the same core: both in turn, for as long, so that what the machine does to the one it does
 * to the other. A recording is one call, two events.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

#include <mpi.h>

#include "clock.h"

#define BLOCK 10000	/* calls in a row */
#define BUCKETS 4096	/* of 50 ns; the last takes all beyond */
#define BUCKET_NS 50

struct distribution {
	uint64_t count;
	uint64_t longest;	/* ticks */
	uint64_t over_20us;
	uint64_t over_1ms;
	uint64_t bucket[BUCKETS];
};

static double tick;

static void note(struct distribution *d, uint64_t ticks)
{
	double ns = (double)ticks * tick;
	uint64_t i = (uint64_t)(ns / BUCKET_NS);

	d->count++;
	d->bucket[i < BUCKETS ? i : BUCKETS - 1]++;
	d->over_20us += ns > 20e3;
	d->over_1ms += ns > 1e6;
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
	printf("%-10s %12llu %8.2f %8.2f %8.2f %10.1f %10llu %8llu\n", name,
	       (unsigned long long)d->count, quantile(d, 0.5), quantile(d, 0.999), quantile(d, 0.9999),
	       (double)d->longest * tick / 1e3, (unsigned long long)d->over_20us,
	       (unsigned long long)d->over_1ms);
}

static uint64_t record_block(struct distribution *d)
{
	uint64_t start = bench_counter();
	uint64_t before;
	int rank;

	for (int i = 0; i < BLOCK; i++) {
		before = bench_counter();
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		note(d, bench_counter() - before);
	}
	return bench_counter() - start;
}

static void empty_block(struct distribution *d, uint64_t ticks)
{
	uint64_t start = bench_counter();
	uint64_t before;

	do {
		before = bench_counter();
		note(d, bench_counter() - before);
	} while (before - start < ticks);
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	static struct distribution recorded;
	static struct distribution empty;
	cpu_set_t cpu;

	MPI_Init(&argc, &argv);
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	tick = bench_tick();
	for (uint64_t done = 0; done < events; done += 2 * BLOCK)
		empty_block(&empty, record_block(&recorded));
	printf("%-10s %12s %8s %8s %8s %10s %10s %8s\n", "us", "times", "50 %", "99.9 %", "99.99 %",
	       "longest", ">20us", ">1ms");
	print("recorded", &recorded);
	print("empty loop", &empty);
	MPI_Finalize();
	return 0;
}
