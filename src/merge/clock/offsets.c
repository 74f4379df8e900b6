/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes observations in; see offsets.h. */
#include "merge/clock/offsets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define BYTES (64u << 20) /* for the windows of all pairs */
#define WINDOWS_MAX 1024u /* of one pair */
#define WINDOWS_MIN 16u
#define DEGREE_MAX 32u /* pairs of a node that are kept though it is connected otherwise */
#define ALL_MAX 8u     /* of so many nodes a collective operation tells of all distances at once */

struct ends {
	uint32_t a;
	uint32_t b;
};

static bool same_pair(const void *entry, const void *key)
{
	const struct hyb_pair *p = entry;
	const struct ends *k = key;

	return p->a == k->a && p->b == k->b;
}

int hyb_offsets_new(uint32_t nodes, struct hyb_offsets **offsets)
{
	struct hyb_offsets *o = calloc(1, sizeof(*o));
	size_t n = (size_t)nodes + 1;

	if (!o)
		return -ENOMEM;
	o->nodes = nodes;
	o->windows = WINDOWS_MAX;
	o->totals.round_trip = INT64_MAX;
	hyb_table_init(&o->pairs, sizeof(struct hyb_pair), same_pair);
	o->seen = calloc(n, sizeof(*o->seen));
	o->joined = malloc(n * sizeof(*o->joined));
	o->members = malloc(n * sizeof(*o->members));
	o->corrections = calloc(n, sizeof(*o->corrections));
	o->clocks = calloc(n, sizeof(*o->clocks));
	if (!o->seen || !o->joined || !o->members || !o->corrections || !o->clocks) {
		hyb_offsets_free(o);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nodes; i++)
		o->joined[i] = i;
	*offsets = o;
	return 0;
}

void hyb_offsets_free(struct hyb_offsets *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->pairs.count; i++)
		hyb_envelope_free(&hyb_pair_at(o, i)->envelope);
	for (uint32_t i = 0; o->corrections && i < o->nodes; i++)
		free(o->corrections[i].knots);
	hyb_table_free(&o->pairs);
	free(o->seen);
	free(o->joined);
	free(o->members);
	free(o->corrections);
	free(o->clocks);
	hyb_band_room_free(&o->room);
	free(o);
}

/* The more pairs, the fewer windows each of them may have. */
static uint32_t windows_for(uint32_t pairs)
{
	uint32_t windows = WINDOWS_MAX;

	while (windows > WINDOWS_MIN && (uint64_t)pairs * windows * sizeof(struct hyb_window) > BYTES)
		windows /= 2;
	return windows;
}

/* A new pair; NULL in *pair where it is beyond what memory is spent on. */
static int make_pair(struct hyb_offsets *o, const struct ends *k, uint64_t hash, struct hyb_pair **pair)
{
	uint32_t i = hyb_joined_find(o->joined, k->a), j = hyb_joined_find(o->joined, k->b);
	struct hyb_pair *p;

	*pair = NULL;
	if (i == j && o->seen[k->a].degree >= DEGREE_MAX && o->seen[k->b].degree >= DEGREE_MAX)
		return 0;
	p = hyb_table_add(&o->pairs, hash);
	if (!p)
		return -ENOMEM;
	o->joined[i] = j;
	o->seen[k->a].degree++;
	o->seen[k->b].degree++;
	p->a = k->a;
	p->b = k->b;
	p->rates[0][0] = -HYB_DRIFT_MAX;
	p->rates[0][1] = HYB_DRIFT_MAX;
	hyb_envelope_init(&p->envelope);
	o->totals.pairs = o->pairs.count;
	o->last = o->pairs.count - 1;
	o->windows = windows_for(o->pairs.count);
	*pair = p;
	return 0;
}

/* The pair of two nodes, a < b, as make_pair. */
static int get_pair(struct hyb_offsets *o, uint32_t a, uint32_t b, struct hyb_pair **pair)
{
	const struct ends k = { a, b };
	uint64_t hash;

	if (o->last < o->pairs.count) {
		*pair = hyb_pair_at(o, o->last);
		if (same_pair(*pair, &k))
			return 0;
	}
	hash = hyb_mix((uint64_t)a << 32 | b);
	*pair = hyb_table_find(&o->pairs, hash, &k);
	if (!*pair)
		return make_pair(o, &k, hash, pair);
	o->last = (uint32_t)(*pair - hyb_pair_at(o, 0));
	return 0;
}

int hyb_pair_add(struct hyb_offsets *o, struct hyb_pair *p, bool up, int64_t sent, int64_t received, uint32_t hops)
{
	enum hyb_side side = up ? HYB_UPPER : HYB_LOWER;
	int64_t at = up ? sent : received;
	int64_t ahead = up ? hyb_sat_sub(received, sent) : hyb_sat_sub(sent, received);

	if (!p->envelope.count) {
		p->origin = at;
		p->base = ahead;
	}
	at = hyb_sat_sub(at, p->origin);
	ahead = hyb_sat_clamp(hyb_sat_sub(ahead, p->base), HYB_TIME_LIMIT);
	p->hops[side] = hops;
	return hyb_envelope_add(&p->envelope, side, at, side == HYB_UPPER ? ahead : -ahead, o->windows);
}

static void see(struct hyb_seen *s, int64_t time)
{
	if (!s->any || time < s->first)
		s->first = time;
	if (!s->any || time > s->last)
		s->last = time;
	s->any = true;
}

int hyb_offsets_message(struct hyb_offsets *o, uint32_t from, int64_t sent, uint32_t to, int64_t received)
{
	bool up = from < to;
	struct hyb_pair *p;
	int err;

	if (from == to || from >= o->nodes || to >= o->nodes)
		return 0;
	see(&o->seen[from], sent);
	see(&o->seen[to], received);
	err = get_pair(o, up ? from : to, up ? to : from, &p);
	if (err)
		return err;
	o->totals.observations++;
	o->totals.backward += received < sent;
	if (!p) {
		o->totals.left_out++;
		return 0;
	}
	return hyb_pair_add(o, p, up, sent, received, 1);
}

static int give(struct hyb_offsets *o, const struct hyb_member *from, const struct hyb_member *to)
{
	return from->gives && to->takes ? hyb_offsets_message(o, from->node, from->begin, to->node, to->end) : 0;
}

/*
 * Each begin is before each end: with n nodes n^2 bounds. Told are those of nodes 1, 2, 4, ... apart, of many nodes one
 * distance an operation, so that no more pairs come of it than n times log n.
 */
static int all_to_all(struct hyb_offsets *o, const struct hyb_member *m, size_t count)
{
	uint32_t distances = 0, chosen;
	int err = 0;

	while ((UINT64_C(1) << distances) < count)
		distances++;
	chosen = distances ? o->turn++ % distances : 0;
	for (uint32_t k = 0; k < distances; k++) {
		if (count > ALL_MAX && k != chosen)
			continue;
		for (size_t i = 0; !err && i < count; i++) {
			const struct hyb_member *other = &m[(i + (UINT64_C(1) << k)) % count];

			err = give(o, &m[i], other);
			if (!err)
				err = give(o, other, &m[i]);
		}
	}
	return err;
}

int hyb_offsets_operation(struct hyb_offsets *o, const struct hyb_member *m, size_t count)
{
	size_t givers = 0, takers = 0, giver = 0, taker = 0;
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		giver = m[i].gives ? i : giver;
		taker = m[i].takes ? i : taker;
		givers += m[i].gives;
		takers += m[i].takes;
	}
	if (givers > 1 && takers > 1)
		return all_to_all(o, m, count);
	for (size_t i = 0; !err && i < count; i++)
		err = givers == 1 ? give(o, &m[giver], &m[i]) : give(o, &m[i], &m[taker]);
	return err;
}

void hyb_offsets_realtime(struct hyb_offsets *o, uint32_t node, int64_t at, int64_t ahead, int64_t error)
{
	struct hyb_seen *s;
	double x, y;

	if (node >= o->nodes)
		return;
	s = &o->seen[node];
	if (s->n == 0) {
		s->real_at = at;
		s->real_ahead = ahead;
	}
	see(s, at);
	x = (double)hyb_sat_sub(at, s->real_at);
	y = (double)hyb_sat_sub(ahead, s->real_ahead);
	s->n++;
	s->x += x;
	s->y += y;
	s->xx += x * x;
	s->xy += x * y;
	s->yy += y * y;
	if (error > s->real_error)
		s->real_error = error;
}

struct hyb_correction *hyb_offsets_correction(struct hyb_offsets *o, uint32_t node)
{
	return &o->corrections[node];
}

const struct hyb_node_clock *hyb_offsets_node(const struct hyb_offsets *o, uint32_t node)
{
	return &o->clocks[node];
}

const struct hyb_offsets_totals *hyb_offsets_totals(const struct hyb_offsets *o)
{
	return &o->totals;
}
