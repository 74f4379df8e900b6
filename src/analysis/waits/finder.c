/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See finder.h. When the one that was waited for comes, what both did up to then is known; and what a wait goes back to is
 * known before the thread that waited does anything more. So a chain of waits of any length needs nothing but the
 * threads' histories.
 */
#include "analysis/waits/finder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"

#define MOST_SHARES 48u /* of a wait: these have what smaller ones would have */

/*
 * A thread was last in step with others. Of two only what holds if the thread then waits for the other: that one was not
 * behind. Had it been late already, what it did since would not explain all of the waiting.
 */
struct met {
	uint64_t key; /* track << 32 | the other's, or a communicator, or a team */
	enum hyb_met_with with;
	int64_t time; /* of the thread */
	int64_t other; /* of the other thread, not later */
	uint64_t number; /* of the operation */
};

struct sum { /* of a key, in the one that came late, and in the one that waited */
	uint32_t key;
	int64_t late;
	int64_t early;
};

static uint32_t cause_of(struct hyb_finder *f, uint32_t track, uint32_t spot)
{
	const struct hyb_cause like = { .track = track, .spot = spot };
	struct hyb_cause *found = hyb_table_get(&f->causes->causes, &like);

	return found ? hyb_table_index(&f->causes->causes, found) : UINT32_MAX;
}

int hyb_causes_add_own(struct hyb_causes *causes, const struct hyb_own *own)
{
	struct hyb_own *found = hyb_table_get(&causes->own, own);

	if (!found)
		return -ENOMEM;
	found->ns += own->ns;
	found->count += own->count;
	return 0;
}

const struct hyb_own *hyb_causes_own(const struct hyb_causes *causes, uint32_t track, uint32_t spot)
{
	const struct hyb_own like = { .track = track, .spot = spot };

	return hyb_table_look(&causes->own, &like);
}

/* What of the items of a step comes after a time, as shares of a part; from the step's begin on: all, in any order. */
static int work(struct hyb_finder *f, const struct hyb_step *s, int64_t from)
{
	const struct hyb_step_item *items = s->items;
	struct hyb_finder_track *t = &f->tracks[s->track];
	struct hyb_share *shares = hyb_array_hold(f->shares, &f->share_room, s->count + 1, sizeof(*shares));
	int64_t at = s->since;
	uint32_t kept = 0;

	if (!shares)
		return -ENOMEM;
	f->shares = shares;
	for (uint32_t i = 0; i < s->count; i++) {
		int64_t ns = items[i].ns, before = from - at;

		struct hyb_own own = { .track = s->track, .spot = items[i].spot, .count = items[i].count };

		at += ns;
		if (at < from || (at == from && ns && from > s->since))
			continue;
		ns -= from > s->since && before > 0 ? before : 0;
		own.ns = ns;
		if (hyb_causes_add_own(f->causes, &own) || hyb_paths_work(&f->paths, s->track, items[i].spot, ns))
			return -ENOMEM;
		shares[kept++] = (struct hyb_share){ .key = items[i].spot, .ns = ns };
	}
	t->last = s->time > t->last ? s->time : t->last;
	hyb_paths_until(&f->paths, s->track, s->time);
	return hyb_history_add(&t->history, from, s->time, shares, kept);
}

int hyb_finder_rest(struct hyb_finder *f, const struct hyb_step *s, int64_t from)
{
	return from < s->time ? work(f, s, from > s->since ? from : s->since) : 0;
}

static int put_met(struct hyb_finder *f, const struct met *met)
{
	struct met *found = hyb_table_get(&f->met, met);

	if (!found)
		return -ENOMEM;
	*found = *met;
	return 0;
}

static const struct met *get_met(const struct hyb_finder *f, uint32_t track, uint32_t other, enum hyb_met_with with)
{
	const struct met like = { .key = (uint64_t)track << 32 | other, .with = with };

	return hyb_table_look(&f->met, &like);
}

static int message(struct hyb_finder *f, const struct hyb_step *s)
{
	int64_t received = f->tracks[s->track].last;
	int err = put_met(f, &(struct met){ .key = (uint64_t)s->track << 32 | s->other, .time = received,
					    .other = s->since });

	/* Who received waited for it, so neither was behind. */
	if (!err && received <= s->since)
		err = put_met(f, &(struct met){ .key = (uint64_t)s->other << 32 | s->track, .time = s->since,
						.other = received });
	return err;
}

int hyb_finder_meet(struct hyb_finder *f, uint32_t track, struct hyb_met_group group, int64_t time, uint64_t number)
{
	struct hyb_finder_track *t = &f->tracks[track];
	struct hyb_met_group *grown;

	if (!get_met(f, track, group.id, group.with)) {
		grown = hyb_array_room(t->groups, &t->group_room, t->group_count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		t->groups = grown;
		t->groups[t->group_count++] = group;
	}
	return put_met(f, &(struct met){ .key = (uint64_t)track << 32 | group.id, .with = group.with, .time = time,
					 .number = number });
}

int hyb_finder_met(struct hyb_finder *f, uint32_t track, uint32_t other, int64_t time)
{
	int err = put_met(f, &(struct met){ .key = (uint64_t)track << 32 | other, .time = time, .other = time });

	if (err)
		return err;
	return put_met(f, &(struct met){ .key = (uint64_t)other << 32 | track, .time = time, .other = time });
}

/* When the one that waits and the one that comes late were last in step, in the time of each. */
static void in_step(const struct hyb_finder *f, const struct hyb_step *s, int64_t *early, int64_t *late)
{
	const struct hyb_finder_track *t = &f->tracks[s->track];
	const struct met *a = get_met(f, s->track, s->other, HYB_MET_THREAD), *b;

	*early = *late = f->begin;
	if (a && a->time > *early) {
		*early = a->time;
		*late = a->other;
	}
	for (size_t i = 0; i < t->group_count; i++) {
		a = get_met(f, s->track, t->groups[i].id, t->groups[i].with);
		b = get_met(f, s->other, t->groups[i].id, t->groups[i].with);
		if (a && b && a->number == b->number && a->time > *early && b->time <= a->time) {
			*early = a->time;
			*late = b->time;
		}
	}
}

/* Adds up what a thread did from one time to another; into `late` of the sums, or `early`. */
static int add_up(struct hyb_finder *f, const struct hyb_history *h, int64_t since, int64_t until, bool late)
{
	for (uint32_t i = h->count; i-- && h->parts[i].end > since;) {
		const struct hyb_part *p = &h->parts[i];
		int64_t begin = p->begin > since ? p->begin : since, end = p->end < until ? p->end : until;
		bool whole = begin == p->begin && end == p->end;
		double share = whole ? 1 : (double)(end - begin) / (double)(p->end - p->begin);

		if (p->begin >= until)
			continue;
		for (uint32_t k = 0; k < p->count; k++) {
			struct sum *sum = hyb_table_get(&f->sums, &p->shares[k].key);
			int64_t ns = share < 1 ? (int64_t)(share * (double)p->shares[k].ns) : p->shares[k].ns;

			if (!sum)
				return -ENOMEM;
			*(late ? &sum->late : &sum->early) += ns;
		}
	}
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	const struct hyb_share *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* What took longer in the one that came late: shares of the waiting, the largest first, causes already. */
static int divide(struct hyb_finder *f, const struct hyb_step *s, uint32_t *count)
{
	const uint32_t all = f->sums.count;
	int64_t waited = s->end - s->since, left = waited;
	struct hyb_share *shares = hyb_array_hold(f->shares, &f->share_room, all + 1, sizeof(*shares));
	double excess = 0;
	uint32_t n = 0;

	if (!shares)
		return -ENOMEM;
	f->shares = shares;
	for (uint32_t i = 0; i < all; i++) {
		const struct sum *sum = hyb_table_at(&f->sums, i);

		if (sum->late > sum->early)
			shares[n++] = (struct hyb_share){ .key = sum->key, .ns = sum->late - sum->early };
	}
	qsort(shares, n, sizeof(*shares), by_ns);
	if (!n)
		shares[n++] = (struct hyb_share){ .key = HYB_SPOT_NONE, .ns = 1 };
	n = n > MOST_SHARES ? MOST_SHARES : n;
	for (uint32_t i = 0; i < n; i++)
		excess += (double)shares[i].ns;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = shares[i].key;

		shares[i].ns = (int64_t)((double)waited * ((double)shares[i].ns / excess));
		left -= shares[i].ns;
		if (key == HYB_SPOT_NONE || !(key & HYB_KEY_CAUSE)) {
			key = cause_of(f, s->other, key);
			if (key == UINT32_MAX)
				return -ENOMEM;
			shares[i].key = key;
		}
	}
	shares[0].ns += left;
	*count = n;
	return 0;
}

/* The wait is added to all that it goes back to. */
static int account(struct hyb_finder *f, const struct hyb_step *s, struct hyb_share *shares, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = shares[i].key & ~HYB_KEY_CAUSE;
		struct hyb_effect like = { .cause = number, .spot = s->spot, .wait = s->wait };
		struct hyb_effect *effect = hyb_table_get(&f->causes->effects, &like);
		struct hyb_cause *cause = hyb_table_at(&f->causes->causes, number);

		if (!effect)
			return -ENOMEM;
		effect->ns += shares[i].ns;
		effect->count++;
		*(cause->track == s->other ? &cause->direct : &cause->indirect) += shares[i].ns;
		shares[i].key = number | HYB_KEY_CAUSE;
	}
	return 0;
}

/* Of the cause that has the largest share of a wait. */
static void note_longest(struct hyb_cause *c, const struct hyb_step *s)
{
	if (s->end - s->since <= c->until - c->since)
		return;
	c->waiter = s->track;
	c->since = s->since;
	c->until = s->end;
}

/* Divides a wait among what has been added up. */
static int settle(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_waiting like = { .spot = s->spot, .wait = s->wait };
	struct hyb_waiting *waits = hyb_table_get(&f->causes->waits, &like);
	struct hyb_finder_track *t = &f->tracks[s->track];
	int64_t ns = s->end - s->since;
	uint32_t count = 0;
	int err;

	if (!waits)
		return -ENOMEM;
	waits->ns += ns;
	waits->count++;
	waits->longest = ns > waits->longest ? ns : waits->longest;
	f->causes->waited += ns;
	err = divide(f, s, &count);
	if (!err)
		err = account(f, s, f->shares, count);
	if (!err)
		note_longest(hyb_table_at(&f->causes->causes, f->shares[0].key & ~HYB_KEY_CAUSE), s);
	if (!err && f->causes->tell)
		f->causes->tell(f->causes->tell_arg, s, f->shares[0].key & ~HYB_KEY_CAUSE);
	if (!err)
		err = hyb_paths_wait(&f->paths, s->track, s->spot, s->since, s->end, s->other);
	if (s->wait < HYB_WAITS_MPI)
		hyb_phases_wait(&f->steps->phases, s->since, s->end);
	t->last = s->end > t->last ? s->end : t->last;
	return err ? err : hyb_history_add(&t->history, s->since, s->end, f->shares, count);
}

/* What the other did up to then. */
static int wait(struct hyb_finder *f, const struct hyb_step *s, int64_t until)
{
	int64_t early, late;
	int err;

	in_step(f, s, &early, &late);
	hyb_table_clear(&f->sums);
	err = add_up(f, &f->tracks[s->other].history, late, until, true);
	if (!err)
		err = add_up(f, &f->tracks[s->track].history, early, INT64_MAX, false);
	return err ? err : settle(f, s);
}

static void count_wait(struct hyb_finder *f, const struct hyb_step *s)
{
	struct hyb_step_sums *sums = &f->steps->tracks[s->track];

	sums->waited[s->wait] += s->end - s->since;
	if (s->wait == HYB_WAIT_OMP_IDLE) {
		sums->in[HYB_TIME_OMP_WAIT] -= s->end - s->since;
		sums->in[HYB_TIME_OMP_IDLE] += s->end - s->since;
		hyb_phases_idle(&f->steps->phases, s->since, s->end);
	}
}

int hyb_finder_wait(struct hyb_finder *f, const struct hyb_step *s)
{
	count_wait(f, s);
	return wait(f, s, s->end);
}

int hyb_finder_wait_for(struct hyb_finder *f, const struct hyb_step *s, int64_t from, int64_t to)
{
	int err;

	count_wait(f, s);
	hyb_table_clear(&f->sums);
	err = add_up(f, &f->tracks[s->other].history, from, to, true);
	return err ? err : settle(f, s);
}

int hyb_finder_step(struct hyb_finder *f, const struct hyb_step *s)
{
	switch (s->kind) {
	case HYB_STEP_WORK:
		return work(f, s, s->since);
	case HYB_STEP_WAIT:
		return wait(f, s, INT64_MAX);
	case HYB_STEP_MESSAGE:
		return message(f, s);
	default:
		return hyb_finder_meet(f, s->track, (struct hyb_met_group){ s->other, HYB_MET_COMM }, f->tracks[s->track].last,
				       s->number);
	}
}

int hyb_finder_init(struct hyb_finder *f)
{
	const struct hyb_steps *steps = f->steps;

	HYB_TABLE_KEYED(&f->met, struct met, with);
	HYB_TABLE_KEYED(&f->sums, struct sum, key);
	for (size_t i = 0; i < steps->track_count; i++)
		if (steps->tracks[i].told && steps->tracks[i].first < f->begin)
			f->begin = steps->tracks[i].first;
	f->tracks = calloc(steps->track_count + 1, sizeof(*f->tracks));
	return hyb_paths_init(&f->paths, steps->track_count) || !f->tracks ? -ENOMEM : 0;
}

void hyb_finder_free(struct hyb_finder *f)
{
	for (size_t i = 0; f->tracks && i < f->steps->track_count; i++) {
		hyb_history_free(&f->tracks[i].history);
		free(f->tracks[i].groups);
		free(f->tracks[i].idles);
	}
	hyb_paths_free(&f->paths);
	hyb_table_free(&f->met);
	hyb_table_free(&f->sums);
	free(f->tracks);
	free(f->shares);
	free(f->late_idle);
}

void hyb_causes_init(struct hyb_causes *causes)
{
	*causes = (struct hyb_causes){
		.tell = causes->tell, .tell_arg = causes->tell_arg, .path_end = UINT32_MAX,
	};
	HYB_TABLE_KEYED(&causes->causes, struct hyb_cause, spot);
	HYB_TABLE_KEYED(&causes->effects, struct hyb_effect, wait);
	HYB_TABLE_KEYED(&causes->waits, struct hyb_waiting, wait);
	HYB_TABLE_KEYED(&causes->own, struct hyb_own, spot);
	hyb_path_parts_init(&causes->path);
}

void hyb_causes_free(struct hyb_causes *causes)
{
	hyb_table_free(&causes->causes);
	hyb_table_free(&causes->effects);
	hyb_table_free(&causes->waits);
	hyb_table_free(&causes->own);
	hyb_table_free(&causes->path);
}
