/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and operations between nodes whose clocks are nearly right: afterwards nothing ends before it can have come,
 * later stays later, and what needed nothing is where it was.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "merge/clock/logical.h"
#include "merge/clock/order.h"

#define NODES 5
#define WHOLES 20000
#define LEAST 500

struct whole {
	struct hyb_member m[NODES];
	size_t count;
};

static struct whole wholes[WHOLES];
static uint64_t state = 88172645463325252u;

static int64_t below(int64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int64_t)(state >> 33) % n;
}

/* What clocks are wrong by, ns: up to `most`, more or less of it as time goes by. */
static int64_t wrong(uint32_t node, int64_t time, int64_t most)
{
	int64_t phase = (time / 1000 + node * 7919) % 20000;

	return most * (phase < 10000 ? phase : 20000 - phase) / 10000 * (node % 2 ? 1 : -1);
}

/* A message, a broadcast, a reduction or a barrier that begins about then. */
static void make(struct whole *w, int64_t time, int64_t most)
{
	int64_t begin[NODES], last = 0, kind = below(8);
	uint32_t root = (uint32_t)below(NODES), to = (root + 1 + (uint32_t)below(NODES - 1)) % NODES;

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < NODES; i++) {
		begin[i] = time + below(3000);
		last = begin[i] > last ? begin[i] : last;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		struct hyb_member *m = &w->m[w->count];
		bool is_root = i == root, message = kind > 2;
		int64_t ready = kind == 1 || message ? begin[root] : last;

		if (message && !is_root && i != to)
			continue;
		m->node = i;
		m->gives = kind == 0 || (kind == 2) != is_root;
		m->takes = kind == 0 || (kind == 2) == is_root;
		ready = (ready > begin[i] ? ready : begin[i]) + LEAST + below(2000);
		m->begin = begin[i] + wrong(i, begin[i], most);
		m->end = ready + wrong(i, ready, most);
		w->count++;
	}
}

static struct hyb_order *begin(void)
{
	struct hyb_order *o = NULL;

	if (hyb_order_new(NODES, LEAST, getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", &o))
		exit(99);
	return o;
}

static int64_t moved(const struct hyb_order *o, uint32_t node, int64_t time)
{
	struct hyb_correction c = hyb_order_correction(o, node);

	return hyb_correction_apply(&c, time);
}

/* How many ends come too early, by the corrections if there are any. */
static uint64_t count_early(const struct hyb_order *o)
{
	uint64_t early = 0;

	for (size_t n = 0; n < WHOLES; n++) {
		for (size_t i = 0; i < wholes[n].count; i++) {
			for (size_t k = 0; k < wholes[n].count; k++) {
				const struct hyb_member *from = &wholes[n].m[i], *to = &wholes[n].m[k];

				if (i == k || !from->gives || !to->takes)
					continue;
				if (o)
					early += moved(o, to->node, to->end) <
						 moved(o, from->node, from->begin) + LEAST;
				else
					early += to->end < from->begin + LEAST;
			}
		}
	}
	return early;
}

/* Moves are to later, by lines that do not fall faster than they may, and begin and end at 0. */
static bool is_smooth(const struct hyb_order *o)
{
	for (uint32_t node = 0; node < NODES; node++) {
		struct hyb_correction c = hyb_order_correction(o, node);

		for (size_t i = 0; i < c.count; i++) {
			const struct hyb_knot *k = &c.knots[i];

			if (k->ahead < 0)
				return false;
			if (i && (k->at <= k[-1].at || k->at + k->ahead <= k[-1].at + k[-1].ahead ||
				  (k[-1].ahead - k->ahead) * HYB_LOGICAL_DECAY >
					  k->at - k[-1].at + HYB_LOGICAL_DECAY))
				return false;
		}
		if (c.count && (c.knots[0].ahead || c.knots[1].ahead || c.knots[c.count - 1].ahead ||
				c.knots[c.count - 2].ahead))
			return false;
	}
	return true;
}

/* Adds all of them, from one on around; solves. */
static struct hyb_order *solve(size_t from)
{
	struct hyb_order *o = begin();

	for (size_t n = 0; n < WHOLES; n++) {
		const struct whole *w = &wholes[(from + n) % WHOLES];

		if (hyb_order_add(o, w->m, w->count))
			exit(99);
	}
	if (hyb_order_solve(o))
		exit(99);
	return o;
}

static bool is_same(const struct hyb_order *a, const struct hyb_order *b)
{
	for (uint32_t node = 0; node < NODES; node++) {
		struct hyb_correction x = hyb_order_correction(a, node), y = hyb_order_correction(b, node);

		if (x.count != y.count || (x.count && memcmp(x.knots, y.knots, x.count * sizeof(*x.knots))))
			return false;
	}
	return true;
}

/* apart: from one to the next one. */
static void test_world(int64_t apart, int64_t most, const char *what)
{
	struct hyb_order *o, *other;
	uint64_t early;

	for (size_t n = 0; n < WHOLES; n++)
		make(&wholes[n], (int64_t)n * apart + 1000000, most);
	early = count_early(NULL);
	o = solve(0);
	other = solve(WHOLES / 3);
	tap(!most == !early, "%s: %" PRIu64 " ends are too early at first", what, early);
	tap_equal((long long)count_early(o), 0, "then none");
	tap(is_smooth(o), "later stays later");
	tap(!most == !hyb_order_most_moved(o), "at most %" PRId64 " ns are moved", hyb_order_most_moved(o));
	tap(is_same(o, other), "the same in another order");
	hyb_order_free(o);
	hyb_order_free(other);
}

/* What happens long before and long after is where it was. */
static void test_far(void)
{
	const struct hyb_member early[2] = { { .node = 0, .gives = true, .begin = 1000000000 },
					     { .node = 1, .takes = true, .end = 1000000000 - 10000 } };
	const struct hyb_member late[2] = { { .node = 0, .gives = true, .begin = 3000000000 },
					    { .node = 1, .takes = true, .end = 3000010000 } };
	struct hyb_order *o = begin();

	hyb_order_add(o, early, 2);
	hyb_order_add(o, late, 2);
	hyb_order_solve(o);
	tap_equal(moved(o, 1, early[1].end), early[0].begin + LEAST, "what is too early is moved as far as it must be");
	tap(moved(o, 1, 990000000) == 990000000 && moved(o, 1, 1010000000) == 1010000000, "what is far away is not");
	tap(!hyb_order_correction(o, 0).count, "nothing of the other node is");
	hyb_order_free(o);
}

/* What a node does right before something that is moved: its time is as good as the offsets are. */
static void test_before(void)
{
	const struct hyb_member first[2] = { { .node = 1, .gives = true, .begin = 1000000000 - 100000 },
					     { .node = 0, .takes = true, .end = 1001000000 } };
	const struct hyb_member sent[2] = { { .node = 1, .gives = true, .begin = 1000000000 - 2000 },
					    { .node = 0, .takes = true, .end = 1001000000 } };
	const struct hyb_member early[2] = { { .node = 0, .gives = true, .begin = 1000000000 },
					     { .node = 1, .takes = true, .end = 1000000000 - 1000 } };
	struct hyb_order *o = begin();

	hyb_order_add(o, first, 2);
	hyb_order_add(o, sent, 2);
	hyb_order_add(o, early, 2);
	hyb_order_solve(o);
	tap_equal(moved(o, 1, early[1].end), early[0].begin + LEAST, "a receive comes after its send");
	tap_equal(moved(o, 1, sent[0].begin), sent[0].begin, "the send before it stays");
	hyb_order_free(o);
}

/* Each message waits for the next one, the last one for the first: of damaged files. */
static void test_circle(void)
{
	struct hyb_order *o = begin();

	for (uint32_t i = 0; i < NODES; i++) {
		struct hyb_member m[2] = { { .node = i, .gives = true, .begin = 1000 },
					   { .node = (i + 1) % NODES, .takes = true, .end = 500 } };

		hyb_order_add(o, m, 2);
	}
	tap(!hyb_order_solve(o), "a circle comes to an end");
	tap(is_smooth(o), "later stays later");
	hyb_order_free(o);
}

/* Whatever times there are. */
static void test_hostile(void)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX };
	bool solved = true;

	for (int turn = 0; turn < 50; turn++) {
		struct hyb_order *o = begin();

		for (int n = 0; n < 500; n++) {
			struct hyb_member m[NODES];

			for (uint32_t i = 0; i < NODES; i++)
				m[i] = (struct hyb_member){ i, below(2), below(2),
							    below(4) ? below(100000) : ends[below(7)],
							    below(4) ? below(100000) : ends[below(7)] };
			hyb_order_add(o, m, (size_t)below(NODES + 1));
		}
		solved &= !hyb_order_solve(o);
		hyb_order_free(o);
	}
	tap(solved, "impossible times");
}

int main(void)
{
	test_world(5000, 0, "clocks that are right");
	test_world(5000, 3000, "clocks 3 us wrong");
	test_world(100000, 30000, "clocks 30 us wrong");
	test_world(500, 300000, "clocks 300 us wrong, 2 million messages a second");
	test_far();
	test_before();
	test_circle();
	test_hostile();
	return tap_done();
}
