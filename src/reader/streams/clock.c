/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A conversion from raw counter values to nanoseconds, fitted to clock tuples: a line where one
 * fits, else from tuple to tuple. Tuples come from files, so the few that are absurd must not spoil
 * the others.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader/streams/clock.h"
#include "reader/containers/search.h"

#define LINE_MAX_NS 1000  /* a line that misses a tuple by more, and its width, does not fit */
#define KNOT_NS 100000000 /* between the tuples of a piecewise clock, at least */
#define SANE_NS (UINT64_C(1) << 62)
#define ONE ((double)(UINT64_C(1) << HYB_CLOCK_SHIFT))

struct fit {
	struct hyb_def_clock *t; /* by counter, the sane ones */
	size_t count;
	enum hyb_clock_target target;
	double slope; /* ns per tick; 0: none found */
};

static int by_counter(const void *a, const void *b)
{
	const struct hyb_def_clock *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Rounded, and kept within what 64 bits hold: tuples come from files. */
static int64_t to_ns(double v)
{
	if (v >= (double)SANE_NS)
		return (int64_t)SANE_NS;
	if (v <= -(double)SANE_NS)
		return -(int64_t)SANE_NS;
	return (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

static double median(double *v, size_t count)
{
	qsort(v, count, sizeof(*v), by_double);
	return v[count / 2];
}

/* The clock that gives the slope. */
static int64_t clock_of(const struct fit *f, size_t i)
{
	return (int64_t)(f->target == HYB_CLOCK_MONOTONIC ? f->t[i].monotonic
							  : f->t[i].monotonic_raw);
}

static double ticks(const struct fit *f, size_t from, size_t to)
{
	return (double)(f->t[to].counter - f->t[from].counter);
}

static double ns(const struct fit *f, size_t from, size_t to)
{
	return (double)(clock_of(f, to) - clock_of(f, from));
}

static bool sane_slope(double slope)
{
	return slope > 0.00025 && slope < 1000;
}

/*
 * A first slope, from tuples far apart, which a few wrong tuples do not change; and away with those
 * that miss it by more than a clock can. values has room for count doubles.
 */
static void drop_absurd(struct fit *f, double *values)
{
	size_t half = f->count / 2, n = 0;
	double slope, middle, limit;

	for (size_t i = 0; i + half < f->count; i++) {
		if (f->t[i + half].counter > f->t[i].counter)
			values[n++] = ns(f, i, i + half) / ticks(f, i, i + half);
	}
	slope = n ? median(values, n) : 0;
	if (!sane_slope(slope))
		return;
	for (size_t i = 0; i < f->count; i++)
		values[i] = ns(f, 0, i) - slope * ticks(f, 0, i);
	middle = median(values, f->count);
	/* 1 s, and 1 % of the time they cover, which the first and the last may have wrong. */
	limit = 1e9 + slope * ticks(f, f->count / 4, f->count * 3 / 4) / 50;
	n = 0;
	for (size_t i = 0; i < f->count; i++)
		values[i] = ns(f, 0, i) - slope * ticks(f, 0, i);
	for (size_t i = 0; i < f->count; i++) {
		if (values[i] - middle <= limit && middle - values[i] <= limit)
			f->t[n++] = f->t[i];
	}
	f->count = n;
}

/* The line of least squares, a tuple's weight falling with its width; its slope is left in f. */
static struct hyb_clock_piece fit_line(struct fit *f)
{
	struct hyb_clock_piece piece = { .from = f->t[0].counter, .base = clock_of(f, 0) };
	double sum = 0, mean_x = 0, mean_y = 0, xx = 0, xy = 0;

	f->slope = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < f->count; i++) {
			double x = ticks(f, 0, i), y = ns(f, 0, i);
			double width = (double)f->t[i].width + 1, weight = 1 / (width * width);

			if (pass) {
				xx += weight * (x - mean_x) * (x - mean_x);
				xy += weight * (x - mean_x) * (y - mean_y);
			} else {
				sum += weight;
				mean_x += weight * x;
				mean_y += weight * y;
			}
		}
		if (!pass) {
			mean_x /= sum;
			mean_y /= sum;
		}
	}
	if (xx > 0 && sane_slope(xy / xx)) {
		f->slope = xy / xx;
		piece.mult = (uint64_t)(f->slope * ONE + 0.5);
		piece.base = hyb_ns_add(piece.base, to_ns(mean_y - f->slope * mean_x));
	}
	return piece;
}

/*
 * From tuple to tuple: of those within KNOT_NS the narrowest, so that what one of them is off by
 * does not bend the slope. Returns how many pieces there are, 0 where the tuples cannot be
 * followed.
 */
static size_t fit_pieces(const struct fit *f, struct hyb_clock_piece *pieces)
{
	size_t count = 0, knot = 0;

	for (size_t i = 0; i < f->count;) {
		size_t best = i, first = i;

		while (++i < f->count && ns(f, first, i) < KNOT_NS) {
			if (f->t[i].width < f->t[best].width)
				best = i;
		}
		if (count) {
			double slope = ns(f, knot, best) / ticks(f, knot, best);

			if (f->t[best].counter == f->t[knot].counter || !sane_slope(slope))
				continue;
			pieces[count - 1].mult =
				(uint64_t)(((__int128)(clock_of(f, best) - clock_of(f, knot))
					    << HYB_CLOCK_SHIFT) /
					   (int64_t)(f->t[best].counter - f->t[knot].counter));
		}
		knot = best;
		pieces[count].from = f->t[best].counter;
		pieces[count].base = clock_of(f, best);
		count++;
	}
	/* The last knot begins no piece of its own: the one before goes on. */
	return count ? count - 1 : 0;
}

static int64_t residual(const struct fit *f, const struct hyb_clock *clock)
{
	int64_t max = 0;

	for (size_t i = 0; i < f->count; i++) {
		__int128 off = (__int128)hyb_clock_ns(clock, f->t[i].counter) - clock_of(f, i);

		off = off < 0 ? -off : off;
		if (off > max)
			max = off > INT64_MAX ? INT64_MAX : (int64_t)off;
	}
	return max;
}

static int64_t median_width(const struct fit *f, double *values)
{
	for (size_t i = 0; i < f->count; i++)
		values[i] = (double)f->t[i].width * f->slope;
	return to_ns(median(values, f->count));
}

/* Tuples that give no slope: one of them, and a slope from elsewhere. */
static void single(struct fit *f, uint32_t counter, uint64_t hz, struct hyb_clock *clock)
{
	struct hyb_clock_piece *piece = &clock->pieces[0];
	size_t best = 0;

	for (size_t i = 1; i < f->count; i++) {
		if (f->t[i].width < f->t[best].width)
			best = i;
	}
	clock->quality = HYB_CLOCK_NOMINAL;
	f->slope = hz ? 1e9 / (double)hz : 0;
	if (counter == HYB_COUNTER_MONOTONIC_RAW)
		f->slope = 1;
	if (!sane_slope(f->slope)) {
		clock->quality = HYB_CLOCK_GUESSED;
		f->slope = (double)f->t[best].monotonic_raw / ((double)f->t[best].counter + 1);
	}
	if (!sane_slope(f->slope))
		f->slope = 1;
	piece->from = f->t[best].counter;
	piece->base = clock_of(f, best);
	piece->mult = (uint64_t)(f->slope * ONE + 0.5);
	clock->count = 1;
}

/*
 * Moves the clock from MONOTONIC_RAW to where REALTIME was, by the median of what the tuples say.
 */
static void set_offset(const struct fit *f, double *values, struct hyb_clock *clock)
{
	int64_t first = hyb_ns_sub((int64_t)f->t[0].realtime, hyb_clock_ns(clock, f->t[0].counter));
	int64_t offset;

	for (size_t i = 0; i < f->count; i++) {
		int64_t line = hyb_ns_add(hyb_clock_ns(clock, f->t[i].counter), first);

		values[i] = (double)hyb_ns_sub((int64_t)f->t[i].realtime, line);
	}
	offset = hyb_ns_add(first, to_ns(median(values, f->count)));
	clock->drift = to_ns(values[f->count - 1] - values[0]);
	clock->offset = offset;
	for (size_t i = 0; i < clock->count; i++)
		clock->pieces[i].base = hyb_ns_add(clock->pieces[i].base, offset);
}

/* The sane ones of the tuples, sorted, each counter value once. */
static void take(struct fit *f, const struct hyb_def_clock *tuples, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct hyb_def_clock *t = &tuples[i];

		if (t->counter < 2 * SANE_NS && t->monotonic_raw < SANE_NS &&
		    t->monotonic < SANE_NS && t->realtime < SANE_NS)
			f->t[n++] = *t;
	}
	qsort(f->t, n, sizeof(*f->t), by_counter);
	f->count = 0;
	for (size_t i = 0; i < n; i++) {
		if (!f->count || f->t[f->count - 1].counter != f->t[i].counter)
			f->t[f->count++] = f->t[i];
	}
}

static void fit(struct fit *f, double *values, uint32_t counter, uint64_t hz,
		struct hyb_clock *clock)
{
	drop_absurd(f, values);
	clock->tuples = f->count;
	clock->count = 1;
	clock->quality = HYB_CLOCK_FITTED;
	clock->pieces[0] = fit_line(f);
	if (!f->slope)
		single(f, counter, hz, clock);
	clock->width = median_width(f, values);
	clock->residual = residual(f, clock);
	if (clock->residual > LINE_MAX_NS + clock->width && clock->quality == HYB_CLOCK_FITTED) {
		struct hyb_clock_piece line = clock->pieces[0];
		size_t pieces = fit_pieces(f, clock->pieces);

		if (pieces) {
			clock->count = pieces;
			clock->quality = HYB_CLOCK_PIECEWISE;
			clock->residual = residual(f, clock);
		} else {
			clock->pieces[0] = line;
		}
	}
	if (f->target == HYB_CLOCK_TRACE)
		set_offset(f, values, clock);
}

int hyb_clock_fit(const struct hyb_def_clock *tuples, size_t count, enum hyb_clock_target target,
		  uint32_t counter, uint64_t nominal_hz, struct hyb_clock *clock)
{
	struct hyb_clock made = { .count = 1, .quality = HYB_CLOCK_NONE };
	struct fit f = { .target = target };
	double *values;

	f.t = malloc((count + 1) * sizeof(*f.t));
	values = malloc((count + 1) * sizeof(*values));
	made.pieces = calloc(count + 1, sizeof(*made.pieces));
	if (!f.t || !values || !made.pieces) {
		free(f.t);
		free(values);
		free(made.pieces);
		return -ENOMEM;
	}
	take(&f, tuples, count);
	if (f.count)
		fit(&f, values, counter, nominal_hz, &made);
	else
		made.pieces[0].mult = UINT64_C(1) << HYB_CLOCK_SHIFT;
	free(f.t);
	free(values);
	*clock = made;
	return 0;
}

void hyb_clock_free(struct hyb_clock *clock)
{
	free(clock->pieces);
	clock->pieces = NULL;
	clock->count = 0;
}

const struct hyb_clock_piece *hyb_clock_piece(const struct hyb_clock *clock, uint64_t raw)
{
	/* The first also serves what is before it. */
	return &clock->pieces[HYB_SEARCH(i, clock->count - 1, clock->pieces[i + 1].from <= raw)];
}
