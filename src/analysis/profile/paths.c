/* SPDX-License-Identifier: BSD-3-Clause */
/* The paths of a call tree, and how they are spread over the processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/calltree.h"
#include "reader/containers/array.h"

int hyb_calltree_know(struct hyb_calltree *t)
{
	struct hyb_call_path *grown = hyb_array_hold(t->paths, &t->room, t->spots.table.count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	t->paths = grown;
	for (; t->count < t->spots.table.count; t->count++) {
		const struct hyb_spot *s = hyb_spots_at(&t->spots, t->count);

		grown[t->count] = (struct hyb_call_path){
			.parent = s->parent, .kind = s->kind, .region = s->region, .min = INT64_MAX,
			.depth = t->count ? grown[s->parent].depth + 1 : 0,
		};
	}
	return 0;
}

uint32_t hyb_calltree_path(struct hyb_calltree *t, const struct hyb_spot *like)
{
	uint32_t spot = hyb_spots_get(&t->spots, like);

	return spot == HYB_SPOT_NONE || hyb_calltree_know(t) ? HYB_SPOT_NONE : spot;
}

int hyb_calltree_init(struct hyb_calltree *t)
{
	int err;

	memset(t, 0, sizeof(*t));
	err = hyb_spots_init(&t->spots);
	return err ? err : hyb_calltree_know(t);
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
	if (tree->spots.table.entry_size)
		hyb_spots_free(&tree->spots);
	tree->spots.table.entry_size = 0;
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

int hyb_calltree_sum(struct hyb_calltree *t, const struct hyb_names *names)
{
	int err = 0;

	for (uint32_t i = t->count; i-- > 0;) {
		struct hyb_call_path *p = &t->paths[i];
		uint32_t detail = hyb_spots_at(&t->spots, i)->detail;

		p->site = detail == HYB_NAME_NONE ? NULL : hyb_names_text(names, detail);
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
