/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of samples; see tally.h. */
#include "export/samples/tally.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool same_stack(const void *entry, const void *key)
{
	const struct hyb_samples_tally_stack *a = entry, *b = key;

	return a->outer == b->outer && a->region == b->region;
}

static bool same_row(const void *entry, const void *key)
{
	const struct hyb_samples_tally_row *a = entry, *b = key;

	return a->node == b->node && a->chain == b->chain && a->stack == b->stack && a->metric == b->metric;
}

void hyb_samples_tally_init(struct hyb_samples_tally *t)
{
	hyb_table_init(&t->stacks, sizeof(struct hyb_samples_tally_stack), same_stack);
	hyb_table_init(&t->rows, sizeof(struct hyb_samples_tally_row), same_row);
}

void hyb_samples_tally_free(struct hyb_samples_tally *t)
{
	hyb_table_free(&t->stacks);
	hyb_table_free(&t->rows);
}

uint32_t hyb_samples_tally_enter(struct hyb_samples_tally *t, uint32_t outer, const struct hyb_gregion *region)
{
	const struct hyb_samples_tally_stack key = { outer, region };
	const uint64_t hash = hyb_mix((uint64_t)(uintptr_t)region ^ hyb_mix(outer));
	struct hyb_samples_tally_stack *s = hyb_table_find(&t->stacks, hash, &key);

	if (!s) {
		s = hyb_table_add(&t->stacks, hash);
		if (!s)
			return 0;
		*s = key;
	}
	return (uint32_t)(s - (struct hyb_samples_tally_stack *)hyb_table_at(&t->stacks, 0)) + 1;
}

static int add(struct hyb_samples_tally *t, const struct hyb_samples_tally_row *row)
{
	uint64_t hash = hyb_mix((uint64_t)row->chain << 32 | row->stack);
	struct hyb_samples_tally_row *known;

	hash = hyb_mix(hash ^ (uint64_t)(uintptr_t)row->node ^ (uint64_t)row->metric << 48);
	known = hyb_table_find(&t->rows, hash, row);
	if (!known) {
		known = hyb_table_add(&t->rows, hash);
		if (!known)
			return -ENOMEM;
		*known = *row;
		known->count = known->weight = 0;
	}
	known->count += row->count;
	known->weight += row->weight;
	return 0;
}

int hyb_samples_tally_add(struct hyb_samples_tally *t, const struct hyb_merge_event *e, uint32_t stack)
{
	const struct hyb_samples_tally_row row = {
		.node = e->sample.node,
		.chain = e->sample.chain,
		.metric = e->sample.metric,
		.stack = stack,
		.count = 1,
		.weight = e->sample.weight,
	};

	return add(t, &row);
}

/* The other one's regions by the numbers here. A stack's number is greater than that of its outer one. */
static uint32_t *translate(struct hyb_samples_tally *t, const struct hyb_samples_tally *from)
{
	uint32_t *numbers = calloc(from->stacks.count + (size_t)1, sizeof(*numbers));
	const struct hyb_samples_tally_stack *s;

	for (uint32_t i = 1; numbers && i <= from->stacks.count; i++) {
		s = hyb_samples_tally_stack(from, i);
		numbers[i] = hyb_samples_tally_enter(t, numbers[s->outer], s->region);
		if (!numbers[i]) {
			free(numbers);
			return NULL;
		}
	}
	return numbers;
}

int hyb_samples_tally_merge(struct hyb_samples_tally *t, const struct hyb_samples_tally *from)
{
	uint32_t *numbers = translate(t, from);
	struct hyb_samples_tally_row row;
	int ret = numbers ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < from->rows.count; i++) {
		row = *(const struct hyb_samples_tally_row *)hyb_table_at(&from->rows, i);
		row.stack = numbers[row.stack];
		ret = add(t, &row);
	}
	free(numbers);
	return ret;
}
