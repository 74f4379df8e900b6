/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The controlled logical clock: threads that send messages to each other, by clocks that are wrong. Afterwards no
 * message is received before it was sent, each thread's events have their order, and little else is changed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "merge/clock/logical.h"

#define THREADS 4
#define EVENTS 20000
#define LATENCY 500
#define NONE UINT32_MAX

enum kind { COMPUTE, SEND, RECEIVE, ENTER, LEAVE }; /* the last two: of a barrier of all */

struct event {
	enum kind kind;
	int64_t input;
	int64_t final;
	uint32_t thread; /* of the other half, and its number there */
	uint32_t number; /* or of the barrier */
};

struct barrier {
	uint32_t enter[THREADS]; /* numbers of events */
	uint32_t leave[THREADS];
};

static struct event events[THREADS][EVENTS];
static uint32_t counts[THREADS];
static struct barrier barriers[EVENTS];
static uint32_t barrier_count;
static uint64_t state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 33) % n);
}

static struct event *add(uint32_t thread, enum kind kind, int64_t time)
{
	struct event *e = &events[thread][counts[thread]++];

	*e = (struct event){ .kind = kind, .input = time, .thread = NONE };
	return e;
}

static void add_barrier(int64_t *now, const int64_t *wrong)
{
	struct barrier *b = &barriers[barrier_count];
	int64_t last = 0;

	for (uint32_t t = 0; t < THREADS; t++) {
		now[t] += 1 + random_below(1000);
		last = now[t] > last ? now[t] : last;
		b->enter[t] = counts[t];
		add(t, ENTER, now[t] + wrong[t])->number = barrier_count;
	}
	for (uint32_t t = 0; t < THREADS; t++) {
		now[t] = last + LATENCY + random_below(LATENCY);
		b->leave[t] = counts[t];
		add(t, LEAVE, now[t] + wrong[t])->number = barrier_count;
	}
	barrier_count++;
}

/*
 * Work, and now and then a message to another thread or a barrier; what is received is received when both are ready.
 * `wrong` is how wrong each thread's clock is.
 */
static void make_world(const int64_t *wrong, int64_t pace)
{
	int64_t now[THREADS] = { 0 };

	memset(counts, 0, sizeof(counts));
	barrier_count = 0;
	for (;;) {
		uint32_t from = random_below(THREADS), to = (from + 1 + random_below(THREADS - 1)) % THREADS;
		struct event *send, *receive;

		if (counts[from] + 8 > EVENTS || counts[to] + 8 > EVENTS)
			return;
		if (!random_below(50))
			add_barrier(now, wrong);
		for (uint32_t i = random_below(4); i; i--) {
			now[from] += pace / 4 + random_below((uint32_t)pace);
			add(from, COMPUTE, now[from] + wrong[from]);
		}
		now[from] += 1 + random_below((uint32_t)pace);
		send = add(from, SEND, now[from] + wrong[from]);
		if (now[to] < now[from] + LATENCY)
			now[to] = now[from] + LATENCY + random_below(2 * LATENCY);
		now[to]++;
		receive = add(to, RECEIVE, now[to] + wrong[to]);
		send->thread = to;
		send->number = counts[to] - 1;
		receive->thread = from;
		receive->number = counts[from] - 1;
	}
}

/* What the event has to wait for: the sender's final time, or the latest enter's. */
static int64_t bound_of(uint32_t thread, const struct event *e)
{
	int64_t bound = HYB_NO_BOUND;

	if (e->kind == RECEIVE)
		return events[e->thread][e->number].final + LATENCY;
	for (uint32_t t = 0; e->kind == LEAVE && t < THREADS; t++) {
		const struct event *enter = &events[t][barriers[e->number].enter[t]];

		if (t != thread && enter->final + LATENCY > bound)
			bound = enter->final + LATENCY;
	}
	return bound;
}

/* Not all that the event has to wait for has its final time. */
static bool too_soon(const struct event *e, const uint32_t *done)
{
	bool soon = e->kind == RECEIVE && e->number >= done[e->thread];

	for (uint32_t t = 0; e->kind == LEAVE && t < THREADS; t++)
		soon |= barriers[e->number].enter[t] >= done[t];
	return soon;
}

/* All threads at once, a receive after its send. Returns how many events came too early by their inputs. */
static uint64_t run(void)
{
	struct hyb_logical l[THREADS] = { 0 };
	uint32_t at[THREADS] = { 0 };
	uint64_t early = 0;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t t = 0; t < THREADS; t++) {
			for (; at[t] < counts[t] && !too_soon(&events[t][at[t]], at); at[t]++) {
				struct event *e = &events[t][at[t]];
				int64_t bound = bound_of(t, e);

				early += bound != HYB_NO_BOUND && e->input < bound;
				e->final = hyb_logical_time(&l[t], e->input, bound);
				moved = true;
			}
		}
	}
	for (uint32_t t = 0; t < THREADS; t++)
		early += at[t] == counts[t] ? 0 : UINT64_MAX / 8;
	return early;
}

static uint64_t violations(void)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t i = 0; i < counts[t]; i++) {
			const struct event *e = &events[t][i];

			if (e->kind == RECEIVE)
				n += e->final < events[e->thread][e->number].final + LATENCY;
			for (uint32_t u = 0; e->kind == LEAVE && u < THREADS; u++)
				n += u != t && e->final < events[u][barriers[e->number].enter[u]].final + LATENCY;
		}
	}
	return n;
}

/*
 * Order kept, nothing moved to before its input, intervals above 0 stay so; *shorter: by what part of itself one
 * shrank.
 */
static bool decent(double *shorter, int64_t *most)
{
	*shorter = 0;
	*most = 0;
	for (uint32_t t = 0; t < THREADS; t++) {
		for (uint32_t i = 0; i < counts[t]; i++) {
			const struct event *e = &events[t][i];
			int64_t before, after;

			if (e->final < e->input)
				return false;
			if (e->final - e->input > *most)
				*most = e->final - e->input;
			if (!i)
				continue;
			before = e->input - e[-1].input;
			after = e->final - e[-1].final;
			if (after < 0 || (before > 0 && after <= 0))
				return false;
			/* Of short ones a nanosecond is much. */
			if (before > 1000 && 1 - (double)after / (double)before > *shorter)
				*shorter = 1 - (double)after / (double)before;
		}
	}
	return true;
}

static void test_right(void)
{
	int64_t wrong[THREADS] = { 0 };
	double shorter;
	int64_t most;

	make_world(wrong, 2000);
	tap_equal((long long)run(), 0, "clocks that are right: nothing is early");
	tap(decent(&shorter, &most) && !most, "and nothing is moved");
}

static int64_t widest(const int64_t *wrong)
{
	int64_t low = 0, high = 0;

	for (int i = 0; i < THREADS; i++) {
		low = wrong[i] < low ? wrong[i] : low;
		high = wrong[i] > high ? wrong[i] : high;
	}
	return high - low;
}

static void test_wrong(const char *what, int64_t pace, int64_t a, int64_t b, int64_t c)
{
	int64_t wrong[THREADS] = { 0, a, b, c };
	double shorter;
	int64_t most;
	uint64_t early;

	make_world(wrong, pace);
	early = run();
	tap(early > 100 && early < UINT64_MAX / 8, "%s: %" PRIu64 " messages are early at first", what, early);
	tap(!violations(), "%s: afterwards none is", what);
	tap(decent(&shorter, &most), "%s: order and intervals", what);
	tap(shorter < 0.01, "%s: no interval becomes shorter by more than a hundredth: %.4f", what, shorter);
	tap(most <= widest(wrong), "%s: nothing is moved by more than clocks differ: %" PRId64, what, most);
}

/* One jump of 100 ns: nothing before it moves, after it the way back takes 12.8 us. */
static void test_shape(void)
{
	struct hyb_logical l = { 0 };
	int64_t moved[201];
	bool before = true, after = true;

	for (int i = 0; i <= 200; i++) {
		moved[i] = hyb_logical_time(&l, i * 200, i == 100 ? 100 * 200 + 100 : HYB_NO_BOUND) - i * 200;
		before &= i >= 100 || !moved[i];
		after &= i <= 100 || moved[i] <= moved[i - 1];
	}
	tap_equal(moved[100], 100, "a jump: the receive is where it has to be");
	tap(before, "what is before it stays");
	tap(after && moved[132] > 45 && moved[132] < 55 && moved[165] == 0, "what follows goes back to where it was");
}

/* Times at the ends of what 64 bits hold, and such as go back. */
static void test_hostile(void)
{
	static const int64_t values[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX, 1000 };
	const uint32_t n = sizeof(values) / sizeof(*values);
	bool ordered = true;

	for (int turn = 0; turn < 5; turn++) {
		struct hyb_logical l = { 0 };
		int64_t last = INT64_MIN;

		for (int i = 0; i < 20000; i++) {
			int64_t input = values[random_below(i < 10000 ? 3 : n)];
			int64_t time = hyb_logical_time(&l, input, values[random_below(n)]);

			ordered &= time >= last;
			last = time;
		}
	}
	tap(ordered, "impossible times: order is kept all the same");
}

int main(void)
{
	test_right();
	test_wrong("some microseconds", 2000, 5000, -3000, 1500);
	test_wrong("much work between messages", 200000, 5000, -3000, 1500);
	test_wrong("milliseconds", 2000, 2000000, -3000000, 1000000);
	test_wrong("events nanoseconds apart", 8, 400, -300, 100);
	test_shape();
	test_hostile();
	return tap_done();
}
