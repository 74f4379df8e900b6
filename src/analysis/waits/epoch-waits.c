/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for posts and completions of one-sided communication: from one process to another, on a window, the n-th
 * post belongs to the n-th start, the n-th complete to the n-th wait. A call waits for the last one that comes before it
 * goes on.
 */
#include <errno.h>

#include "analysis/waits/finder.h"

#define SIGNALS 8 /* of a pair, that wait for being awaited: the other one is not far behind */

struct epochs { /* of one kind, from one process to another */
	struct epochs_key {
		uint64_t window;
		uint64_t pair;
		uint64_t posts;
	} key;
	uint64_t count;	  /* of signals */
	uint64_t awaited;
	struct {
		int64_t time;
		uint32_t by;
	} last[SIGNALS]; /* by number */
};

void hyb_epoch_waits_init(struct hyb_finder *f)
{
	HYB_TABLE_KEYED(&f->epochs, struct epochs, key);
}

void hyb_epoch_waits_free(struct hyb_finder *f)
{
	hyb_table_free(&f->epochs);
}

static struct epochs *epochs_of(struct hyb_finder *f, const struct hyb_step *s)
{
	const struct epochs_key key = {
		s->object, (uint64_t)s->other << 32 | (uint32_t)s->end, s->flags & HYB_STEP_OF_TARGET,
	};

	return hyb_table_get(&f->epochs, &key);
}

/* The one that came last is what the call waits for. */
static void await(struct hyb_finder_track *t, struct epochs *e, bool next)
{
	e->awaited += next;
	if (!e->awaited || e->count < e->awaited || e->count - e->awaited >= SIGNALS)
		return;
	if (!t->awaits || e->last[e->awaited % SIGNALS].time > t->await_until) {
		t->awaits = true;
		t->await_until = e->last[e->awaited % SIGNALS].time;
		t->await_by = e->last[e->awaited % SIGNALS].by;
	}
}

static int end(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_finder_track *t = &f->tracks[s->track];
	int64_t until = s->since;
	int err = 0;

	if (t->awaits && t->await_until > s->since && t->await_by != s->track) {
		const struct hyb_step wait = {
			.time = t->await_until, .since = s->since, .end = t->await_until, .track = s->track,
			.other = t->await_by, .spot = s->spot, .wait = s->wait,
		};

		until = t->await_until;
		err = hyb_finder_wait(f, &wait);
		if (!err)
			err = hyb_finder_met(f, s->track, wait.other, until);
	}
	t->awaits = false;
	return err ? err : hyb_finder_rest(f, s, until);
}

int hyb_epoch_waits_step(struct hyb_finder *f, const struct hyb_step *s)
{
	struct epochs *e;

	if (s->kind == HYB_STEP_EPOCH)
		return end(f, s);
	e = epochs_of(f, s);
	if (!e)
		return -ENOMEM;
	if (s->kind == HYB_STEP_AWAIT) {
		await(&f->tracks[s->track], e, s->flags & HYB_STEP_NEXT);
	} else {
		e->count++;
		e->last[e->count % SIGNALS].time = s->time;
		e->last[e->count % SIGNALS].by = s->track;
	}
	return 0;
}
