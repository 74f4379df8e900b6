/* SPDX-License-Identifier: BSD-3-Clause */
/* See history.h. */
#include "analysis/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
	const struct hyb_share *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* The second becomes a part of the first. 0 or -ENOMEM. */
static int join(struct hyb_part *first, struct hyb_part *second)
{
	uint32_t count = first->count + second->count, kept = 0;
	struct hyb_share *all = malloc((count + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	memcpy(all, first->shares, first->count * sizeof(*all));
	memcpy(all + first->count, second->shares, second->count * sizeof(*all));
	qsort(all, count, sizeof(*all), by_key);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && all[kept - 1].key == all[i].key)
			all[kept - 1].ns += all[i].ns;
		else
			all[kept++] = all[i];
	}
	free(first->shares);
	free(second->shares);
	first->shares = all;
	first->count = kept;
	first->end = second->end;
	return 0;
}

/* Of the older half each two become one. */
static int make_room(struct hyb_history *h)
{
	uint32_t half = HYB_HISTORY_PARTS / 2;
	int err = 0;

	for (uint32_t i = 0; !err && i < half; i += 2) {
		err = join(&h->parts[i], &h->parts[i + 1]);
		if (err)
			return err;
		h->parts[i + 1] = (struct hyb_part){ .shares = NULL };
		if (i) {
			h->parts[i / 2] = h->parts[i];
			h->parts[i] = (struct hyb_part){ .shares = NULL };
		}
	}
	memmove(&h->parts[half / 2], &h->parts[half], (h->count - half) * sizeof(h->parts[0]));
	h->count -= half / 2;
	return 0;
}

int hyb_history_add(struct hyb_history *h, int64_t begin, int64_t end, const struct hyb_share *shares, uint32_t count)
{
	struct hyb_share *copy = malloc((count + 1) * sizeof(*copy));
	int err = copy ? 0 : -ENOMEM;

	if (!err && h->count == HYB_HISTORY_PARTS)
		err = make_room(h);
	if (err) {
		free(copy);
		return err;
	}
	memcpy(copy, shares, count * sizeof(*copy));
	h->parts[h->count++] = (struct hyb_part){ .begin = begin, .end = end, .shares = copy, .count = count };
	return 0;
}

void hyb_history_free(struct hyb_history *h)
{
	for (uint32_t i = 0; i < h->count; i++)
		free(h->parts[i].shares);
	h->count = 0;
}
