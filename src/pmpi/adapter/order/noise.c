/* SPDX-License-Identifier: BSD-3-Clause */
/* Delays at random: HYBMON_NOISE; see calls.h. */
#include "pmpi/adapter/order/calls.h"

#include <time.h>

#include "core/sys/sys.h"

#define MOST_HALVINGS 10

/* splitmix64: any state will do, also 0 and those that follow each other. */
static uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Each rank and thread draws its own. */
static void begin(struct hyb_order *order)
{
	uint64_t *state = &order->calls.noise;
	int rank = 0;

	if (order->calls.drawn)
		return;
	order->calls.drawn = true;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	*state += (uint64_t)(unsigned int)rank << 32 | order->number;
	*state = draw(state) | 1;
}

/* Half of the calls wait: up to the longest delay, half of it, a fourth and so on, each as often. */
void hyb_calls_delay(struct hyb_order *order)
{
	struct timespec span;
	uint64_t drawn;
	uint64_t most;

	begin(order);
	drawn = draw(&order->calls.noise);
	order->calls.noise += !order->calls.noise;
	if (drawn & 1)
		return;
	most = hyb_config.noise_max * 1000 >> (drawn >> 1 & 15) % MOST_HALVINGS;
	drawn = most ? (drawn >> 8) % most : 0;
	span.tv_sec = (time_t)(drawn / 1000000000);
	span.tv_nsec = (long)(drawn % 1000000000);
	HYB_SYS(nanosleep, &span, NULL, 0, 0, 0, 0);
}
