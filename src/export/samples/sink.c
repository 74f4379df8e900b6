/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink of samples' profile: each track counts for itself, and all are added up. */
#include "export/samples/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "merge/merge.h"
#include "export/samples/print.h"
#include "export/samples/tally.h"

#define NAME "samples.txt"

struct hyb_sink {
	const struct hyb_merge *m;
	pthread_mutex_t lock;
	struct hyb_samples_tally tally;
};

struct track {
	struct hyb_sink *sink;
	struct hyb_samples_tally tally;
	uint32_t *stacks; /* of the open regions, the innermost last */
	size_t depth;
	size_t room;
	uint64_t events;
};

static int begin(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	struct hyb_sink *s = calloc(1, sizeof(*s));

	(void)ops;
	if (!s)
		return -ENOMEM;
	s->m = m;
	pthread_mutex_init(&s->lock, NULL);
	hyb_samples_tally_init(&s->tally);
	*sink = s;
	return 0;
}

static int open_track(struct hyb_sink *s, const struct hyb_track *track, void **state)
{
	struct track *t = calloc(1, sizeof(*t));

	(void)track;
	if (!t)
		return -ENOMEM;
	t->sink = s;
	hyb_samples_tally_init(&t->tally);
	*state = t;
	return 0;
}

static int enter(struct track *t, const struct hyb_gregion *region)
{
	uint32_t *stacks = hyb_array_room(t->stacks, &t->room, t->depth, sizeof(*stacks));
	uint32_t stack;

	if (!stacks)
		return -ENOMEM;
	t->stacks = stacks;
	stack = hyb_samples_tally_enter(&t->tally, t->depth ? stacks[t->depth - 1] : 0, region);
	stacks[t->depth++] = stack;
	return stack ? 0 : -ENOMEM;
}

static int on_event(void *state, const struct hyb_merge_event *e)
{
	struct track *t = state;

	switch (e->kind) {
	case HYB_KIND_ENTER:
		return enter(t, e->region);
	case HYB_KIND_LEAVE:
		t->depth -= t->depth != 0;
		return 0;
	case HYB_KIND_SAMPLE:
		t->events++;
		return hyb_samples_tally_add(&t->tally, e, t->depth ? t->stacks[t->depth - 1] : 0);
	default:
		return 0;
	}
}

static int close_track(void *state, uint64_t *events)
{
	struct track *t = state;
	struct hyb_sink *s = t->sink;
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = hyb_samples_tally_merge(&s->tally, &t->tally);
	pthread_mutex_unlock(&s->lock);
	*events = t->events;
	hyb_samples_tally_free(&t->tally);
	free(t->stacks);
	free(t);
	return ret;
}

static FILE *open_output(const struct hyb_merge *m)
{
	char *path;
	FILE *to;
	int fd;

	if (m->options.to_stdout) {
		fd = dup(STDOUT_FILENO);
		return fd < 0 ? NULL : fdopen(fd, "w");
	}
	if (asprintf(&path, "%s/%s", m->output.tmp, NAME) < 0)
		return NULL;
	to = fopen(path, "wxe");
	free(path);
	return to;
}

static int end(struct hyb_sink *s)
{
	FILE *to = open_output(s->m);
	int ret = to ? hyb_samples_print(s->m, &s->tally, to) : -errno;

	if (to && fclose(to) && !ret)
		ret = -errno;
	/* Who reads from a pipe may have enough. */
	if (ret == -EPIPE && s->m->options.to_stdout)
		return 0;
	if (ret)
		hyb_diag_say(s->m->options.diag, HYB_SEV_ERROR, "cannot write %s: %s", NAME, strerror(-ret));
	return ret;
}

static void free_sink(struct hyb_sink *s)
{
	hyb_samples_tally_free(&s->tally);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static const char *const parts[] = { NAME, NULL };

const struct hyb_sink_ops hyb_samples_sink = {
	.name = "samples",
	.parts = parts,
	.needs = HYB_NEED_SAMPLES,
	.begin = begin,
	.open = open_track,
	.event = on_event,
	.close = close_track,
	.end = end,
	.free = free_sink,
};
