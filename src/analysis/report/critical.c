/* SPDX-License-Identifier: BSD-3-Clause */
/* See critical.h. */
#include "analysis/report/critical.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/containers/sort.h"

static int by_spot(const void *a, const void *b)
{
	const struct hyb_critical_spot *x = a, *y = b;

	HYB_SORT_BY(y->ns, x->ns);
	HYB_SORT_BY(x->spot, y->spot);
	return 0;
}

static int by_thread(const void *a, const void *b)
{
	const struct hyb_critical_thread *x = a, *y = b;

	HYB_SORT_BY(y->ns, x->ns);
	HYB_SORT_BY(x->track, y->track);
	return 0;
}

static int add_part(struct hyb_critical *c, const struct hyb_path_part *part)
{
	struct hyb_critical_spot *spot = hyb_table_get(&c->spots, &part->spot);
	struct hyb_critical_thread *thread = hyb_table_get(&c->threads, &part->track);

	if (!spot || !thread)
		return -ENOMEM;
	spot->ns += part->ns;
	thread->ns += part->ns;
	c->ns += part->ns;
	return 0;
}

/* What all threads do at each spot, to be divided by their number. */
static void find_imbalance(struct hyb_critical *c, const struct hyb_causes *causes, int64_t threads)
{
	int64_t all = 0;

	for (uint32_t i = 0; i < causes->own.count; i++) {
		const struct hyb_own *own = hyb_table_at(&causes->own, i);
		struct hyb_critical_spot *spot = hyb_table_look(&c->spots, &own->spot);

		all += own->ns;
		if (spot)
			spot->imbalance += own->ns;
	}
	for (uint32_t i = 0; i < c->spots.count; i++) {
		struct hyb_critical_spot *spot = hyb_table_at(&c->spots, i);

		spot->imbalance = spot->ns - spot->imbalance / threads;
	}
	c->imbalance = c->ns - all / threads;
}

int hyb_critical_order(struct hyb_critical *c, const struct hyb_causes *causes, uint64_t threads)
{
	int err = 0;

	HYB_TABLE_KEYED(&c->spots, struct hyb_critical_spot, spot);
	HYB_TABLE_KEYED(&c->threads, struct hyb_critical_thread, track);
	c->ns = c->imbalance = 0;
	for (uint32_t i = 0; !err && i < causes->path.count; i++)
		err = add_part(c, hyb_table_at(&causes->path, i));
	if (err || !c->spots.count)
		return err;
	find_imbalance(c, causes, threads ? (int64_t)threads : 1);
	qsort(c->spots.entries, c->spots.count, sizeof(struct hyb_critical_spot), by_spot);
	qsort(c->threads.entries, c->threads.count, sizeof(struct hyb_critical_thread), by_thread);
	return 0;
}

void hyb_critical_free(struct hyb_critical *c)
{
	hyb_table_free(&c->spots);
	hyb_table_free(&c->threads);
}
