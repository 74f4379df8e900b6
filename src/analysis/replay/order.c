/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread's order, entry by entry; see replay.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "analysis/replay/replay.h"

/* So many receives of a thread are not open at once: what says so is damaged, and would take all memory. */
#define MOST_OPEN (UINT64_C(1) << 24)

void hyb_replay_order_free(struct hyb_replay_order *order)
{
	free(order->matches);
	free(order->outcomes);
	free(order->calls);
	free(order->tries);
	free(order->turns);
	free(order->open);
	free(order->foreign);
}

/* Receives up to that one are known, open at first. */
static int know(struct hyb_replay_order *order, uint64_t number)
{
	struct hyb_replay_match *matches;

	if (number >= order->settled + MOST_OPEN)
		return -EINVAL;
	matches = hyb_array_hold(order->matches, &order->match_room, (size_t)number + 1, sizeof(*matches));
	if (!matches)
		return -ENOMEM;
	order->matches = matches;
	while (order->match_count <= number)
		matches[order->match_count++] = (struct hyb_replay_match){ .source = HYB_REPLAY_OPEN };
	return 0;
}

/* One more that is passed over. */
static int add_open(struct hyb_replay_order *order, uint64_t number)
{
	uint64_t *open;

	/* What was taken from the front makes room. */
	if (order->open_first + order->open_count == order->open_room && order->open_first >= order->open_room / 2) {
		if (order->open_count)
			memmove(order->open, order->open + order->open_first, order->open_count * sizeof(*order->open));
		order->open_first = 0;
	}
	open = hyb_array_room(order->open, &order->open_room, order->open_first + order->open_count, sizeof(*open));
	if (!open)
		return -ENOMEM;
	order->open = open;
	open[order->open_first + order->open_count++] = number;
	return 0;
}

/* The shorter side moves: mostly it is one of the oldest. */
static uint64_t take_open(struct hyb_replay_order *order, uint64_t older)
{
	uint64_t *open = order->open + order->open_first;
	const uint64_t number = open[older];

	if (older < order->open_count / 2) {
		memmove(open + 1, open, older * sizeof(*open));
		order->open_first++;
	} else {
		memmove(open + older, open + older + 1, (order->open_count - older - 1) * sizeof(*open));
	}
	order->open_count--;
	return number;
}

/* The receive before which so many are open is so no more: its number. */
static int close_open(struct hyb_replay_order *order, uint64_t older, uint64_t *number)
{
	int err = 0;

	if (older < order->open_count) {
		*number = take_open(order, older);
		order->settled++;
		return 0;
	}
	if (older >= MOST_OPEN)
		return -EINVAL;
	*number = order->match_count + (older - order->open_count);
	for (uint64_t passed = order->match_count; passed < *number && !err; passed++)
		err = add_open(order, passed);
	if (!err)
		err = know(order, *number);
	order->settled += !err;
	return err;
}

int hyb_replay_order_match(struct hyb_replay_order *order, uint64_t number, const struct hyb_replay_match *match)
{
	int err = number < order->match_count ? 0 : know(order, number);

	if (err)
		return err;
	order->settled += order->matches[number].source == HYB_REPLAY_OPEN;
	order->matches[number] = *match;
	return 0;
}

/* Sources and tags are numbers of 31 bits. */
static int end_open(struct hyb_replay_order *order, uint64_t older, uint64_t source, uint64_t tag)
{
	uint64_t number;
	int err;

	if (source > INT32_MAX || tag > INT32_MAX)
		return -EINVAL;
	err = close_open(order, older, &number);
	if (err)
		return err;
	order->matches[number] = (struct hyb_replay_match){ .source = (int32_t)source, .tag = (int32_t)tag };
	order->matched++;
	if (order->flip && number == order->flip->number) {
		order->matches[number] = order->flip->match;
		order->is_cut = true;
	} else if (order->cuts && !order->flip && order->matched >= order->keep) {
		order->is_cut = true;
	}
	return 0;
}

/* How many older ones are open; false: it is not, or never was posted. */
static bool find_open(const struct hyb_replay_order *order, uint64_t number, uint64_t *older)
{
	for (*older = 0; *older < order->open_count; ++*older) {
		if (order->open[order->open_first + *older] == number)
			return true;
	}
	*older = order->open_count + (number - order->match_count);
	return number >= order->match_count;
}

int hyb_replay_order_matched(struct hyb_replay_order *order, uint64_t number, int32_t source, int32_t tag)
{
	uint64_t older;

	if (order->is_cut || !find_open(order, number, &older))
		return 0;
	return end_open(order, older, (uint64_t)(uint32_t)source, (uint64_t)(uint32_t)tag);
}

static int end_without(struct hyb_replay_order *order, uint64_t older, enum hyb_replay_source how)
{
	uint64_t number;
	const int err = close_open(order, older, &number);

	if (!err)
		order->matches[number].source = how;
	return err;
}

static int add_foreign(struct hyb_replay_order *order, const uint64_t *numbers)
{
	struct hyb_replay_foreign *foreign;

	if (numbers[1] - 1 > UINT32_MAX || numbers[3] - 1 > INT32_MAX || numbers[4] - 1 > INT32_MAX)
		return -EINVAL;
	foreign = hyb_array_room(order->foreign, &order->foreign_room, order->foreign_count, sizeof(*foreign));
	if (!foreign)
		return -ENOMEM;
	order->foreign = foreign;
	order->foreign[order->foreign_count++] = (struct hyb_replay_foreign){
		.thread = (uint32_t)(numbers[1] - 1), .number = numbers[2] - 1,
		.match = { .source = (int32_t)(numbers[3] - 1), .tag = (int32_t)(numbers[4] - 1) },
	};
	return 0;
}

static size_t write_number(unsigned char *to, uint64_t number)
{
	size_t n = 0;

	for (; number >= 0x80; number >>= 7)
		to[n++] = (unsigned char)(number | 0x80);
	to[n++] = (unsigned char)number;
	return n;
}

static int add_bytes(unsigned char **bytes, size_t *count, size_t *room, uint64_t number)
{
	unsigned char *grown = hyb_array_hold(*bytes, room, *count + HYB_ORDER_NUMBER_BYTES, 1);

	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	*count += write_number(grown + *count, number);
	return 0;
}

/* A number goes on into what the processes read. */
static int put(struct hyb_replay_order *order, uint64_t number)
{
	return add_bytes(&order->outcomes, &order->outcome_bytes, &order->outcome_room, number);
}

/* The same of a call. */
static int put_call(struct hyb_replay_order *order, uint64_t number)
{
	return add_bytes(&order->calls, &order->call_bytes, &order->call_room, number);
}

/* Of a flip's threads it is not known who has a lock when. */
static int put_tries(struct hyb_replay_order *order, uint64_t number)
{
	return order->cuts ? 0 : add_bytes(&order->tries, &order->try_bytes, &order->try_room, number);
}

int hyb_replay_order_told(struct hyb_replay_order *order, const uint64_t *numbers, unsigned int count)
{
	int err = 0;

	if (order->is_cut)
		return 0;
	order->outcome_count++;
	for (unsigned int i = 0; !err && i < count; i++)
		err = put(order, numbers[i]);
	return err;
}

static int put_outcome(struct hyb_replay_order *order, unsigned int count)
{
	return hyb_replay_order_told(order, order->numbers, count);
}

/* So many numbers an entry has that begins with this one. */
static unsigned int numbers_of(uint64_t first)
{
	static const unsigned char others[HYB_ORDER_OTHERS] = {
		[HYB_ORDER_YES] = 1, [HYB_ORDER_FOUND] = 3, [HYB_ORDER_CANCELLED] = 2, [HYB_ORDER_GIVEN_UP] = 2,
		[HYB_ORDER_FOREIGN] = 5, [HYB_ORDER_FAILED] = 1,
		[HYB_ORDER_TIME] = 2, [HYB_ORDER_CALL] = 4, [HYB_ORDER_CALLS_END] = 2,
		[HYB_ORDER_THREAD] = 2, [HYB_ORDER_TURN] = 2, [HYB_ORDER_TURNS_END] = 2, [HYB_ORDER_TRIED] = 2,
		[HYB_ORDER_CLOCK] = 3,
	};
	const uint64_t detail = first >> HYB_ORDER_KIND_BITS;

	switch (first & HYB_ORDER_KIND_MASK) {
	case HYB_ORDER_MATCHED:
	case HYB_ORDER_NO:
	case HYB_ORDER_INDEX:
	case HYB_ORDER_SOME:
		return 1;
	case HYB_ORDER_TAGGED:
		return 2;
	case HYB_ORDER_LATER:
		return 3;
	case HYB_ORDER_OTHER:
		return detail < HYB_ORDER_OTHERS ? others[detail] : 0;
	}
	return 0;
}

/* Its values follow. */
static int add_call(struct hyb_replay_order *order, const uint64_t *numbers)
{
	int err = 0;

	order->call_left = numbers[3] - 1;
	if (order->call_left > HYB_ORDER_VALUES || numbers[2] < 2)
		return -EINVAL;
	order->begun_at = order->call_bytes;
	for (unsigned int i = 1; !err && i < 4; i++)
		err = put_call(order, numbers[i]);
	return err;
}

/* Turns of the thread begin so many after its last ones did. */
static int add_turn(struct hyb_replay_order *order, uint64_t after)
{
	const uint64_t last = order->turn_count ? order->turns[order->turn_count - 1] : 0;
	uint64_t *turns = hyb_array_room(order->turns, &order->turn_room, order->turn_count, sizeof(*turns));

	if (!turns)
		return -ENOMEM;
	order->turns = turns;
	if (after > UINT64_MAX - last)
		return -EINVAL;
	order->turns[order->turn_count++] = last + after;
	return 0;
}

static int other(struct hyb_replay_order *order)
{
	const uint64_t *n = order->numbers;
	int err;

	switch (n[0] >> HYB_ORDER_KIND_BITS) {
	case HYB_ORDER_CANCELLED:
		return end_without(order, n[1] - 1, HYB_REPLAY_CANCELLED);
	case HYB_ORDER_GIVEN_UP:
		return end_without(order, n[1] - 1, HYB_REPLAY_GIVEN_UP);
	case HYB_ORDER_FOREIGN:
		return add_foreign(order, n);
	case HYB_ORDER_CALL:
		return add_call(order, n);
	case HYB_ORDER_THREAD:
		order->identity = n[1];
		return 0;
	case HYB_ORDER_TURN:
		return add_turn(order, n[1] - 1);
	case HYB_ORDER_TURNS_END:
		order->turns_all = n[1];
		return 0;
	case HYB_ORDER_TRIED:
		return put_tries(order, n[1]);
	case HYB_ORDER_CALLS_END:
		err = put_call(order, n[1]);
		return err ? err : put_call(order, 1);
	default:
		return put_outcome(order, order->number_count);
	}
}

/* An entry is complete. */
static int entry(struct hyb_replay_order *order)
{
	const uint64_t *n = order->numbers;
	const uint64_t detail = n[0] >> HYB_ORDER_KIND_BITS;

	switch (n[0] & HYB_ORDER_KIND_MASK) {
	case HYB_ORDER_MATCHED:
		return end_open(order, 0, detail, (uint64_t)order->tag);
	case HYB_ORDER_TAGGED:
		if (n[1] - 1 > INT32_MAX)
			return -EINVAL;
		order->tag = (int32_t)(n[1] - 1);
		return end_open(order, 0, detail, n[1] - 1);
	case HYB_ORDER_LATER:
		return end_open(order, detail, n[1] - 1, n[2] - 1);
	case HYB_ORDER_SOME:
		order->left = detail ? detail - 1 : 0;
		order->begun_at = order->outcome_bytes;
		return put_outcome(order, 1);
	case HYB_ORDER_NO:
		order->nos += detail + 1;
		return put_outcome(order, 1);
	case HYB_ORDER_OTHER:
		return other(order);
	default:
		return put_outcome(order, 1);
	}
}

/* A whole number has come. */
static int take(struct hyb_replay_order *order, uint64_t number)
{
	unsigned int wanted;
	int err;

	if (order->left) {
		order->left--;
		return put(order, number);
	}
	if (order->call_left) {
		order->call_left--;
		return put_call(order, number);
	}
	order->numbers[order->number_count++] = number;
	wanted = numbers_of(order->numbers[0]);
	if (!wanted)
		return -EINVAL;
	if (order->number_count < wanted)
		return 0;
	err = entry(order);
	order->number_count = 0;
	return err;
}

int hyb_replay_order_byte(struct hyb_replay_order *order, unsigned char byte)
{
	uint64_t number;

	if (order->is_cut)
		return 0;
	if (order->shift > 63)
		return -EINVAL;
	order->number |= (uint64_t)(byte & 0x7f) << order->shift;
	if (byte & 0x80) {
		order->shift += 7;
		return 0;
	}
	number = order->number;
	order->number = 0;
	order->shift = 0;
	return number ? take(order, number) : -EINVAL;
}

void hyb_replay_order_end(struct hyb_replay_order *order)
{
	if (order->is_cut)
		return;
	if (order->left) {
		order->outcome_bytes = order->begun_at;
		order->outcome_count--;
	}
	if (order->call_left)
		order->call_bytes = order->begun_at;
	order->left = 0;
	order->call_left = 0;
}
