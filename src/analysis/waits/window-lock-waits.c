/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for the locks of windows (MPI_Win_lock), and for whom. Many MPIs return from MPI_Win_lock at once and get
 * the lock later, in MPI_Win_unlock at the latest. So each of the two calls has waited for all processes that gave up an
 * excluding lock while it was under way. The waiting for such a process ends when that one begins MPI_Win_unlock; if it
 * had to wait there itself, when it is back. Each is to blame for what it did as long as it had the lock.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/waits/finder.h"
#include "reader/containers/array.h"

#define ALL UINT32_MAX /* targets */

struct holding { /* a lock of a process's, from MPI_Win_lock to MPI_Win_unlock */
	uint32_t track;
	uint32_t process;
	uint32_t target;
	bool shared;
	bool in;     /* the process is in one of these calls, */
	bool unlocks; /* and in which, the last */
	bool over;
	int64_t from;
	int64_t since; /* that call's begin */
	int64_t given; /* when others may have it */
};

struct window {
	uint64_t window;
	struct holding *list;
	size_t count;
	size_t room;
};

void hyb_window_locks_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->window_locks, struct window, window);
}

void hyb_window_locks_free(struct hyb_finder *f)
{
	for (uint32_t i = 0; i < f->window_locks.count; i++)
		free(((struct window *)hyb_table_at(&f->window_locks, i))->list);
	hyb_table_free(&f->window_locks);
}

static bool exclude(const struct holding *a, const struct holding *b)
{
	return a->process != b->process && !(a->shared && b->shared) &&
	       (a->target == b->target || a->target == ALL || b->target == ALL);
}

/* What nobody can have waited for any more: all that are in a call now came to it later. */
static void forget(struct window *w, int64_t now)
{
	int64_t first = now;
	size_t kept = 0;

	for (size_t i = 0; i < w->count; i++)
		if (w->list[i].in && w->list[i].since < first)
			first = w->list[i].since;
	for (size_t i = 0; i < w->count; i++)
		if (!w->list[i].over || w->list[i].given > first)
			w->list[kept++] = w->list[i];
	w->count = kept;
}

static int lock(struct window *w, const struct hyb_step *s)
{
	struct holding *grown;

	forget(w, s->time);
	grown = hyb_array_room(w->list, &w->room, w->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->list = grown;
	grown[w->count++] = (struct holding){
		.track = s->track, .process = s->other, .target = (uint32_t)s->number,
		.shared = s->flags & HYB_STEP_SHARED, .in = true, .from = s->time, .since = s->time, .given = INT64_MAX,
	};
	return 0;
}

/* Of a process and a target; the lock was taken, perhaps, by another thread. NULL: that was not recorded. */
static struct holding *holding_of(struct window *w, const struct hyb_step *s)
{
	for (size_t i = 0; i < w->count; i++) {
		struct holding *h = &w->list[i];

		if (!h->over && h->process == s->other && h->target == (uint32_t)s->number)
			return h;
	}
	return NULL;
}

/*
 * When it gave the lock up, as far as `own`, in a call that ends now, can tell. Of who is not back from that it is not
 * known whether it had the lock when it went there; only MPI_Win_lock cannot come back before that is so.
 */
static int64_t given(const struct holding *h, const struct holding *own)
{
	if (h->over)
		return h->given;
	return h->in && h->unlocks && !own->unlocks ? h->since : INT64_MAX;
}

/* The next one after a time that gave up what this one waited for; NULL: there is none before now. */
static const struct holding *next(const struct window *w, const struct holding *own, int64_t after, int64_t now)
{
	const struct holding *found = NULL;
	int64_t first = now;

	for (size_t i = 0; i < w->count; i++) {
		const struct holding *h = &w->list[i];
		int64_t at = given(h, own);

		if (h != own && exclude(h, own) && at > after && at < first) {
			found = h;
			first = at;
		}
	}
	return found;
}

/* The call is over. */
static int come_back(struct hyb_finder *f, struct window *w, struct holding *own, const struct hyb_step *s)
{
	const struct holding *other;
	int64_t until = s->since;
	int err = 0;

	while (!err && (other = next(w, own, until, s->time))) {
		int64_t at = given(other, own);
		const struct hyb_step wait = {
			.time = at, .since = until, .end = at, .track = s->track, .other = other->track, .spot = s->spot,
			.wait = HYB_WAIT_WINDOW_LOCK,
		};

		err = hyb_finder_wait_for(f, &wait, until > other->from ? until : other->from, at);
		if (!err)
			err = hyb_finder_met(f, s->track, other->track, at);
		until = at;
	}
	if (own->unlocks) {
		own->given = until > s->since ? s->time : s->since;
		own->over = true;
	}
	own->in = false;
	return err ? err : hyb_finder_rest(f, s, until);
}

int hyb_window_locks_step(struct hyb_finder *f, const struct hyb_step *s)
{
	struct window *w = hyb_table_get(&f->window_locks, &s->object);
	struct holding *own;

	if (!w)
		return -ENOMEM;
	if (s->kind == HYB_STEP_LOCK)
		return lock(w, s);
	own = holding_of(w, s);
	if (!own)
		return s->kind == HYB_STEP_LOCKED ? hyb_finder_rest(f, s, s->since) : 0;
	if (s->kind == HYB_STEP_LOCKED)
		return come_back(f, w, own, s);
	own->in = own->unlocks = true;
	own->since = s->time;
	own->track = s->track;
	return 0;
}
