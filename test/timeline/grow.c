/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Follows a recording that grows as hybmon view does, and compares what it has after each step with a reading of all: each
 * record of each thread, and how much time had passed in each class at many times.
 *
 *	grow EXPERIMENT COPY STEPS SEED [told [elsewhere]]
 *
 * COPY must not exist. With `told` it follows nothing: a step comes with each empty line of standard input, and the rest
 * with another one, for others to follow; `elsewhere`: the job seems to run on another machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "growing.h"
#include "timeline/store/read.h"
#include "timeline/store/tail.h"

#define TIMES 200 /* of a track */

struct reading {
	struct hyb_merge merge;
	struct hyb_view_store store;
	struct hyb_view_sink *sink;
};

static const char *work; /* for temporary files */
static volatile sig_atomic_t stop;

static void say(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	if (severity == HYB_SEV_ERROR)
		printf("# %s\n", text);
}

static int run(struct reading *r, const char *dir, struct hyb_tail *tail, const struct hyb_sink_ops *ops)
{
	static const struct hyb_diag diag = { say, NULL };
	const char *const dirs[] = { dir };
	char place[4096];
	struct hyb_merge_options o = {
		.dirs = dirs, .dir_count = 1, .out = place, .force = true, .sinks = &ops, .sink_count = 1, .jobs = 2,
		.kernel = HYB_MERGE_KERNEL_NONE, .diag = &diag, .stop = &stop, .tail = tail,
		/* Otherwise what comes later changes what they are corrected by. */
		.clocks_as_are = true,
	};
	int err;

	snprintf(place, sizeof(place), "%s.merged", work);
	err = hyb_merge_run(&r->merge, &o);
	if (!err)
		err = hyb_view_complete(&r->store);
	r->store.merge = NULL;
	return err;
}

static int open_file(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s.XXXXXX", work);
	fd = mkstemp(path);
	unlink(path);
	return fd;
}

static void close_reading(struct reading *r)
{
	hyb_merge_free(&r->merge);
	hyb_view_store_free(&r->store);
	hyb_view_sink_free(r->sink);
	free(r);
}

/* All of it; with a tail, if there is one, to go on from. */
static struct reading *read_all(const char *dir, struct hyb_tail *tail, struct hyb_view_tail *held)
{
	struct reading *r = calloc(1, sizeof(*r));
	const struct hyb_sink_ops *ops = hyb_view_sink(&r->store, open_file(), HYB_VIEW_HEAD, HYB_VIEW_RECORDS, &r->sink);
	int err;

	if (held)
		hyb_view_sink_goes_on(r->sink, held, NULL);
	err = run(r, dir, tail, ops);
	if (!err)
		return r;
	printf("# read: %s\n", strerror(-err));
	close_reading(r);
	return NULL;
}

static struct reading *read_more(const char *dir, const struct reading *before, struct hyb_tail *tail, struct hyb_view_tail *held)
{
	struct reading *r = calloc(1, sizeof(*r));
	const struct hyb_sink_ops *ops = hyb_view_sink(&r->store, dup(before->store.fd), before->store.size, HYB_VIEW_RECORDS,
						       &r->sink);
	int err;

	hyb_view_sink_goes_on(r->sink, held, &before->store);
	err = run(r, dir, tail, ops);
	if (!err)
		return r;
	printf("# read what is new: %s\n", strerror(-err));
	close_reading(r);
	return NULL;
}

static const char *name_of(const struct hyb_regions *regions, uint32_t what)
{
	for (uint32_t i = 0; i < regions->table.count; i++)
		if (hyb_regions_at(regions, i)->id == (what & HYB_VIEW_ID_MASK))
			return hyb_regions_at(regions, i)->name;
	return "?";
}

/* A track's regions one after the other, as they begin and end. */
struct cursor {
	struct hyb_view_reader *reader;
	const struct hyb_view_track *track;
	const struct hyb_regions *regions;
	uint64_t next;
	uint64_t time;
	const char *name; /* NULL: one ends */
	uint64_t end;	  /* of a slice that has begun; 0: none has */
};

/* Where a region is left there is its end; and all are left. */
static bool is_left(const struct cursor *c, uint64_t entered)
{
	const struct hyb_view_record *r = hyb_view_record_at(c->reader, c->track, entered);
	const uint64_t left = entered + r->extent;
	const uint32_t id = r->what & HYB_VIEW_ID_MASK;

	if (hyb_view_form(r->what) != HYB_VIEW_ENTER)
		return true;
	if (!r->extent || left >= c->track->count)
		return false;
	r = hyb_view_record_at(c->reader, c->track, left);
	return hyb_view_form(r->what) == HYB_VIEW_LEAVE && (r->what & HYB_VIEW_ID_MASK) == id;
}

/* False at its end. Events without duration are passed over: what came last has them not. */
static bool step(struct cursor *c)
{
	const struct hyb_view_record *r;

	if (c->end) {
		c->time = c->end;
		c->name = NULL;
		c->end = 0;
		return true;
	}
	do {
		if (c->next == c->track->count)
			return false;
		r = hyb_view_record_at(c->reader, c->track, c->next++);
	} while (hyb_view_form(r->what) == HYB_VIEW_POINT);
	c->time = r->time;
	c->name = hyb_view_form(r->what) == HYB_VIEW_LEAVE ? NULL : name_of(c->regions, r->what);
	c->end = hyb_view_form(r->what) == HYB_VIEW_SLICE ? r->time + r->extent : 0;
	return true;
}

static int compare_regions(struct cursor *a, struct cursor *b)
{
	bool more, other;

	for (;;) {
		more = step(a);
		other = step(b);
		if (more && a->name && !a->end && !is_left(a, a->next - 1)) {
			printf("# track %zu: where record %llu, %s, is left there is something else\n", a->track->track.index,
			       (unsigned long long)a->next - 1, a->name);
			return 1;
		}
		if (more != other || (more && (a->time != b->time || !a->name != !b->name)) ||
		    (more && a->name && strcmp(a->name, b->name)))
			break;
		if (!more)
			return 0;
	}
	printf("# track %zu, record %llu: %s at %llu%s, all: record %llu: %s at %llu%s\n", a->track->track.index,
	       (unsigned long long)a->next, a->name ? a->name : "end", (unsigned long long)a->time, more ? "" : ", over",
	       (unsigned long long)b->next, b->name ? b->name : "end", (unsigned long long)b->time, other ? "" : ", over");
	return 1;
}

static int compare_times(struct hyb_view_reader *a, struct hyb_view_reader *b, size_t i)
{
	const struct hyb_view_track *x = &a->store->tracks[i], *y = &b->store->tracks[i];
	uint64_t p[HYB_VIEW_CLASSES], q[HYB_VIEW_CLASSES];

	for (int k = 0; k <= TIMES; k++) {
		const uint64_t time = (y->end + 1) * (uint64_t)k / TIMES;

		hyb_view_passed_at(a, x, time, p);
		hyb_view_passed_at(b, y, time, q);
		if (!memcmp(p, q, sizeof(p)))
			continue;
		printf("# track %zu at %llu: another part has passed\n", i, (unsigned long long)time);
		return 1;
	}
	return x->begin != y->begin || x->end != y->end;
}

/* The track as a whole, where it is long. */
static int compare_whole(struct hyb_view_reader *a, struct hyb_view_reader *b, size_t i)
{
	static struct hyb_view_sums p[HYB_VIEW_PART], q[HYB_VIEW_PART];
	const struct hyb_view_track *x = &a->store->tracks[i], *y = &b->store->tracks[i];

	if (x->whole.parts != y->whole.parts || x->whole.level != y->whole.level) {
		/* With other events between two segments it may be long enough for one of both only. */
		if (x->segment_count == y->segment_count)
			printf("# track %zu: %u parts as a whole, all: %u\n", i, x->whole.parts, y->whole.parts);
		return x->segment_count == y->segment_count;
	}
	for (uint32_t part = 0; part < x->whole.parts; part++) {
		hyb_view_read_part(a, x, part, p);
		hyb_view_read_part(b, y, part, q);
		for (uint32_t k = 0; k < HYB_VIEW_PART; k++)
			if (memcmp(p[k].passed, q[k].passed, sizeof(p[k].passed))) {
				printf("# track %zu as a whole, part %u, column %u: another part has passed\n", i, part, k);
				return 1;
			}
	}
	return 0;
}

/* The same of both; of `more` the regions are the tail's. */
static int compare(const struct reading *more, const struct hyb_tail *tail, const struct reading *all)
{
	struct hyb_view_reader a, b;
	int wrong = more->store.track_count != all->store.track_count;

	hyb_view_reader_begin(&a, &more->store);
	hyb_view_reader_begin(&b, &all->store);
	for (size_t i = 0; !wrong && i < all->store.track_count; i++) {
		struct cursor x = { .reader = &a, .track = &more->store.tracks[i], .regions = &tail->regions };
		struct cursor y = { .reader = &b, .track = &all->store.tracks[i], .regions = &all->merge.model.regions };

		wrong = compare_regions(&x, &y);
		if (!wrong)
			wrong = compare_times(&a, &b, i) || compare_whole(&a, &b, i);
	}
	wrong |= hyb_view_reader_end(&a) | hyb_view_reader_end(&b);
	return wrong;
}

static bool is_told(void)
{
	char line[16];

	return fgets(line, sizeof(line), stdin) && *line == '\n';
}

static void grow_for_others(const char *from, const char *to, int steps, bool elsewhere)
{
	struct growing *g = growing_new(from, to, elsewhere);

	for (int i = 1; i < steps && growing_step(g, false) && is_told(); i++)
		;
	growing_step(g, true);
	growing_free(g);
}

int main(int argc, char **argv)
{
	struct hyb_tail *tail = hyb_tail_new();
	struct hyb_view_tail *held = hyb_view_tail_new();
	struct reading *now, *next, *all;
	struct growing *g;
	int steps, wrong, taken = 0;

	if (argc < 5 || argc > 7)
		return 2;
	work = argv[2];
	srand((unsigned int)atoi(argv[4]));
	steps = atoi(argv[3]);
	held->slack = 0;
	if (argc > 5) {
		grow_for_others(argv[1], argv[2], steps, argc > 6);
		hyb_tail_free(tail);
		hyb_view_tail_free(held);
		return 0;
	}
	g = growing_new(argv[1], argv[2], false);
	growing_step(g, false);
	now = read_all(argv[2], tail, held);
	wrong = !now;
	for (int i = 0; !wrong; i++) {
		hyb_tail_keep(tail, &now->merge);
		hyb_view_tail_turn(held);
		if (!now->store.running || !growing_step(g, i + 1 >= steps))
			break;
		next = read_more(argv[2], now, tail, held);
		if (next)
			close_reading(now);
		all = next ? read_all(argv[2], NULL, NULL) : NULL;
		wrong = !all;
		now = next ? next : now;
		if (!wrong) {
			hyb_tail_keep(tail, &now->merge);
			wrong = compare(now, tail, all);
			hyb_tail_give(tail, &now->merge);
			taken++;
		}
		if (all)
			close_reading(all);
		if (wrong)
			printf("# after step %d\n", i + 1);
	}
	growing_free(g);
	if (!wrong)
		printf("# %d steps, %llu records of the first thread\n", taken, (unsigned long long)now->store.tracks[0].count);
	if (now)
		close_reading(now);
	hyb_tail_free(tail);
	hyb_view_tail_free(held);
	return wrong;
}
