/* SPDX-License-Identifier: BSD-3-Clause */
/* The turns of a process's threads, put in order; see replay.h. */
#include <errno.h>
#include <stdlib.h>

#include "reader/containers/array.h"
#include "analysis/replay/replay.h"

int hyb_replay_turns_add(struct hyb_replay_turns *turns, uint32_t thread, const struct hyb_replay_order *order)
{
	struct hyb_replay_turn *items = hyb_array_hold(turns->items, &turns->room, turns->count + order->turn_count + 1,
						       sizeof(*items));

	if (!items)
		return -ENOMEM;
	turns->items = items;
	for (size_t i = 0; i < order->turn_count; i++)
		items[turns->count++] = (struct hyb_replay_turn){ .first = order->turns[i], .thread = thread };
	if (order->turns_all)
		turns->all = order->turns_all - 1;
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct hyb_replay_turn *p = a, *q = b;

	return (p->first > q->first) - (p->first < q->first);
}

int hyb_replay_turns_settle(struct hyb_replay_turns *turns)
{
	if (!turns->count)
		return turns->all ? -EINVAL : 0;
	qsort(turns->items, turns->count, sizeof(*turns->items), by_first);
	for (size_t i = 0; i < turns->count; i++) {
		if (i ? turns->items[i].first == turns->items[i - 1].first : turns->items[i].first != 0)
			return -EINVAL;
	}
	/* Threads that ran on while the process ended may have taken more. */
	while (turns->all && turns->count && turns->items[turns->count - 1].first >= turns->all)
		turns->count--;
	/* Of a process that was killed it is not known how long the last ones went on. */
	if (!turns->all)
		turns->all = turns->items[turns->count - 1].first;
	return 0;
}
