/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the order of a process with two threads: reading them must neither crash nor take memory that the bytes do
 * not account for. With clang's -fsanitize=fuzzer it is a fuzz target (define HYB_LIBFUZZER); else a test that changes
 * good orders at random, always the same way: fuzz-order [ROUNDS], or over the files given: fuzz-order FILE...
 */
#include <errno.h>

#include "../lib/fuzz.h"
#include "analysis/replay/replay.h"

#define BYTES_MAX 4096
#define ROOM_MAX (512u << 20) /* of some million receives that may be open at once */

static uint64_t sum; /* of all that was read, so that it is looked at */

static void look_at(const struct hyb_replay_order *order)
{
	struct hyb_replay_calls *calls = hyb_replay_calls_open(order);
	struct hyb_replay_call call;

	require(order->match_room * sizeof(*order->matches) + order->open_room * sizeof(*order->open) <= ROOM_MAX);
	require(order->outcome_room + order->call_room + order->try_room <= ROOM_MAX);
	for (size_t i = 0; i < order->match_count; i++)
		sum += (uint64_t)order->matches[i].source;
	for (size_t i = 0; i < order->outcome_bytes; i++)
		sum += order->outcomes[i];
	require(calls);
	while (hyb_replay_calls_next(calls, &call) > 0) {
		require(call.count <= HYB_ORDER_VALUES);
		for (unsigned int i = 0; i < call.count; i++)
			sum += (uint64_t)call.values[i];
	}
	hyb_replay_calls_close(calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hyb_replay_order orders[2] = { { 0 }, { 0 } };
	struct hyb_replay_turns turns = { 0 };
	int err = 0;

	for (size_t i = 0; i < size && i < BYTES_MAX && !err; i++)
		err = data[i] ? hyb_replay_order_byte(&orders[i >= size / 2], data[i]) : 0;
	require(!err || err == -EINVAL || err == -ENOMEM);
	for (uint32_t i = 0; i < 2; i++) {
		hyb_replay_order_end(&orders[i]);
		look_at(&orders[i]);
		for (size_t k = 0; k < orders[i].foreign_count; k++)
			hyb_replay_order_match(&orders[!i], orders[i].foreign[k].number, &orders[i].foreign[k].match);
		err = err ? err : hyb_replay_turns_add(&turns, i, &orders[i]);
	}
	if (!err)
		hyb_replay_turns_settle(&turns);
	for (size_t i = 0; i < turns.count; i++)
		sum += turns.items[i].thread;
	for (int i = 0; i < 2; i++)
		hyb_replay_order_free(&orders[i]);
	free(turns.items);
	return 0;
}

#ifndef HYB_LIBFUZZER

static size_t put_number(uint8_t *data, size_t at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		data[at++] = (uint8_t)(number | 0x80);
	data[at++] = (uint8_t)number;
	return at;
}

/* Entries of all kinds with mostly small numbers, as programs have them. */
static size_t make_order(uint8_t *data)
{
	size_t at = 0;

	for (int i = 0; i < 40; i++) {
		const unsigned int kind = (unsigned int)(next_random() % (1u << HYB_ORDER_KIND_BITS));

		at = put_number(data, at, (next_random() % 6) << HYB_ORDER_KIND_BITS | kind);
		for (uint64_t k = next_random() % 4; k; k--)
			at = put_number(data, at, 1 + next_random() % (next_random() % 16 ? 8 : 1u << 20));
	}
	return at;
}

static void try_one(void)
{
	uint8_t data[BYTES_MAX + 8] = { 0 };
	size_t size = make_order(data);

	for (uint64_t n = next_random() % 4; n; n--)
		fuzz_change(data, &size, (size_t)(next_random() % size), next_random(), (unsigned int)(next_random() % 4));
	LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv)
{
	unsigned long rounds = 2000;

	if (fuzz_arguments(argc, argv, &rounds, 0))
		return 0;
	for (unsigned long i = 0; i < rounds; i++)
		try_one();
	printf("1..1\nok 1 - orders, changed %lu times\n# %llu\n", rounds, (unsigned long long)sum);
	return 0;
}

#endif
