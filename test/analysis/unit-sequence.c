/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences of operations: whether two differ, and between which numbers. */
#include "analysis/check/tally.h"

#include <stdlib.h>

#include "../lib/tap.h"

static struct hyb_sequence made(uint64_t count, uint64_t other)
{
	struct hyb_sequence s = { .stride = 1 };
	uint64_t i;

	for (i = 1; i <= count; i++)
		hyb_sequence_add(&s, i == other ? 7 : i % 5);
	return s;
}

int main(void)
{
	bool alike = true, found = true, close = true;
	uint64_t same, other;

	for (uint64_t n = 0; n < 300; n++)
		for (uint64_t more = 0; more < 40; more++) {
			struct hyb_sequence a = made(n, 0), b = made(n + more, 0);

			alike &= !hyb_sequence_differs(&a, &b, &same, &other) &&
				 !hyb_sequence_differs(&b, &a, &same, &other);
		}
	tap(alike, "what is alike does not differ, also where one has more");
	for (uint64_t n = 1; n < 300; n++)
		for (uint64_t at = 1; at <= n; at += 1 + n / 20) {
			struct hyb_sequence a = made(n + 3, 0), b = made(n, at);

			found &= hyb_sequence_differs(&a, &b, &same, &other) && same < at &&
				 at <= other && other <= n;
			close &= other - same <= 1 + n / 4;
		}
	tap(found, "one other operation is found");
	tap(close, "and about where it is");
	return tap_done();
}
