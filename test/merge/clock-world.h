/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes whose clocks are wrong in a known way, and messages between them: what the corrections that are made of the
 * messages are compared with.
 */
#ifndef HYB_TEST_CLOCK_WORLD_H
#define HYB_TEST_CLOCK_WORLD_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "merge/clock/offsets.h"

#define SECOND 1e9
#define WORLD_NODES 1000

struct world_clock {
	double offset; /* ns */
	double drift;
	double swing;	/* ns: a slow wave, as of the temperature */
	double period;	/* ns */
	double step_at; /* ns, true time */
	double step;	/* ns */
};

static struct world_clock world_clocks[WORLD_NODES];
static int64_t world_origin; /* the true time 0, on a clock that is right */
static uint64_t world_state = 88172645463325252u;

static inline double world_random(void)
{
	world_state ^= world_state << 13;
	world_state ^= world_state >> 7;
	world_state ^= world_state << 17;
	return (double)(world_state >> 11) / 9007199254740992.0;
}

/* What the node's clock shows at a true time, ns. */
static inline int64_t world_time(uint32_t node, double t)
{
	const struct world_clock *c = &world_clocks[node];
	double wave = c->period > 0 ? c->swing * sin(2 * M_PI * t / c->period) : 0;
	double step = c->step != 0 && t >= c->step_at ? c->step : 0;

	return world_origin + (int64_t)llround(t + c->offset + c->drift * t + wave + step);
}

/* A latency of at least `least`: most are little more, some very much more. */
static inline double world_latency(double least)
{
	double u = world_random();

	return least * (1 + 0.3 * -log(1 - world_random())) + (u < 0.02 ? least * 1000 * world_random() : 0);
}

static inline double world_send(struct hyb_offsets *o, uint32_t from, uint32_t to, double t, double least)
{
	double arrival = t + world_latency(least);

	hyb_offsets_message(o, from, world_time(from, t), to, world_time(to, arrival));
	return arrival;
}

/* Offsets of +-10 s and drifts of +-100 ppm. */
static inline void world_begin(uint32_t nodes)
{
	world_origin = INT64_C(1795399101542127979);
	for (uint32_t i = 0; i < nodes; i++)
		world_clocks[i] = (struct world_clock){
			.offset = (world_random() - 0.5) * 20 * SECOND,
			.drift = (world_random() - 0.5) * 2e-4,
		};
}

/* How far a node's corrected time is from that of another one at that moment, ns. */
static inline double world_off(struct hyb_offsets *o, uint32_t node, uint32_t other, double t)
{
	int64_t a = hyb_correction_apply(hyb_offsets_correction(o, node), world_time(node, t));
	int64_t b = hyb_correction_apply(hyb_offsets_correction(o, other), world_time(other, t));

	return (double)(a - b);
}

/* The most of that between two times. */
static inline double world_worst(struct hyb_offsets *o, uint32_t nodes, double from, double to)
{
	double worst = 0;

	for (uint32_t i = 1; i < nodes; i++) {
		for (int k = 0; k <= 200; k++)
			worst = fmax(worst, fabs(world_off(o, i, 0, from + (to - from) * k / 200)));
	}
	return worst;
}

#endif
