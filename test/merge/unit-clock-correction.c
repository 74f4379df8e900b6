/* SPDX-License-Identifier: BSD-3-Clause */
/* A correction is a line from knot to knot, also at the ends of what 64 bits hold, and never turns time around. */
#include <stdlib.h>

#include "../lib/tap.h"
#include "merge/clock/correction.h"

static bool rises(const struct hyb_correction *c, int64_t from, int64_t to)
{
	int64_t last = INT64_MIN;

	for (int64_t t = from; t < to; t++) {
		int64_t corrected = hyb_correction_apply(c, t);

		if (corrected < last)
			return false;
		last = corrected;
	}
	return true;
}

static void test_lines(void)
{
	struct hyb_knot knots[] = { { 1000, 500, 10 }, { 2000, 600, 20 }, { 3000, 600, 5 } };
	struct hyb_correction none = { NULL, 0 }, one = { knots, 1 }, c = { knots, 3 };

	tap_equal(hyb_correction_apply(&none, 77), 77, "nothing to correct");
	tap_equal(hyb_correction_apply(&one, 77), 577, "an offset");
	tap_equal(hyb_correction_apply(&c, 1000), 1500, "at a knot");
	tap_equal(hyb_correction_apply(&c, 1500), 2050, "between knots");
	tap_equal(hyb_correction_apply(&c, 3000), 3600, "at the last one");
	tap_equal(hyb_correction_apply(&c, 0), 400, "before the first");
	tap_equal(hyb_correction_apply(&c, 9000), 9600, "after the last");
	tap(rises(&c, 0, 5000), "later stays later");
}

/* Knots that contradict each other. */
static void test_settle(void)
{
	struct hyb_knot knots[] = {
		{ 1000, 500, 0 }, { 1500, -400, 0 }, { 1400, -400, 0 }, { 1400, 900, 0 }, { 2000, 900, 0 }
	};
	struct hyb_correction c = { knots, 5 };

	hyb_correction_settle(&c);
	tap(c.count == 4 && knots[1].at == 1500 && knots[1].ahead == 0,
	    "a step back further than the time gone by stops there");
	tap(knots[2].at == 1501 && knots[2].ahead == 900, "a clock that goes back: the new correction from there on");
	tap(rises(&c, 500, 3000), "later stays later");
}

static void test_ends(void)
{
	struct hyb_knot knots[] = { { INT64_MIN, INT64_MAX, 0 }, { 0, 0, 0 }, { INT64_MAX, INT64_MIN, 0 } };
	struct hyb_correction c = { knots, 3 };
	bool ordered = true;
	int64_t last = INT64_MIN;

	hyb_correction_settle(&c);
	for (int i = -1000; i <= 1000; i++) {
		int64_t corrected = hyb_correction_apply(&c, INT64_MAX / 1000 * i);

		ordered &= corrected >= last;
		last = corrected;
	}
	tap(ordered, "the widest line there is");
	knots[1] = (struct hyb_knot){ INT64_MIN + 1, INT64_MIN, 0 };
	hyb_correction_settle(&c);
	ordered = hyb_correction_apply(&c, INT64_MIN) <= hyb_correction_apply(&c, INT64_MIN + 1) &&
		  hyb_correction_apply(&c, INT64_MIN + 1) <= hyb_correction_apply(&c, INT64_MAX);
	tap(ordered, "and the steepest");
}

int main(void)
{
	test_lines();
	test_settle();
	test_ends();
	return tap_done();
}
