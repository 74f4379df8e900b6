/* SPDX-License-Identifier: BSD-3-Clause */
/* What receives got in another recording of the same program, by rank and number; see races.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "analysis/races/races.h"
#include "analysis/replay/replay.h"

/* The order of one rank's main thread, and the receives that its calls post. */
struct side {
	struct hyb_replay_order order;
	struct hyb_replay_calls *calls; /* NULL: what receives name is not known any more */
	bool any_tag; /* but that they all name any tag: the order has the tags of such ones only */
};

struct post {
	const char *function;
	int64_t source;
	int64_t tag;
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* By name and arguments. Where the program lies is not compared: it may have been built for another MPI. */
static bool same_program(const struct hyb_manifest *a, const struct hyb_manifest *b)
{
	const char *p, *q;

	if (strcmp(last_part(a->program), last_part(b->program)) != 0)
		return false;
	for (size_t i = 1;; i++) {
		p = hyb_manifest_get(a, "args", i);
		q = hyb_manifest_get(b, "args", i);
		if (!p || !q)
			return p == q;
		if (strcmp(p, q) != 0)
			return false;
	}
}

/* Whether its order is there, and whole. 0, or -EINVAL, which is reported. */
static int has_order(const struct hyb_process *process, const struct hyb_diag *diag)
{
	const char *lost = hyb_manifest_get(&process->manifest, "order-lost", 0);

	if (!hyb_manifest_get(&process->manifest, "order", 0)) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: was recorded without its order: record it with hybmon run --order=yes",
			     process->path);
		return -EINVAL;
	}
	if (!lost || !strcmp(lost, "-"))
		return 0;
	hyb_diag_say(diag, HYB_SEV_ERROR, "%s: a part of its order was lost (%s): it cannot be compared", process->path, lost);
	return -EINVAL;
}

/* 0 or -errno, which is reported but for -ENOMEM. After either, free_side. */
static int open_side(struct side *side, const struct hyb_process *process, const struct hyb_diag *diag)
{
	int err = has_order(process, diag);

	if (!err)
		err = hyb_replay_read_main(process, diag, &side->order);
	/* A process without a call that matters has none. */
	if (err)
		return err == -ENODATA ? 0 : err;
	side->calls = hyb_replay_calls_open(&side->order);
	return side->calls ? 0 : -ENOMEM;
}

static void lose_posts(struct side *side)
{
	hyb_replay_calls_close(side->calls);
	side->calls = NULL;
}

static void free_side(struct side *side)
{
	lose_posts(side);
	hyb_replay_order_free(&side->order);
}

/* The next call that posts a receive that names any source or tag, or makes a persistent one. As hyb_replay_calls_next. */
static int next_call(struct side *side, struct post *post, enum hyb_replay_posts *posts)
{
	struct hyb_replay_call call;
	int ret;

	while ((ret = hyb_replay_calls_next(side->calls, &call)) > 0) {
		*posts = hyb_replay_call_posts(&call, &post->source, &post->tag, &post->function);
		if (*posts != HYB_REPLAY_POSTS_NONE && post->source != HYB_REPLAY_NOBODY &&
		    (post->source == HYB_REPLAY_ANY || post->tag == HYB_REPLAY_ANY))
			return 1;
	}
	return ret;
}

/*
 * The next receive that names any source or tag. 1; 0: it is not known, nor any later one, also since persistent ones
 * count when they are started; -ENOMEM.
 */
static int next_post(struct side *side, struct post *post)
{
	enum hyb_replay_posts posts = HYB_REPLAY_POSTS_NONE;
	int ret;

	/* any_tag stays as it was found. */
	if (!side->calls)
		return 0;
	ret = next_call(side, post, &posts);
	if (ret > 0 && posts == HYB_REPLAY_POSTS_NOW)
		return 1;
	side->any_tag = ret > 0;
	while (ret > 0) {
		side->any_tag = side->any_tag && post->tag == HYB_REPLAY_ANY;
		ret = next_call(side, post, &posts);
	}
	if (ret < 0)
		side->any_tag = false;
	lose_posts(side);
	return ret == -ENOMEM ? ret : 0;
}

/*
 * What both got has the tags that they name; -1: it is not known. 1: from here on the receives are not the same ones; 0;
 * -ENOMEM.
 */
static int name(struct hyb_race_change *change, struct side *here, struct side *there)
{
	struct post a, b;
	const int first = next_post(here, &a);
	const int second = next_post(there, &b);

	if (first < 0 || second < 0)
		return first < 0 ? first : second;
	if (first ? a.tag != HYB_REPLAY_ANY : !here->any_tag)
		change->got.tag = first ? (int32_t)a.tag : -1;
	if (second ? b.tag != HYB_REPLAY_ANY : !there->any_tag)
		change->there.tag = second ? (int32_t)b.tag : -1;
	/* Its source may be the one that another receive got something from. */
	return first && second &&
	       (strcmp(a.function, b.function) != 0 || a.tag != b.tag ||
		(a.source == HYB_REPLAY_ANY) != (b.source == HYB_REPLAY_ANY));
}

static struct hyb_replay_match match_of(const struct side *side, uint64_t number)
{
	static const struct hyb_replay_match none = { .source = HYB_REPLAY_OPEN };

	return number < side->order.match_count ? side->order.matches[number] : none;
}

/* Receives of a track, if there is one, by number: their items, or SIZE_MAX. NULL: there is no memory. */
static size_t *list_items(const struct hyb_races *r, size_t track_index, uint64_t count)
{
	static const struct hyb_race_track none;
	const struct hyb_race_track *track = track_index < r->track_count ? &r->tracks[track_index] : &none;
	size_t *items = malloc((count + 1) * sizeof(*items));

	for (uint64_t i = 0; items && i < count; i++)
		items[i] = SIZE_MAX;
	for (size_t i = 0; items && i < track->count; i++) {
		if (track->items[i].what == HYB_RACE_RECEIVE && track->items[i].open < count)
			items[track->items[i].open] = i;
	}
	return items;
}

/* One receive of a rank, which both have. 0 or -ENOMEM. */
static int compare(struct hyb_races *r, const struct hyb_race_change *c)
{
	struct hyb_race_other *o = &r->other;
	struct hyb_race_site *site = NULL;
	struct hyb_race_change *changes;
	const bool same = c->got.source == c->there.source &&
			  (c->got.source < 0 || c->got.tag < 0 || c->there.tag < 0 || c->got.tag == c->there.tag);

	if (c->item != SIZE_MAX)
		site = hyb_table_at(&r->sites, r->tracks[c->track].items[c->item].region);
	o->compared++;
	if (site)
		site->compared++;
	if (same)
		return 0;
	if (site)
		site->changed++;
	else
		o->unknown++;
	changes = hyb_array_room(o->changes, &o->room, o->count, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	o->changes = changes;
	changes[o->count++] = *c;
	return 0;
}

/* track: SIZE_MAX, of the rank there are no events. */
static int compare_receives(struct hyb_races *r, uint32_t rank, size_t track, struct side *here, struct side *there)
{
	const uint64_t ours = here->order.match_count, others = there->order.match_count;
	const uint64_t most = ours > others ? ours : others;
	size_t *items = list_items(r, track, most);
	int ret = items ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < most && !ret; i++) {
		struct hyb_race_change change = {
			.rank = rank, .track = track, .item = items[i], .number = i, .got = match_of(here, i),
			.there = match_of(there, i),
		};
		const bool open = change.got.source == HYB_REPLAY_OPEN, open_there = change.there.source == HYB_REPLAY_OPEN;

		ret = name(&change, here, there);
		if (ret > 0)
			r->other.parted++;
		else if (!ret && open != open_there)
			r->other.alone++;
		else if (!ret && !open)
			ret = compare(r, &change);
	}
	free(items);
	return ret < 0 ? ret : 0;
}

static int compare_rank(struct hyb_races *r, const struct hyb_model_process *process, const struct hyb_process *other,
			const struct hyb_diag *diag)
{
	struct side here = { 0 }, there = { 0 };
	int err = open_side(&here, process->source, diag);

	if (!err)
		err = open_side(&there, other, diag);
	if (!err)
		err = compare_receives(r, process->group, process->thread_count ? process->first_track : SIZE_MAX, &here, &there);
	free_side(&here);
	free_side(&there);
	return err;
}

/*
 * In each rank the first change is marked, and whether one of another rank comes before its changes, as far as it is
 * known where all of them are.
 */
static int mark_first(struct hyb_races *r)
{
	struct hyb_race_other *o = &r->other;
	size_t *items = malloc((r->track_count + 1) * sizeof(*items));
	bool *first = calloc(r->track_count + 1, sizeof(*first));
	int err = items && first ? 0 : -ENOMEM;

	for (size_t t = 0; t < r->track_count && !err; t++)
		items[t] = SIZE_MAX;
	for (size_t i = 0; i < o->count && !err; i++) {
		struct hyb_race_change *c = &o->changes[i];

		c->first = !i || c[-1].rank != c->rank;
		if (c->track < r->track_count && c->item < items[c->track])
			items[c->track] = c->item;
	}
	if (!err && !o->unknown)
		err = hyb_races_first(r, items, first);
	for (size_t i = 0; i < o->count && !err && !o->unknown; i++)
		o->changes[i].before_all = o->changes[i].first && first[o->changes[i].track];
	free(items);
	free(first);
	return err;
}

/* Of each of our ranks that process in the other recording. 0 or -errno, which is reported but for -ENOMEM. */
static int compare_ranks(struct hyb_races *r, const struct hyb_experiment *x, const struct hyb_diag *diag)
{
	const struct hyb_model *m = &r->merge.model;
	bool told = false;
	int err = 0;

	if (x->ranks != (int64_t)m->ranks) {
		hyb_diag_say(diag, HYB_SEV_ERROR,
			     "%s: has %lld ranks, and the first recording %u: these are not two runs of the same kind", x->path,
			     (long long)(x->ranks > 0 ? x->ranks : 0), m->ranks);
		return -EINVAL;
	}
	for (size_t i = 0; i < x->count && !err; i++) {
		const int64_t rank = x->processes[i].manifest.rank;
		const struct hyb_model_process *process;

		if (x->processes[i].missing || rank < 0 || rank >= (int64_t)m->ranks || m->rank_process[rank] == UINT32_MAX)
			continue;
		process = &m->processes[m->rank_process[rank]];
		if (!told && !same_program(&process->source->manifest, &x->processes[i].manifest)) {
			hyb_diag_say(diag, HYB_SEV_WARNING,
				     "%s was recorded of another program or with other arguments: what differs may be no matter of order",
				     x->path);
			told = true;
		}
		r->other.absent -= r->other.absent > 0;
		err = compare_rank(r, process, &x->processes[i], diag);
	}
	return err;
}

int hyb_races_compare(struct hyb_races *r, const char *dir, const struct hyb_diag *diag)
{
	struct hyb_experiment *x;
	int err = hyb_experiment_open(dir, diag, &x);

	if (err)
		return err;
	r->other = (struct hyb_race_other){ .path = dir, .absent = r->merge.model.ranks };
	err = compare_ranks(r, x, diag);
	hyb_experiment_close(x);
	return err ? err : mark_first(r);
}
