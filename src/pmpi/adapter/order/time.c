/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of MPI_Wtime, for programs that decide by them; see order.h. */
#include <string.h>

#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"

/* Times of one clock are numbers that follow each other closely, also as bits. */
static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unzigzag(uint64_t number)
{
	return number >> 1 ^ -(number & 1);
}

double hyb_order_Wtime(void)
{
	struct hyb_order *order = hyb_order_mine();
	struct hyb_replay *replay;
	double time;
	uint64_t bits;

	if (hyb_order_replays()) {
		replay = hyb_replay_mine();
		if (!replay || !hyb_replay_take_other(replay, "MPI_Wtime", HYB_ORDER_TIME))
			return HYB_ORDER_CALL(MPI_Wtime);
		order->time += unzigzag(hyb_replay_number(replay) - 1);
		memcpy(&time, &order->time, sizeof(time));
		return time;
	}
	time = HYB_ORDER_CALL(MPI_Wtime);
	memcpy(&bits, &time, sizeof(bits));
	hyb_order_outcome(order, HYB_ORDER_OTHER, HYB_ORDER_TIME);
	hyb_order_number(order, zigzag(bits - order->time) + 1);
	order->time = bits;
	return time;
}
