/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of a call tree, and how they are spread over the processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/calltree.h"
#include "reader/containers/array.h"

struct key {
	const struct hyb_calltree *tree;
	struct hyb_call_path path;
};

static bool same(const void *entry, const void *key)
{
	const struct key *k = key;
	const struct hyb_call_path *p = &k->tree->paths[*(const uint32_t *)entry];

	return p->parent == k->path.parent && p->kind == k->path.kind && p->region == k->path.region &&
	       p->site == k->path.site;
}

static uint64_t hash(const struct hyb_call_path *p)
{
	return hyb_mix(hyb_mix((uintptr_t)p->region) ^ (uintptr_t)p->site ^ (uint64_t)p->parent << 32 ^ p->kind);
}

uint32_t hyb_calltree_path(struct hyb_calltree *t, const struct hyb_call_path *like)
{
	const struct key key = { t, *like };
	uint64_t h = hash(like);
	uint32_t *found = hyb_table_find(&t->table, h, &key);
	struct hyb_call_path *grown;

	if (found)
		return *found;
	if (t->count == t->room) {
		grown = reallocarray(t->paths, t->room ? 2 * t->room : 64, sizeof(*grown));
		if (!grown)
			return UINT32_MAX;
		t->paths = grown;
		t->room = t->room ? 2 * t->room : 64;
	}
	found = hyb_table_add(&t->table, h);
	if (!found)
		return UINT32_MAX;
	*found = t->count;
	grown = &t->paths[t->count];
	*grown = (struct hyb_call_path){
		.parent = like->parent, .kind = like->kind, .region = like->region, .site = like->site, .min = INT64_MAX,
	};
	grown->depth = t->count ? t->paths[like->parent].depth + 1 : 0;
	return t->count++;
}

int hyb_calltree_init(struct hyb_calltree *t)
{
	const struct hyb_call_path root = { .kind = HYB_CALL_ROOT };

	memset(t, 0, sizeof(*t));
	hyb_table_init(&t->table, sizeof(uint32_t), same);
	return hyb_calltree_path(t, &root) == UINT32_MAX ? -ENOMEM : 0;
}

/* For so many paths. */
static int metric_room(struct hyb_call_metric *m, uint32_t count)
{
	uint64_t *grown;

	if (count <= m->room)
		return 0;
	count += count / 2;
	grown = reallocarray(m->inclusive, count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + m->room, 0, (count - m->room) * sizeof(*grown));
	m->inclusive = grown;
	m->room = count;
	return 0;
}

size_t hyb_calltree_metric(struct hyb_calltree *t, const struct hyb_gmetric *metric)
{
	struct hyb_call_metric *grown;
	size_t i;

	for (i = 0; i < t->metric_count; i++)
		if (t->metrics[i].metric == metric)
			return i;
	grown = hyb_array_room(t->metrics, &t->metric_room, t->metric_count, sizeof(*grown));
	if (!grown)
		return SIZE_MAX;
	t->metrics = grown;
	t->metrics[i] = (struct hyb_call_metric){ .metric = metric };
	t->metric_count++;
	return i;
}

int hyb_calltree_count(struct hyb_calltree *t, size_t metric, uint32_t path, uint64_t value)
{
	struct hyb_call_metric *m = &t->metrics[metric];

	if (metric_room(m, path + 1))
		return -ENOMEM;
	m->inclusive[path] += value;
	return 0;
}

void hyb_calltree_free(struct hyb_calltree *tree)
{
	for (size_t i = 0; i < tree->metric_count; i++) {
		free(tree->metrics[i].inclusive);
		free(tree->metrics[i].exclusive);
	}
	free(tree->metrics);
	tree->metrics = NULL;
	tree->metric_count = 0;
	hyb_table_free(&tree->table);
	free(tree->paths);
	tree->paths = NULL;
	tree->count = 0;
}

int hyb_call_own_room(struct hyb_call_own *own, uint32_t count)
{
	int64_t *grown;

	if (count <= own->room)
		return 0;
	count += count / 2;
	grown = reallocarray(own->ns, count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + own->room, 0, (count - own->room) * sizeof(*grown));
	own->ns = grown;
	own->room = count;
	return 0;
}

void hyb_calltree_compare(struct hyb_calltree *t, struct hyb_call_own *own, uint32_t process)
{
	uint32_t i, count = own->room < t->count ? own->room : t->count;

	for (i = count; i-- > 1;)
		own->ns[t->paths[i].parent] += own->ns[i];
	for (i = 0; i < count; i++) {
		struct hyb_call_path *p = &t->paths[i];

		if (!own->ns[i])
			continue;
		if (!p->processes || own->ns[i] < p->least) {
			p->least = own->ns[i];
			p->least_in = process;
		}
		if (own->ns[i] > p->most) {
			p->most = own->ns[i];
			p->most_in = process;
		}
		p->processes++;
		own->ns[i] = 0;
	}
}

/* What a child has, its parent has not by itself. */
static int sum_metric(const struct hyb_calltree *t, struct hyb_call_metric *m)
{
	if (metric_room(m, t->count))
		return -ENOMEM;
	m->exclusive = calloc(t->count, sizeof(*m->exclusive));
	if (!m->exclusive)
		return -ENOMEM;
	memcpy(m->exclusive, m->inclusive, t->count * sizeof(*m->exclusive));
	for (uint32_t i = t->count; i-- > 1;)
		m->exclusive[t->paths[i].parent] -= m->inclusive[i];
	return 0;
}

int hyb_calltree_sum(struct hyb_calltree *t)
{
	int err = 0;

	for (uint32_t i = t->count; i-- > 0;) {
		struct hyb_call_path *p = &t->paths[i];

		p->inclusive += p->exclusive;
		if (i)
			t->paths[p->parent].inclusive += p->inclusive;
		if (p->min == INT64_MAX)
			p->min = 0;
		if (p->processes < t->processes)
			p->least = 0;
	}
	for (size_t i = 0; i < t->metric_count && !err; i++)
		err = sum_metric(t, &t->metrics[i]);
	return err;
}
