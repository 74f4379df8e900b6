/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From raw counter values to nanoseconds. One conversion serves all processes of one host and boot,
 * made of the clock tuples of all of them. Conversions are integer, monotone, and say how good they
 * are.
 */
#ifndef HYB_READER_STREAMS_CLOCK_H
#define HYB_READER_STREAMS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

enum hyb_clock_target {
	/* slope of MONOTONIC_RAW, offset of REALTIME: comparable as far as hosts agree */
	HYB_CLOCK_TRACE,
	HYB_CLOCK_MONOTONIC_RAW,
	HYB_CLOCK_MONOTONIC, /* slewed by NTP: follows the tuples piece by piece where needed */
};

enum hyb_clock_quality {
	HYB_CLOCK_FITTED,    /* a line through the tuples */
	HYB_CLOCK_PIECEWISE, /* tuple to tuple, since no line fits them: the guest was moved */
	HYB_CLOCK_NOMINAL,   /* one tuple: slope from the frequency given, or known to be 1 */
	HYB_CLOCK_GUESSED,   /* one tuple and nothing better: slope from the time since boot */
	HYB_CLOCK_NONE,	     /* no tuple: ticks are passed on as if they were nanoseconds */
};

struct hyb_clock_piece { /* raw >= from: ns = base + ((raw - from) * mult >> HYB_CLOCK_SHIFT) */
	uint64_t from;
	int64_t base;
	uint64_t mult;
};

#define HYB_CLOCK_SHIFT 52 /* mult is ns per tick * 2^52: for counters of 1 MHz to 4 THz */

struct hyb_clock {
	struct hyb_clock_piece *pieces; /* by `from`; the first also serves below its `from` */
	size_t count;			/* at least 1 */
	enum hyb_clock_quality quality;
	size_t tuples;	  /* it was made of */
	int64_t residual; /* max |tuple - clock|, ns; width of the tuples not included */
	int64_t width;	  /* median width of the tuples, ns: how sure each of them is */
	int64_t drift; /* TRACE: how far REALTIME ran away from the line meanwhile, max - min, ns */
	int64_t offset; /* TRACE: what its times are more than MONOTONIC_RAW, ns */
};

/*
 * Makes a conversion from tuples (any order, duplicates allowed; not changed). nominal_hz is the
 * counter's frequency where something is known of it, else 0. 0 or -ENOMEM. Free with
 * hyb_clock_free.
 */
int hyb_clock_fit(const struct hyb_def_clock *tuples, size_t count, enum hyb_clock_target target,
		  uint32_t counter, uint64_t nominal_hz, struct hyb_clock *clock);
void hyb_clock_free(struct hyb_clock *clock);

/* The piece that serves raw; out of line, for clocks of more than one piece. */
const struct hyb_clock_piece *hyb_clock_piece(const struct hyb_clock *clock, uint64_t raw)
	__attribute__((pure));

/*
 * Nanoseconds of the target for a raw counter value. Monotone; before the first tuple it
 * extrapolates.
 */
static inline int64_t hyb_clock_ns(const struct hyb_clock *clock, uint64_t raw)
{
	const struct hyb_clock_piece *p = clock->pieces;
	__int128 ns;

	if (__builtin_expect(clock->count > 1, 0))
		p = hyb_clock_piece(clock, raw);
	ns = (__int128)(int64_t)(raw - p->from) * (__int128)p->mult >> HYB_CLOCK_SHIFT;

	return (int64_t)((uint64_t)p->base + (uint64_t)ns);
}

/* Sums and differences of times: those of damaged files may be anything, and wrap instead of being undefined. */
static inline int64_t hyb_ns_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t hyb_ns_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/*
 * The clocks of an experiment: one for each (boot, counter kind); where the boot is not known, for each host. Add every
 * process, fit once, then look up by the number that adding gave. Tuples are thinned out when a host has very
 * many of them.
 */
struct hyb_clocks;

int hyb_clocks_new(struct hyb_clocks **clocks);
void hyb_clocks_free(struct hyb_clocks *clocks);
/*
 * The number (>= 0) of the host's clock, or -errno. Without host and boot, give something unique as
 * host.
 */
int hyb_clocks_add(struct hyb_clocks *clocks, const char *host, const char *boot, uint32_t counter,
		   uint64_t nominal_hz, const struct hyb_def_clock *tuples, size_t count);
/* Makes the TRACE conversions; what was added since the last time counts, too. 0 or -errno. */
int hyb_clocks_fit(struct hyb_clocks *clocks);
size_t hyb_clocks_count(const struct hyb_clocks *clocks);
const struct hyb_clock *hyb_clocks_get(const struct hyb_clocks *clocks, size_t number);
/* The tuples that it was made of. */
const struct hyb_def_clock *hyb_clocks_tuples(const struct hyb_clocks *clocks, size_t number, size_t *count);
/* The name of the first host that was added. */
const char *hyb_clocks_host(const struct hyb_clocks *clocks, size_t number);

#endif
