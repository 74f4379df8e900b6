/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for OpenMP's locks, critical sections as well, and for whom. Whoever gets a lock that another had meanwhile
 * waited since it asked; each of those that had it is to blame for the time up to when the next one got it, and for what
 * it did as long as it had it. A runtime may tell of a release late: such waits are settled then.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/waits/finder.h"
#include "reader/containers/array.h"

struct held { /* the lock, by a thread, once */
	uint32_t track;
	uint32_t order;
	uint32_t again; /* how often more than once */
	bool released;
	int64_t from;
	int64_t to;
	struct hyb_step *waits; /* for it, that are not settled yet */
	size_t count;
	size_t room;
};

struct waiter {
	uint32_t track;
	uint32_t spot;
	int64_t since; /* up to here it is known for whom it waits */
	bool waits;
};

struct lock {
	uint64_t lock;
	struct held *held; /* the last one that got it, behind those that have not given it up */
	size_t held_count;
	size_t held_room;
	struct waiter *waiters;
	size_t waiter_count;
	size_t waiter_room;
};

void hyb_lock_waits_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->locks, struct lock, lock);
}

void hyb_lock_waits_free(struct hyb_finder *f)
{
	for (uint32_t i = 0; i < f->locks.count; i++) {
		struct lock *lock = hyb_table_at(&f->locks, i);

		for (size_t k = 0; k < lock->held_count; k++)
			free(lock->held[k].waits);
		free(lock->held);
		free(lock->waiters);
	}
	hyb_table_free(&f->locks);
}

static int request(struct lock *lock, const struct hyb_step *s)
{
	struct waiter *grown = hyb_array_room(lock->waiters, &lock->waiter_room, lock->waiter_count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	lock->waiters = grown;
	grown[lock->waiter_count++] = (struct waiter){ .track = s->track, .spot = s->spot, .since = s->time };
	return 0;
}

/* The waits for one that had it are known when it has given it up. */
static int settle(struct hyb_finder *f, struct held *h)
{
	int err = 0;

	for (size_t i = 0; !err && i < h->count; i++) {
		const struct hyb_step *wait = &h->waits[i];

		err = hyb_finder_wait_for(f, wait, wait->since > h->from ? wait->since : h->from, h->to);
		if (!err)
			err = hyb_finder_met(f, wait->track, wait->other, wait->end);
	}
	h->count = 0;
	return err;
}

static int remove_held(struct hyb_finder *f, struct lock *lock, size_t i)
{
	struct held *h = &lock->held[i];
	int err = settle(f, h);

	free(h->waits);
	for (lock->held_count--; i < lock->held_count; i++)
		lock->held[i] = lock->held[i + 1];
	return err;
}

/* Up to now the thread waited for the one that had it, if that one had it since it asked. */
static int wait_for(struct hyb_finder *f, struct held *h, struct waiter *w, int64_t now)
{
	struct hyb_step *grown;

	if (h->track == w->track || (h->released && h->to <= w->since) || now <= w->since)
		return 0;
	grown = hyb_array_room(h->waits, &h->room, h->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	h->waits = grown;
	grown[h->count++] = (struct hyb_step){
		.time = now, .since = w->since, .end = now, .track = w->track, .other = h->track, .spot = w->spot,
		.wait = HYB_WAIT_OMP_LOCK,
	};
	w->since = now;
	w->waits = true;
	return h->released ? settle(f, h) : 0;
}

static int new_held(struct hyb_finder *f, struct lock *lock, const struct hyb_step *s)
{
	struct held *grown;
	int err = 0;

	/* Of a thread that had it before, the release is lost; of others it may come yet. */
	for (size_t i = 0; !err && i < lock->held_count;) {
		if (lock->held[i].released || lock->held[i].track == s->track)
			err = remove_held(f, lock, i);
		else
			i++;
	}
	if (err)
		return err;
	grown = hyb_array_room(lock->held, &lock->held_room, lock->held_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	lock->held = grown;
	grown[lock->held_count++] = (struct held){ .track = s->track, .order = s->other, .from = s->time, .to = INT64_MAX };
	return 0;
}

/* It has the lock. True if it waited for it. */
static bool take_waiter(struct lock *lock, uint32_t track)
{
	bool waited = false;

	for (size_t i = 0; i < lock->waiter_count; i++) {
		if (lock->waiters[i].track != track)
			continue;
		waited = waited || lock->waiters[i].waits;
		lock->waiters[i--] = lock->waiters[--lock->waiter_count];
	}
	return waited;
}

static int acquired(struct hyb_finder *f, struct lock *lock, const struct hyb_step *s)
{
	struct held *last = lock->held_count ? &lock->held[lock->held_count - 1] : NULL;
	int err = 0;

	if (last && last->track == s->track && last->order == s->other && !last->released) {
		last->again++;
		take_waiter(lock, s->track);
		return hyb_finder_rest(f, s, s->since);
	}
	for (size_t i = 0; !err && last && i < lock->waiter_count; i++)
		err = wait_for(f, last, &lock->waiters[i], s->time);
	if (!take_waiter(lock, s->track) && !err)
		err = hyb_finder_rest(f, s, s->since);
	return err ? err : new_held(f, lock, s);
}

static int released(struct hyb_finder *f, struct lock *lock, const struct hyb_step *s)
{
	for (size_t i = lock->held_count; i--;) {
		struct held *h = &lock->held[i];

		if (h->order != s->other || h->released)
			continue;
		if (h->again) {
			h->again--;
			return 0;
		}
		h->released = true;
		h->to = s->time;
		return i + 1 < lock->held_count ? remove_held(f, lock, i) : settle(f, h);
	}
	return 0;
}

int hyb_lock_waits_step(struct hyb_finder *f, const struct hyb_step *s)
{
	struct lock *lock = hyb_table_get(&f->locks, &s->object);

	if (!lock)
		return -ENOMEM;
	switch (s->kind) {
	case HYB_STEP_REQUEST:
		return request(lock, s);
	case HYB_STEP_ACQUIRED:
		return acquired(f, lock, s);
	default:
		return released(f, lock, s);
	}
}

int hyb_lock_waits_end(struct hyb_finder *f)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < f->locks.count; i++) {
		struct lock *lock = hyb_table_at(&f->locks, i);

		for (size_t k = 0; !err && k < lock->held_count; k++)
			err = settle(f, &lock->held[k]);
	}
	return err;
}
