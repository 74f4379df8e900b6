/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From raw counters to nanoseconds: exact where tuples are, monotone everywhere, never spoilt by
 * nonsense.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "reader/streams/clock.h"

#define HZ UINT64_C(2893123456)
#define START UINT64_C(7186863067344)
#define EPOCH UINT64_C(1795255728502948128)
#define SECOND INT64_C(1000000000)

/* The tuple a machine with a counter of `hz` takes at `seconds`, off by `noise` ns. */
static struct hyb_def_clock tuple(double seconds, int64_t noise)
{
	uint64_t ns = (uint64_t)(seconds * 1e9);

	return (struct hyb_def_clock){
		.counter = START + (uint64_t)((unsigned __int128)ns * HZ / 1000000000),
		.monotonic_raw = UINT64_C(3124346144095) + ns + (uint64_t)noise,
		/* NTP makes it run 20 ppm faster */
		.monotonic = UINT64_C(3124558921792) + ns + ns / 50000 + (uint64_t)noise,
		.realtime = EPOCH + ns + ns / 50000 + (uint64_t)noise,
		.width = 74,
	};
}

static int64_t at(const struct hyb_clock *c, double seconds)
{
	return hyb_clock_ns(c, tuple(seconds, 0).counter);
}

static bool monotone(const struct hyb_clock *c, double from, double to)
{
	uint64_t raw = tuple(from, 0).counter, end = tuple(to, 0).counter;
	int64_t last = INT64_MIN;

	for (uint64_t step = (end - raw) / 100000 + 1; raw < end; raw += step) {
		/* Single ticks, too, since pieces meet somewhere. */
		for (uint64_t r = raw; r < raw + 3; r++) {
			if (hyb_clock_ns(c, r) < last)
				return false;
			last = hyb_clock_ns(c, r);
		}
	}
	return true;
}

static bool near(int64_t a, int64_t b, int64_t by)
{
	return llabs(a - b) <= by;
}

static void test_line(void)
{
	struct hyb_def_clock t[100];
	struct hyb_clock c;

	for (int i = 0; i < 100; i++)
		t[(i * 37) % 100] = tuple(i, i % 7 * 4 - 12);
	hyb_clock_fit(t, 100, HYB_CLOCK_MONOTONIC_RAW, HYB_COUNTER_TSC, 0, &c);
	tap(c.quality == HYB_CLOCK_FITTED && c.count == 1 && c.tuples == 100 && c.residual <= 14,
	    "a line goes through good tuples (residual %" PRId64 " ns)", c.residual);
	tap(near(at(&c, 50.5) - at(&c, 0), 50 * SECOND + SECOND / 2, 8), "with the right slope");
	tap(near(at(&c, 0) - (int64_t)UINT64_C(3124346144095), 0, 8), "and offset");
	tap(monotone(&c, -1, 110), "monotone, also outside");
	hyb_clock_free(&c);
	hyb_clock_fit(t, 100, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, 0, &c);
	tap(near(at(&c, 50) - at(&c, 0), 50 * SECOND, 8) &&
		    near(c.drift, SECOND / 50000 * 99, 60) &&
		    near(at(&c, 49.5) - (int64_t)EPOCH, SECOND / 2 * 99 + SECOND / 100000 * 99,
			 20100),
	    "trace time: slope of one clock, offset of the other, drift %" PRId64 " ns", c.drift);
	hyb_clock_free(&c);
	hyb_clock_fit(t, 100, HYB_CLOCK_MONOTONIC, HYB_COUNTER_TSC, 0, &c);
	tap(near(at(&c, 50) - at(&c, 0), 50 * SECOND + SECOND / 1000, 30),
	    "the slewed clock has its own");
	hyb_clock_free(&c);
}

static void test_absurd(void)
{
	struct hyb_def_clock t[20];
	struct hyb_clock c;

	for (int i = 0; i < 20; i++)
		t[i] = tuple(i, 0);
	t[3].counter ^= UINT64_C(1) << 50;
	t[7].monotonic_raw = UINT64_MAX;
	t[9].monotonic_raw ^= UINT64_C(1) << 45;
	memset(&t[12], 0xff, sizeof(t[12]));
	memset(&t[15], 0, sizeof(t[15]));
	hyb_clock_fit(t, 20, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, 0, &c);
	tap(c.quality == HYB_CLOCK_FITTED && near(at(&c, 19) - at(&c, 0), 19 * SECOND, 8) &&
		    c.tuples == 15,
	    "tuples that cannot be are left out (%zu stay)", c.tuples);
	hyb_clock_free(&c);
	for (int i = 0; i < 20; i++)
		t[i] = tuple(i, 0);
	t[5].monotonic_raw += 40000;
	t[5].width = 120000;
	hyb_clock_fit(t, 20, HYB_CLOCK_MONOTONIC_RAW, HYB_COUNTER_TSC, 0, &c);
	tap(near(at(&c, 19) - at(&c, 0), 19 * SECOND, 8), "a wide tuple weighs little");
	hyb_clock_free(&c);
}

static void test_few(void)
{
	struct hyb_def_clock t[2] = { tuple(0, 0), tuple(0.001, 0) };
	struct hyb_clock c;

	hyb_clock_fit(t, 2, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, 0, &c);
	tap(c.quality == HYB_CLOCK_FITTED && near(at(&c, 0.001) - at(&c, 0), SECOND / 1000, 2),
	    "two tuples make a line");
	hyb_clock_free(&c);
	hyb_clock_fit(t, 1, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, HZ, &c);
	tap(c.quality == HYB_CLOCK_NOMINAL && near(at(&c, 10) - at(&c, 0), 10 * SECOND, 10) &&
		    at(&c, 0) == (int64_t)EPOCH,
	    "one tuple and a frequency");
	hyb_clock_free(&c);
	hyb_clock_fit(t, 1, HYB_CLOCK_TRACE, HYB_COUNTER_MONOTONIC_RAW, 0, &c);
	tap(c.quality == HYB_CLOCK_NOMINAL &&
		    hyb_clock_ns(&c, START + 1000) - hyb_clock_ns(&c, START) == 1000,
	    "one tuple of a counter of nanoseconds");
	hyb_clock_free(&c);
	hyb_clock_fit(t, 1, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, 0, &c);
	tap(c.quality == HYB_CLOCK_GUESSED && monotone(&c, 0, 10), "one tuple and nothing else");
	hyb_clock_free(&c);
	t[1] = t[0];
	hyb_clock_fit(t, 2, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, HZ, &c);
	tap(c.quality == HYB_CLOCK_NOMINAL && c.tuples == 1, "the same tuple twice is one");
	hyb_clock_free(&c);
	hyb_clock_fit(NULL, 0, HYB_CLOCK_TRACE, HYB_COUNTER_TSC, HZ, &c);
	tap(c.quality == HYB_CLOCK_NONE && hyb_clock_ns(&c, 12345) == 12345, "no tuple: ticks");
	hyb_clock_free(&c);
}

static void test_pieces(void)
{
	struct hyb_def_clock t[60];
	struct hyb_clock c;

	/* After 30 s the guest goes on, on a machine whose counter is 100 ppm faster. */
	for (int i = 0; i < 60; i++) {
		t[i] = tuple(i, i % 3 * 5);
		if (i > 30)
			t[i].counter += (uint64_t)(i - 30) * HZ / 10000;
	}
	hyb_clock_fit(t, 60, HYB_CLOCK_MONOTONIC_RAW, HYB_COUNTER_TSC, 0, &c);
	tap(c.quality == HYB_CLOCK_PIECEWISE && c.residual <= 10,
	    "where no line fits, from tuple to tuple (residual %" PRId64 " ns)", c.residual);
	tap(monotone(&c, -5, 70), "and still monotone");
	hyb_clock_free(&c);
}

static void test_hosts(void)
{
	struct hyb_def_clock one = tuple(0, 0), other = tuple(5, 0), far = tuple(9, 0);
	struct hyb_clocks *clocks;
	int a, b, c, d;

	hyb_clocks_new(&clocks);
	a = hyb_clocks_add(clocks, "n1", "boot1", HYB_COUNTER_TSC, 0, &one, 1);
	b = hyb_clocks_add(clocks, "n2", "boot2", HYB_COUNTER_TSC, 0, &far, 1);
	c = hyb_clocks_add(clocks, "n1", "boot1", HYB_COUNTER_TSC, 0, &other, 1);
	d = hyb_clocks_add(clocks, "n1", "boot3", HYB_COUNTER_TSC, 0, &other, 1);
	for (int i = 0; i < 200000; i++) {
		struct hyb_def_clock t = tuple(5 + i * 0.001, 0);

		hyb_clocks_add(clocks, "n1", "boot1", HYB_COUNTER_TSC, 0, &t, 1);
	}
	hyb_clocks_fit(clocks);
	tap(a == 0 && b == 1 && c == 0 && d == 2 && hyb_clocks_count(clocks) == 3,
	    "one clock for each host and boot");
	tap(hyb_clocks_get(clocks, 0)->quality == HYB_CLOCK_FITTED &&
		    near(at(hyb_clocks_get(clocks, 0), 5) - at(hyb_clocks_get(clocks, 0), 0),
			 5 * SECOND, 8),
	    "processes of one host help each other");
	tap(hyb_clocks_get(clocks, 0)->tuples <= 65536 && hyb_clocks_get(clocks, 0)->tuples > 30000,
	    "and very many tuples are thinned out");
	hyb_clocks_free(clocks);
}

int main(void)
{
	test_line();
	test_absurd();
	test_few();
	test_pieces();
	test_hosts();
	return tap_done();
}
