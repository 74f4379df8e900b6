/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks that other threads give up; see locks.h. */
#include "merge/openmp/locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

static int add(struct hyb_lock_uses *list, struct hyb_lock_use use)
{
	struct hyb_lock_use *grown;

	grown = hyb_array_room(list->uses, &list->room, list->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->uses = grown;
	list->uses[list->count++] = use;
	return 0;
}

int hyb_locks_had(struct hyb_locks *l, uint32_t lock, uint32_t order, int64_t time)
{
	return add(&l->open, (struct hyb_lock_use){ time, lock, order, 0 });
}

int hyb_locks_released(struct hyb_locks *l, uint32_t stream, uint32_t lock, uint32_t order, int64_t time)
{
	struct hyb_lock_uses *open = &l->open;

	if (!order)
		return add(&l->released, (struct hyb_lock_use){ time, lock, 0, stream });
	for (size_t i = open->count; i-- > 0;) {
		if (open->uses[i].lock != lock || open->uses[i].order != order)
			continue;
		open->count--;
		memmove(&open->uses[i], &open->uses[i + 1], (open->count - i) * sizeof(*open->uses));
		break;
	}
	return 0;
}

int hyb_locks_thread_end(struct hyb_locks *l)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < l->open.count; i++)
		ret = add(&l->had, l->open.uses[i]);
	l->open.count = 0;
	return ret;
}

static int by_order(const void *a, const void *b)
{
	const struct hyb_lock_use *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_time(const void *a, const void *b)
{
	const struct hyb_lock_use *x = *(struct hyb_lock_use *const *)a, *y = *(struct hyb_lock_use *const *)b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/*
 * The one of those had so far, the latest last, that is given up now. Who had it last may have got it between a release
 * and the runtime's word of it: then the one before is still here, and that is it. One that is long gone (recording was
 * off when it was given up) is not the one before.
 */
static uint32_t take(struct hyb_lock_use *had, size_t *count)
{
	size_t i = *count;
	uint32_t order;

	if (!i--)
		return 0;
	while (i && had[i].order - had[i - 1].order <= 1)
		i--;
	order = had[i].order;
	--*count;
	memmove(&had[i], &had[i + 1], (*count - i) * sizeof(*had));
	return order;
}

/* One lock's: what was had is read at `from` and kept, as long as it is not given up, from `begin` on. */
static void settle_lock(struct hyb_lock_uses *had, size_t from, struct hyb_lock_use **released, size_t count)
{
	const uint32_t lock = released[0]->lock;
	struct hyb_lock_use *begin = had->uses + from;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		while (from < had->count && had->uses[from].lock == lock &&
		       had->uses[from].time <= released[i]->time)
			begin[kept++] = had->uses[from++];
		released[i]->order = take(begin, &kept);
	}
}

int hyb_locks_settle(struct hyb_locks *l)
{
	struct hyb_lock_use **released;
	size_t count = l->released.count, had = 0, end;

	l->next = 0;
	if (!count || !l->had.count)
		return 0;
	released = malloc(count * sizeof(struct hyb_lock_use *));
	if (!released)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		released[i] = &l->released.uses[i];
	qsort(released, count, sizeof(struct hyb_lock_use *), by_time);
	qsort(l->had.uses, l->had.count, sizeof(*l->had.uses), by_order);
	for (size_t i = 0; i < count; i = end) {
		for (end = i; end < count && released[end]->lock == released[i]->lock;)
			end++;
		while (had < l->had.count && l->had.uses[had].lock < released[i]->lock)
			had++;
		settle_lock(&l->had, had, released + i, end - i);
	}
	free(released);
	return 0;
}

uint32_t hyb_locks_order(struct hyb_locks *l, uint32_t stream, uint32_t lock)
{
	const struct hyb_lock_use *use;

	while (l->next < l->released.count && l->released.uses[l->next].stream != stream)
		l->next++;
	if (l->next == l->released.count)
		return 0;
	use = &l->released.uses[l->next++];
	return use->lock == lock ? use->order : 0;
}

void hyb_locks_free(struct hyb_locks *l)
{
	free(l->open.uses);
	free(l->had.uses);
	free(l->released.uses);
	memset(l, 0, sizeof(*l));
}
