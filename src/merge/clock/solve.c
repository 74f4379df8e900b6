/* SPDX-License-Identifier: BSD-3-Clause */
/* From observations to corrections: pairs, parts, ties; see offsets.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

#define SUSPECTS_MAX 1024

/* How sure the difference is in the middle of each stretch between steps, at its worst; the smallest round trip. */
static int rate_pair(struct hyb_offsets *o, struct hyb_pair *p)
{
	int64_t first, last;

	p->error = 0;
	if (!hyb_envelope_span(&p->envelope, &first, &last))
		return 0;
	for (uint32_t k = 0; k <= p->step_count; k++) {
		int64_t from = k ? p->steps[k - 1].after : first, to = k < p->step_count ? p->steps[k].before : last;
		struct hyb_band band;
		int err = hyb_pair_band(o, p, hyb_sat_add(from + (to - from) / 2, p->origin), k, &band);
		double error = fmax(band.sure[1] - band.ahead, band.ahead - band.sure[0]);

		if (err)
			return err;
		if (band.sides[0] && band.sides[1] && band.gap > 0 && band.gap < (double)o->totals.round_trip)
			o->totals.round_trip = hyb_sat_round(band.gap);
		if (!(error < HYB_UNBOUNDED))
			error = HYB_UNBOUNDED;
		p->error = error > p->error ? error : p->error;
	}
	return 0;
}

/* Times of both nodes about a step of their pair. */
static int suspect(struct hyb_offsets *o, uint32_t pair, uint32_t k, struct hyb_suspect *s)
{
	const struct hyb_pair *p = hyb_pair_at(o, pair);
	int64_t around = hyb_sat_round(ldexp(1, (int)p->envelope.shift));
	int64_t from = hyb_sat_add(hyb_sat_sub(p->steps[k].before, around), p->origin);
	int64_t to = hyb_sat_add(hyb_sat_add(p->steps[k].after, around), p->origin);
	int err;

	s[0] = (struct hyb_suspect){ .node = p->a, .pair = pair, .from = from, .to = to };
	s[1] = (struct hyb_suspect){ .node = p->b, .pair = pair };
	err = hyb_pair_to_b(o, p, from, k, &s[1].from);
	if (!err)
		err = hyb_pair_to_b(o, p, to, k + 1, &s[1].to);
	return err;
}

/* All pairs of the node have a step there: it is the node's. two_way: how many pairs it has. */
static bool all_agree(const struct hyb_suspect *s, size_t count, size_t of, uint32_t two_way)
{
	uint32_t pair = UINT32_MAX, agree = 0;

	/* Those of one pair stand together. */
	for (size_t i = 0; i < count; i++) {
		if (s[i].node != s[of].node || s[i].pair == pair || s[i].from > s[of].to || s[i].to < s[of].from)
			continue;
		pair = s[i].pair;
		agree++;
	}
	return agree == two_way;
}

/* Leaves out nodes that have no step, as far as that can be seen. */
static size_t sift(const struct hyb_offsets *o, const struct hyb_suspect *s, size_t count, struct hyb_suspect *sure)
{
	uint32_t *two_way = o->members;
	size_t n = 0;

	memset(two_way, 0, o->nodes * sizeof(*two_way));
	for (uint32_t i = 0; i < o->pairs.count; i++) {
		two_way[hyb_pair_at(o, i)->a] += hyb_pair_at(o, i)->two_way;
		two_way[hyb_pair_at(o, i)->b] += hyb_pair_at(o, i)->two_way;
	}
	for (size_t i = 0; i < count; i++) {
		if (all_agree(s, count, i, two_way[s[i].node]))
			sure[n++] = s[i];
	}
	return n;
}

static int find_suspects(struct hyb_offsets *o, struct hyb_suspect *s, size_t *count)
{
	bool chained = false;
	int err = 0;

	*count = 0;
	for (uint32_t i = 0; !err && i < o->pairs.count; i++) {
		const struct hyb_pair *p = hyb_pair_at(o, i);

		chained |= p->chained;
		for (uint32_t k = 0; !err && p->two_way && k < p->step_count && *count + 2 <= SUSPECTS_MAX; k++) {
			err = suspect(o, i, k, s + *count);
			*count += 2;
		}
	}
	if (!chained)
		*count = 0;
	return err;
}

static int close_without(struct hyb_offsets *o, const struct hyb_suspect *s, size_t count)
{
	int err = hyb_circles_close(o, s, count);

	for (uint32_t i = 0; !err && i < o->pairs.count; i++) {
		if (hyb_pair_at(o, i)->chained)
			err = hyb_steps_find(o, hyb_pair_at(o, i));
	}
	return err;
}

/*
 * A chain of messages is measured by the clocks of the nodes between, so a step of one of them shows in pairs that have
 * none, and at wrong times. Where there are both, chains are made again of what is out of doubt. That shows whose the
 * step is; and once more with the others' help it shows when it was.
 */
static int close_again(struct hyb_offsets *o)
{
	struct hyb_suspect *s = malloc(2 * SUSPECTS_MAX * sizeof(*s)), *sure = s + SUSPECTS_MAX;
	size_t count = 0, n = 0;
	int err = s ? find_suspects(o, s, &count) : -ENOMEM;

	if (!err && count)
		err = close_without(o, s, count);
	if (!err && count) {
		err = find_suspects(o, s, &count);
		n = sift(o, s, count, sure);
	}
	if (!err && n && n < count)
		err = close_without(o, sure, n);
	free(s);
	return err;
}

static int rate_pairs(struct hyb_offsets *o)
{
	int err = hyb_circles_close(o, NULL, 0);

	for (uint32_t i = 0; !err && i < o->pairs.count; i++) {
		if (hyb_pair_at(o, i)->two_way)
			err = hyb_steps_find(o, hyb_pair_at(o, i));
	}
	if (!err)
		err = close_again(o);
	for (uint32_t i = 0; !err && i < o->pairs.count; i++) {
		if (hyb_pair_at(o, i)->two_way)
			err = rate_pair(o, hyb_pair_at(o, i));
	}
	return err;
}

static void part_free(struct hyb_part *part)
{
	hyb_tree_free(&part->tree);
	free(part->nodes);
	free(part->edges);
	free(part->pairs);
	free(part->steps);
	free(part->at);
	free(part->over);
}

static void parts_free(struct hyb_part *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		part_free(&parts[i]);
	free(parts);
}

/* Memory for the nodes and edges that were counted. */
static int part_make(struct hyb_part *part)
{
	part->nodes = malloc((part->count + (size_t)1) * sizeof(*part->nodes));
	part->edges = malloc((part->edge_count + (size_t)1) * sizeof(*part->edges));
	part->pairs = malloc((part->edge_count + (size_t)1) * sizeof(*part->pairs));
	part->count = 0;
	part->edge_count = 0;
	return part->nodes && part->edges && part->pairs ? 0 : -ENOMEM;
}

/* Numbers the parts, by their first nodes: number[i] is that of node i's. Returns how many there are. */
static uint32_t number_parts(struct hyb_offsets *o, uint32_t *number)
{
	uint32_t *joined = o->members, count = 0;

	for (uint32_t i = 0; i < o->nodes; i++)
		joined[i] = i;
	for (uint32_t i = 0; i < o->pairs.count; i++) {
		uint32_t a = hyb_joined_find(joined, hyb_pair_at(o, i)->a),
			 b = hyb_joined_find(joined, hyb_pair_at(o, i)->b);

		/* The root is the node of the lowest number. */
		if (hyb_pair_at(o, i)->two_way)
			joined[a < b ? b : a] = a < b ? a : b;
	}
	for (uint32_t i = 0; i < o->nodes; i++)
		number[i] = hyb_joined_find(joined, i) == i ? count++ : number[hyb_joined_find(joined, i)];
	return count;
}

/* local: each node's number within its part. */
static int fill_parts(struct hyb_offsets *o, const uint32_t *number, uint32_t *local, struct hyb_part *parts,
		      uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; i < o->nodes; i++)
		parts[number[i]].count++;
	for (uint32_t i = 0; i < o->pairs.count; i++)
		parts[number[hyb_pair_at(o, i)->a]].edge_count += hyb_pair_at(o, i)->two_way;
	for (uint32_t i = 0; !err && i < count; i++)
		err = part_make(&parts[i]);
	if (err)
		return err;
	for (uint32_t i = 0; i < o->nodes; i++) {
		struct hyb_part *part = &parts[number[i]];

		local[i] = part->count;
		part->nodes[part->count++] = i;
	}
	for (uint32_t i = 0; i < o->pairs.count; i++) {
		struct hyb_pair *p = hyb_pair_at(o, i);
		struct hyb_part *part = &parts[number[p->a]];

		if (!p->two_way)
			continue;
		part->edges[part->edge_count] = (struct hyb_edge){ local[p->a], local[p->b], p->error };
		part->pairs[part->edge_count++] = p;
	}
	return 0;
}

static int make_parts(struct hyb_offsets *o, struct hyb_part **parts, uint32_t *count)
{
	uint32_t *number = malloc((o->nodes + (size_t)1) * sizeof(*number));
	uint32_t *local = malloc((o->nodes + (size_t)1) * sizeof(*local));
	struct hyb_part *made = NULL;
	int err = -ENOMEM;

	if (number && local) {
		*count = number_parts(o, number);
		made = calloc(*count + (size_t)1, sizeof(*made));
	}
	if (made)
		err = fill_parts(o, number, local, made, *count);
	free(number);
	free(local);
	if (err && made)
		parts_free(made, *count);
	else
		*parts = made;
	return err;
}

int hyb_offsets_solve(struct hyb_offsets *o)
{
	struct hyb_part *parts = NULL;
	uint32_t count = 0;
	int err = rate_pairs(o);

	if (!err)
		err = make_parts(o, &parts, &count);
	if (err)
		return err;
	for (uint32_t i = 0; !err && i < count; i++)
		err = hyb_part_solve(o, &parts[i]);
	if (!err)
		err = hyb_ties_make(o, parts, count);
	for (uint32_t i = 0; !err && i < o->nodes; i++)
		hyb_correction_settle(&o->corrections[i]);
	o->totals.parts = count;
	parts_free(parts, count);
	return err;
}
