/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of nodes set against each other by messages: what comes out is compared with how wrong the clocks were made.
 * Unless said otherwise offsets are up to 10 s, drifts up to 100 ppm, and two in a hundred messages take up to 1000
 * times as long as the others. Corrected times may differ by half a round trip and 1 us.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../lib/tap.h"
#include "clock-world.h"

#define LEAST 5000.0			 /* ns: a message takes at least */
#define HALF (LEAST + 1000)		 /* half of a round trip, and 1 us */
#define CIRCLE(n) ((n)*LEAST / 2 + 1000) /* the same of one over so many nodes */
#define EVERY 2e6
#define SPAN (30 * SECOND)
#define GUARD 1e7 /* so near to a step nothing is known */
#define RING_GUARD 2e7

static struct hyb_offsets *begin(uint32_t nodes)
{
	struct hyb_offsets *o;

	world_begin(nodes);
	if (hyb_offsets_new(nodes, &o))
		exit(99);
	return o;
}

/* Solves, and says whether nodes are as near to each other as they may be from one time to another. */
static bool near(struct hyb_offsets *o, uint32_t nodes, double from, double to, double limit, const char *what)
{
	double worst = hyb_offsets_solve(o) ? HUGE_VAL : world_worst(o, nodes, from, to);

	return tap(worst <= limit, "%s: %.0f ns off, at most %.0f", what, worst, limit);
}

/* There and back, with a little work between; returns when it is over. */
static double both_ways(struct hyb_offsets *o, uint32_t a, uint32_t b, double t, double there, double back)
{
	t = world_send(o, a, b, t, there) + 1000 * world_random();
	return world_send(o, b, a, t, back);
}

static void test_pair(void)
{
	struct hyb_offsets *o = begin(2);

	for (double t = 0; t < SPAN; t += EVERY)
		both_ways(o, 0, 1, t, LEAST, LEAST);
	near(o, 2, 0, SPAN, HALF, "a pair");
	tap(fabs(hyb_offsets_node(o, 1)->drift - (world_clocks[0].drift - world_clocks[1].drift)) < 1e-6 &&
		    hyb_offsets_node(o, 1)->tie == HYB_TIE_MESSAGES && hyb_offsets_node(o, 1)->reference == 0,
	    "its drift is told");
	tap(llabs(hyb_offsets_totals(o)->round_trip - 10000) < 1000, "and the smallest round trip: %" PRId64,
	    hyb_offsets_totals(o)->round_trip);
	hyb_offsets_free(o);

	o = begin(2);
	for (double t = 0; t < SPAN; t += EVERY)
		both_ways(o, 0, 1, t, LEAST, 3 * LEAST);
	near(o, 2, 0, SPAN, 2 * LEAST + 1000, "one way takes three times as long");
	tap(world_worst(o, 2, 0, SPAN) <= (double)hyb_offsets_node(o, 1)->error, "and no more than the stated error");
	hyb_offsets_free(o);
}

/* Few messages, and those of the whole run in another order. */
static void test_few(void)
{
	struct hyb_offsets *o = begin(2);

	for (double t = 0; t <= 60 * SECOND; t += 10 * SECOND)
		both_ways(o, 0, 1, t, LEAST, LEAST);
	near(o, 2, 0, 60 * SECOND, 2 * HALF, "a message each way in 10 s");
	hyb_offsets_free(o);

	o = begin(2);
	for (int k = 0; k < 15000; k++)
		world_send(o, 1, 0, k * 7919 % 15000 * EVERY, LEAST);
	for (int k = 14999; k >= 0; k--)
		world_send(o, 0, 1, k * EVERY, LEAST);
	near(o, 2, 0, SPAN, HALF, "in any order");
	hyb_offsets_free(o);
}

/* Messages go one way; answers came in the first second only, or in the first and the last one. */
static void test_answered_once(void)
{
	for (int ends = 1; ends <= 2; ends++) {
		struct hyb_offsets *o = begin(2);

		for (double t = 0; t < SPAN; t += EVERY) {
			if (t < SECOND || (ends == 2 && t >= SPAN - SECOND))
				both_ways(o, 0, 1, t, LEAST, LEAST);
			else
				world_send(o, 0, 1, t, LEAST);
		}
		near(o, 2, 0, SPAN, HALF, ends == 1 ? "answers at the begin" : "answers at both ends");
		hyb_offsets_free(o);
	}
}

/* A rate that rises and falls by up to 1e-8 a second, as with the temperature. */
static void test_wander(void)
{
	struct hyb_offsets *o = begin(2);

	world_clocks[1].period = 600 * SECOND;
	world_clocks[1].swing = 90000;
	for (double t = 0; t < 1800 * SECOND; t += 10 * EVERY)
		both_ways(o, 0, 1, t, LEAST, LEAST);
	near(o, 2, 0, 1800 * SECOND, HALF, "a clock whose rate changes slowly");
	hyb_offsets_free(o);
}

static void test_long(void)
{
	struct hyb_offsets *o = begin(2);
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	for (double t = 0; t < 36000 * SECOND; t += 10 * EVERY)
		both_ways(o, 0, 1, t, LEAST, LEAST);
	near(o, 2, 0, 36000 * SECOND, HALF, "10 hours");
	getrusage(RUSAGE_SELF, &after);
	tap(after.ru_maxrss - before.ru_maxrss < 16384, "3.6 million messages take %ld KiB",
	    after.ru_maxrss - before.ru_maxrss);
	hyb_offsets_free(o);
}

static void all_pairs(struct hyb_offsets *o, uint32_t nodes, double from, double to)
{
	for (double t = from; t < to; t += EVERY) {
		double now = t;

		for (uint32_t i = 0; i < nodes; i++) {
			for (uint32_t j = i + 1; j < nodes; j++)
				now = both_ways(o, i, j, now, LEAST, LEAST);
		}
	}
}

static void around(struct hyb_offsets *o, uint32_t nodes, double from, double to, bool back)
{
	for (double t = from; t < to; t += EVERY) {
		double now = t;

		for (uint32_t i = 0; i < nodes; i++) {
			now = world_send(o, i, (i + 1) % nodes, now, LEAST) + 2000 * world_random();
			if (back)
				world_send(o, (i + 1) % nodes, i, now, LEAST);
		}
	}
}

/* Before and after the step all is as it should be; it is the right node's. */
static void check_step(struct hyb_offsets *o, uint32_t nodes, uint32_t node, double guard, double limit,
		       const char *what)
{
	double at = world_clocks[node].step_at;
	bool right = near(o, nodes, 0, at - guard, limit, what);
	double after = world_worst(o, nodes, at + guard, SPAN);
	uint32_t steps = 0;

	tap(right && after <= limit, "after the step too: %.0f ns", after);
	for (uint32_t i = 0; i < nodes; i++)
		steps += hyb_offsets_node(o, i)->steps;
	tap(steps == 1 && hyb_offsets_node(o, node)->steps == 1, "it is found, once, and is node %" PRIu32 "'s", node);
}

static void test_steps(void)
{
	static const double sizes[] = { 5e7, 1e5 };
	struct hyb_offsets *o;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		o = begin(2);
		world_clocks[1].step = sizes[i];
		world_clocks[1].step_at = SPAN / 2 + 12345;
		for (double t = 0; t < SPAN; t += EVERY)
			both_ways(o, 0, 1, t, LEAST, LEAST);
		check_step(o, 2, 1, GUARD, HALF, "a pair, one clock jumps forward");
		hyb_offsets_free(o);
		for (uint32_t node = 0; node < 4; node += 2) {
			o = begin(4);
			world_clocks[node].step = sizes[i];
			world_clocks[node].step_at = SPAN / 3;
			all_pairs(o, 4, 0, SPAN);
			check_step(o, 4, node, GUARD, HALF, "four nodes, one of them jumps forward");
			hyb_offsets_free(o);
		}
	}
	/* The node stood still: its time rises all the same. */
	o = begin(3);
	world_clocks[1].step = -5e7;
	world_clocks[1].step_at = SPAN / 2;
	all_pairs(o, 3, 0, SPAN / 2 - 5e7);
	all_pairs(o, 3, SPAN / 2 + 5e7, SPAN);
	check_step(o, 3, 1, 6e7, HALF, "a node loses 50 ms in a pause of 100 ms");
	hyb_offsets_free(o);
	o = begin(3);
	world_clocks[1].step = 5e7;
	world_clocks[1].step_at = SPAN / 2;
	around(o, 3, 0, SPAN, false);
	check_step(o, 3, 1, RING_GUARD, CIRCLE(3), "a ring in one direction, one node jumps forward");
	hyb_offsets_free(o);
}

static void test_rings(void)
{
	struct hyb_offsets *o = begin(4);

	around(o, 4, 0, SPAN, true);
	/* Node 2 is two round trips away. */
	near(o, 4, 0, SPAN, 2 * HALF, "a ring of four, of which not all pairs talk");
	tap_equal(hyb_offsets_totals(o)->pairs, 4, "no other pairs are kept");
	hyb_offsets_free(o);

	o = begin(3);
	around(o, 3, 0, SPAN, false);
	near(o, 3, 0, SPAN, CIRCLE(3), "a ring in one direction");
	tap(!hyb_offsets_totals(o)->one_way && hyb_offsets_totals(o)->parts == 1, "it is one part");
	hyb_offsets_free(o);
}

enum flow { ALL_TO_ALL, ONE_TO_ALL, ALL_TO_ONE };

/* One operation: all begin it within 0.5 ms. */
static void operation(struct hyb_offsets *o, uint32_t nodes, double t, enum flow flow, uint32_t root)
{
	struct hyb_member m[WORLD_NODES];
	double begin[WORLD_NODES], last = 0;

	for (uint32_t i = 0; i < nodes; i++) {
		begin[i] = t + 5e5 * world_random();
		last = fmax(last, begin[i]);
	}
	for (uint32_t i = 0; i < nodes; i++) {
		double ready = begin[i];

		m[i].node = i;
		m[i].gives = flow != ONE_TO_ALL || i == root;
		m[i].takes = flow == ALL_TO_ALL || (i == root) == (flow == ALL_TO_ONE);
		if (m[i].takes)
			ready = flow == ONE_TO_ALL ? fmax(begin[i], begin[root]) : last;
		m[i].begin = world_time(i, begin[i]);
		m[i].end = world_time(i, ready + world_latency(LEAST));
	}
	hyb_offsets_operation(o, m, nodes);
}

static void test_operations(void)
{
	struct hyb_offsets *o = begin(4);

	for (double t = 0; t < SPAN; t += EVERY)
		operation(o, 4, t, ALL_TO_ALL, 0);
	near(o, 4, 0, SPAN, HALF, "barriers only");
	hyb_offsets_free(o);

	o = begin(4);
	for (int k = 0; k < 15000; k++)
		operation(o, 4, k * EVERY, k % 2 ? ALL_TO_ONE : ONE_TO_ALL, (uint32_t)(k / 2 % 4));
	near(o, 4, 0, SPAN, HALF, "bcast and reduce only, each node the root in turn");
	hyb_offsets_free(o);

	o = begin(50);
	for (double t = 0; t < 60 * SECOND; t += 5 * EVERY)
		operation(o, 50, t, ALL_TO_ALL, 0);
	near(o, 50, 0, 60 * SECOND, 4 * HALF, "barriers of 50 nodes");
	tap(hyb_offsets_totals(o)->pairs <= 50 * 6, "do not make all pairs: %" PRIu32, hyb_offsets_totals(o)->pairs);
	hyb_offsets_free(o);
}

/* CLOCK_REALTIME of each node, up to 1 ms wrong. */
static void tell_realtime(struct hyb_offsets *o, uint32_t nodes, double to)
{
	for (uint32_t i = 0; i < nodes; i++) {
		int64_t wrong = (int64_t)((world_random() - 0.5) * 2e6);

		for (double t = 0; t <= to; t += SECOND)
			hyb_offsets_realtime(o, i, world_time(i, t),
					     world_origin + (int64_t)t + wrong - world_time(i, t), 1000000);
	}
}

static uint64_t state_at_begin;

/* A pipeline; returns by how much a message of it arrives before it was sent in corrected times, ns, at most. */
static int64_t pipeline(struct hyb_offsets *o, uint32_t nodes, bool feed)
{
	int64_t worst = INT64_MIN;

	world_state = state_at_begin;
	for (double t = 0; t < SPAN; t += EVERY) {
		double now = t;

		for (uint32_t i = 0; i + 1 < nodes; i++) {
			double arrival = now + world_latency(LEAST);
			int64_t sent = world_time(i, now), received = world_time(i + 1, arrival), early;

			now = arrival;
			if (feed) {
				hyb_offsets_message(o, i, sent, i + 1, received);
				continue;
			}
			early = hyb_correction_apply(hyb_offsets_correction(o, i), sent) -
				hyb_correction_apply(hyb_offsets_correction(o, i + 1), received);
			worst = early > worst ? early : worst;
		}
	}
	return worst;
}

static void test_one_way(void)
{
	struct hyb_offsets *o = begin(4);
	int64_t early;

	tell_realtime(o, 4, SPAN);
	state_at_begin = world_state;
	pipeline(o, 4, true);
	near(o, 4, 0, SPAN, 3e6, "messages in one direction only, and CLOCK_REALTIME to 1 ms");
	early = pipeline(o, 4, false);
	tap(early <= 20, "none of them arrives before it was sent: %" PRId64 " ns", early);
	tap(hyb_offsets_totals(o)->one_way == 3 && hyb_offsets_totals(o)->parts == 4 &&
		    hyb_offsets_node(o, 1)->tie == HYB_TIE_REALTIME && hyb_offsets_node(o, 1)->tie_error > 1000000,
	    "it is said that this is so, and how sure it is");
	hyb_offsets_free(o);
}

static void test_parts(void)
{
	struct hyb_offsets *o = begin(5);
	double worst = 0;

	for (double t = 0; t < SPAN; t += EVERY) {
		both_ways(o, 0, 1, t, LEAST, LEAST);
		both_ways(o, 3, 4, t, LEAST, LEAST);
	}
	tell_realtime(o, 5, SPAN);
	near(o, 5, 0, SPAN, 3e6, "two parts and a node by itself, and CLOCK_REALTIME");
	for (int k = 0; k <= 100; k++) {
		worst = fmax(worst, fabs(world_off(o, 1, 0, SPAN * k / 100)));
		worst = fmax(worst, fabs(world_off(o, 4, 3, SPAN * k / 100)));
	}
	tap(worst <= HALF, "within a part messages say more: %.0f ns", worst);
	tap(hyb_offsets_totals(o)->parts == 3 && hyb_offsets_node(o, 4)->reference == 3, "there are three parts");
	hyb_offsets_free(o);
	o = begin(1);
	tap(!hyb_offsets_solve(o) && hyb_correction_apply(hyb_offsets_correction(o, 0), 12345) == 12345,
	    "a node of which nothing is known");
	hyb_offsets_free(o);
}

static void test_many(void)
{
	struct hyb_offsets *o = begin(WORLD_NODES);

	for (double t = 0; t < 60 * SECOND; t += 200 * EVERY) {
		for (uint32_t i = 0; i < WORLD_NODES; i++) {
			for (uint32_t k = 0; k < 3; k++)
				both_ways(o, i, (i + 1 + (i * 7 + k * k * 37) % 50) % WORLD_NODES,
					  t + 1e6 * world_random(), LEAST, LEAST);
		}
	}
	near(o, WORLD_NODES, 0, 60 * SECOND, HALF, "1000 nodes");
	hyb_offsets_free(o);
	o = begin(100);
	for (int k = 0; k < 1000; k++) {
		for (uint32_t i = 0; i < 100; i++)
			both_ways(o, i, (uint32_t)(i + 1 + (uint32_t)(world_random() * 98)) % 100, k * 20 * EVERY,
				  LEAST, LEAST);
	}
	near(o, 100, 0, 1000 * 20 * EVERY, 2 * HALF, "100 nodes, each with all");
	tap(hyb_offsets_totals(o)->pairs < 100 * 32 && hyb_offsets_totals(o)->left_out > 0,
	    "memory is for %" PRIu32 " pairs of 4950", hyb_offsets_totals(o)->pairs);
	hyb_offsets_free(o);
}

static void test_ends(void)
{
	static const int64_t origins[] = { INT64_MAX - INT64_C(100000000000), INT64_MIN + INT64_C(100000000000), 0 };

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++) {
		struct hyb_offsets *o = begin(3);

		world_origin = origins[i];
		all_pairs(o, 3, 0, SPAN);
		near(o, 3, 0, SPAN, HALF, "times at the ends of what 64 bits hold");
		hyb_offsets_free(o);
	}
}

static int64_t any_time(void)
{
	static const int64_t values[] = {
		INT64_MIN, INT64_MAX, 0, -1, INT64_C(1) << 62, INT64_C(1795399101542127979)
	};
	uint32_t i = (uint32_t)(world_random() * 12);

	return i < 6 ? values[i] : (int64_t)((world_random() - 0.5) * 1.8e19);
}

/* Whatever times there are: nothing breaks, and later stays later. */
static void test_hostile(void)
{
	bool ordered = true;

	for (int turn = 0; turn < 60; turn++) {
		struct hyb_offsets *o = begin(6);

		for (int k = 0; k < 3000; k++) {
			struct hyb_member m[3];

			hyb_offsets_message(o, (uint32_t)(world_random() * 8), any_time(),
					    (uint32_t)(world_random() * 6),
					    turn % 2 ? any_time() : (int64_t)(world_random() * 1e9));
			for (uint32_t i = 0; i < 3; i++)
				m[i] = (struct hyb_member){ (uint32_t)(world_random() * 7), (k >> i) & 1,
							    (k >> (i + 3)) & 1, any_time(), any_time() };
			if (k % 10 == 0)
				hyb_offsets_operation(o, m, 3);
			if (k % 50 == 0)
				hyb_offsets_realtime(o, (uint32_t)(k % 7), any_time(), any_time(), any_time());
		}
		hyb_offsets_solve(o);
		for (int k = 0; k < 2000; k++) {
			const struct hyb_correction *c = hyb_offsets_correction(o, (uint32_t)(k % 6));
			int64_t a = any_time(), b = any_time();

			ordered &= a > b || hyb_correction_apply(c, a) <= hyb_correction_apply(c, b);
		}
		hyb_offsets_free(o);
	}
	tap(ordered, "impossible times: later stays later");
}

int main(void)
{
	test_pair();
	test_few();
	test_answered_once();
	test_wander();
	test_long();
	test_steps();
	test_rings();
	test_operations();
	test_one_way();
	test_parts();
	test_many();
	test_ends();
	test_hostile();
	return tap_done();
}
