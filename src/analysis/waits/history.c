/* SPDX-License-Identifier: BSD-3-Clause */
/* See history.h. */
#include "analysis/waits/history.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The second, whose keys are in order as the first's are, becomes a part of the first. 0 or -ENOMEM. */
static int join(struct hyb_part *first, struct hyb_part *second)
{
	const struct hyb_share *a = first->shares, *b = second->shares;
	const struct hyb_share *const a_end = a + first->count, *const b_end = b + second->count;
	struct hyb_share *all = malloc((first->count + second->count + 1) * sizeof(*all)), *to = all;

	if (!all)
		return -ENOMEM;
	while (a < a_end && b < b_end) {
		const bool same = a->key == b->key;

		*to = a->key <= b->key ? *a++ : *b++;
		if (same)
			to->ns += b++->ns;
		to++;
	}
	while (a < a_end)
		*to++ = *a++;
	while (b < b_end)
		*to++ = *b++;
	free(first->shares);
	free(second->shares);
	first->shares = all;
	first->count = (uint32_t)(to - all);
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

static int by_key(const void *a, const void *b)
{
	const struct hyb_share *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* By key, each key once; how many there are then. Most parts have few shares. */
static uint32_t put_in_order(struct hyb_share *s, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < count; i++) {
		if (s[i - 1].key <= s[i].key)
			continue;
		qsort(s, count, sizeof(*s), by_key);
		break;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (kept && s[kept - 1].key == s[i].key)
			s[kept - 1].ns += s[i].ns;
		else
			s[kept++] = s[i];
	}
	return kept;
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
	count = put_in_order(copy, count);
	h->parts[h->count++] = (struct hyb_part){ .begin = begin, .end = end, .shares = copy, .count = count };
	return 0;
}

void hyb_history_free(struct hyb_history *h)
{
	for (uint32_t i = 0; i < h->count; i++)
		free(h->parts[i].shares);
	h->count = 0;
}
