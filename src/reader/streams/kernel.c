/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel streams: one event ahead of each in a heap by time; see kernel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/kernel.h"
#include "reader/containers/array.h"
#include "reader/containers/heap.h"
#include "reader/streams/stream.h"

struct source {
	struct hyb_reader *reader; /* NULL: it cannot be read */
	struct hyb_kernel_event next;
	struct hyb_kernel_event after; /* what follows a gap's begin */
	bool has_after;
	uint64_t last; /* time of the event taken last */
	struct {
		uint64_t *words;
		size_t room;
	} copies[2]; /* of stacks: of the next event, and of that which was taken last */
	unsigned int copy;
};

struct hyb_kernel_reader {
	struct source *sources;
	size_t count;
	struct hyb_heap heap; /* those with a next event, the earliest first */
	bool started;
	struct hyb_kernel_stats stats;
	const struct hyb_diag *diag;
};

bool hyb_kernel_is_node(const struct hyb_process *process)
{
	bool cpus = false;

	if (process->missing)
		return strstr(process->name, ".kernel") != NULL;
	/* The latter of one that found nothing that it may record. */
	if (hyb_manifest_get(&process->manifest, "kernel", 0) || !strcmp(process->manifest.program, "hybmon-collect"))
		return true;
	for (size_t i = 0; i < process->stream_count; i++) {
		if (process->streams[i].kind == HYB_STREAM_THREAD)
			return false;
		cpus = true;
	}
	return cpus;
}

/* Of the same time the first one's. */
static bool earlier(const void *a, const void *b, const void *arg)
{
	const struct source *x = a, *y = b;

	(void)arg;
	return x->next.time != y->next.time ? x->next.time < y->next.time : x < y;
}

/*
 * What is missing comes as two events, so that a reader knows of it when it begins, before what other
 * streams say of the time meanwhile.
 */
static void set_gap(struct source *s, const struct hyb_kernel_event *base, uint64_t from, uint64_t to)
{
	s->next = *base;
	s->next.what = HYB_KERNEL_GAP_BEGIN;
	s->next.time = from > s->last ? from : s->last;
	if (s->next.time > to)
		s->next.time = to;
	s->next.word[0] = to;
	s->next.word[1] = from;
	s->after = *base;
	s->after.what = HYB_KERNEL_GAP_END;
	s->after.time = to;
	s->has_after = true;
}

/* What the event has of a stack, which the stream's next record would overwrite. Without memory it has none. */
static void keep_copy(struct source *s, const uint64_t *words)
{
	const size_t count = hyb_record_words(*words);
	uint64_t *copy;

	s->copy = !s->copy;
	copy = hyb_array_hold(s->copies[s->copy].words, &s->copies[s->copy].room, count, sizeof(*copy));
	if (!copy)
		return;
	s->copies[s->copy].words = copy;
	memcpy(copy, words, count * sizeof(*copy));
	s->next.copy = copy;
	s->next.copy_words = (uint32_t)count;
}

static void take_attached(struct source *s, const struct hyb_event *e)
{
	const uint64_t *w = e->words;

	for (uint32_t at = e->head; at < e->count; at += hyb_record_words(w[at])) {
		if (w[at] >> HYB_TYPE_SHIFT == HYB_STACK)
			s->next.stack = w[at] & HYB_REQUEST_MASK;
		else if (w[at] >> HYB_TYPE_SHIFT == HYB_STACK_COPY)
			keep_copy(s, w + at);
	}
}

/* True if there is an event in it; it is then s->next. */
static bool take_record(struct hyb_kernel_reader *r, struct source *s, const struct hyb_event *e)
{
	const uint64_t *w = e->words;
	struct hyb_kernel_event *k = &s->next;
	int words = hyb_kernel_extra_words((enum hyb_kernel_what)e->id);

	if (words < 0) {
		r->stats.unknown_records++;
		return false;
	}
	if (e->head < 2u + (uint32_t)words) {
		r->stats.corrupt_records++;
		return false;
	}
	*k = (struct hyb_kernel_event){
		.what = (uint32_t)e->id,
		.source = (uint32_t)(s - r->sources),
		.detail = w[1] >> 32 & 0xffffff,
		.task = (uint32_t)w[1],
		.time = e->time,
	};
	for (uint32_t i = 0; i < HYB_KERNEL_WORDS && i + 2 < e->head; i++)
		k->word[i] = w[i + 2];
	take_attached(s, e);
	if (e->id == HYB_KERNEL_LOST) {
		k->lost = k->word[0];
		set_gap(s, &(const struct hyb_kernel_event){ .source = k->source, .detail = k->detail, .task = k->task,
							     .lost = k->lost },
			k->word[1], e->time);
	}
	return true;
}

static void take_gap(struct hyb_kernel_reader *r, struct source *s, const struct hyb_event *e)
{
	const struct hyb_kernel_event base = {
		.source = (uint32_t)(s - r->sources),
		.lost = e->gap->records,
		.chunks = e->gap->chunks,
	};

	set_gap(s, &base, e->gap->from, e->time);
}

/* The stream's next event into s->next: 1, 0 at its end, -errno. */
static int load(struct hyb_kernel_reader *r, struct source *s)
{
	struct hyb_event e;
	int ret;

	s->last = s->next.time;
	if (s->has_after) {
		s->next = s->after;
		s->has_after = false;
		return 1;
	}
	while ((ret = hyb_reader_next(s->reader, &e)) > 0) {
		if (e.type == HYB_EVENT_GAP) {
			take_gap(r, s, &e);
			return 1;
		}
		if (e.type != HYB_KERNEL)
			r->stats.unknown_records++;
		else if (take_record(r, s, &e))
			return 1;
	}
	return ret;
}

static void open_source(struct hyb_kernel_reader *r, size_t i, const char *path, uid_t owner)
{
	const struct hyb_file_header *h;
	int ret = hyb_reader_open(path, owner, r->diag, &r->sources[i].reader);

	if (ret) {
		r->sources[i].reader = NULL;
		r->stats.unreadable += ret != -ENODATA;
		return;
	}
	h = hyb_reader_header(r->sources[i].reader);
	if ((h->kind == HYB_STREAM_CPU || h->kind == HYB_STREAM_TASK || h->kind == HYB_STREAM_SAMPLE) &&
	    h->counter == HYB_COUNTER_MONOTONIC_RAW)
		return;
	hyb_diag_say(r->diag, HYB_SEV_WARNING, "%s: is no stream of the kernel, as its name says: left out",
		     path);
	hyb_reader_close(r->sources[i].reader);
	r->sources[i].reader = NULL;
	r->stats.unreadable++;
}

int hyb_kernel_open(const char *const *paths, size_t count, uid_t owner, const struct hyb_diag *diag,
		    struct hyb_kernel_reader **reader)
{
	struct hyb_kernel_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->diag = diag;
	r->count = count;
	r->sources = calloc(count + 1, sizeof(*r->sources));
	r->heap.items = calloc(count + 1, sizeof(*r->heap.items));
	if (!r->sources || !r->heap.items) {
		hyb_kernel_close(r);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		open_source(r, i, paths[i], owner);
	*reader = r;
	return 0;
}

void hyb_kernel_close(struct hyb_kernel_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; reader->sources && i < reader->count; i++) {
		hyb_reader_close(reader->sources[i].reader);
		free(reader->sources[i].copies[0].words);
		free(reader->sources[i].copies[1].words);
	}
	free(reader->sources);
	free(reader->heap.items);
	free(reader);
}

static int start(struct hyb_kernel_reader *r)
{
	int ret;

	for (size_t i = 0; i < r->count; i++) {
		if (!r->sources[i].reader)
			continue;
		ret = load(r, &r->sources[i]);
		if (ret < 0)
			return ret;
		if (ret)
			r->heap.items[r->heap.count++] = &r->sources[i];
	}
	hyb_heap_order(&r->heap, earlier, NULL);
	r->started = true;
	return 0;
}

int hyb_kernel_next(struct hyb_kernel_reader *r, struct hyb_kernel_event *event)
{
	struct source *s;
	int ret = r->started ? 0 : start(r);

	if (ret < 0)
		return ret;
	if (!r->heap.count)
		return 0;
	s = r->heap.items[0];
	*event = s->next;
	ret = load(r, s);
	if (ret < 0)
		return ret;
	hyb_heap_moved(&r->heap, ret > 0, earlier, NULL);
	if (event->what == HYB_KERNEL_GAP_BEGIN) {
		r->stats.gaps++;
		r->stats.lost += event->lost;
	} else if (event->what != HYB_KERNEL_GAP_END) {
		r->stats.events++;
	}
	return 1;
}

void hyb_kernel_stats(const struct hyb_kernel_reader *r, struct hyb_kernel_stats *stats)
{
	const struct hyb_reader_stats *s;

	*stats = r->stats;
	for (size_t i = 0; i < r->count; i++) {
		if (!r->sources[i].reader)
			continue;
		s = hyb_reader_stats(r->sources[i].reader);
		stats->lost_chunks += s->lost_chunks;
		stats->corrupt_chunks += s->corrupt_chunks;
		stats->unknown_records += s->unknown_records;
		stats->words += s->words;
	}
}

uint64_t hyb_kernel_ended(const struct hyb_kernel_reader *r, size_t source)
{
	const struct hyb_reader *reader = r->sources[source].reader;

	return reader && hyb_reader_closed(reader) ? hyb_reader_header(reader)->end_time : 0;
}

uint64_t hyb_kernel_tid(const struct hyb_kernel_reader *r, size_t source)
{
	const struct hyb_reader *reader = r->sources[source].reader;

	return reader ? hyb_reader_header(reader)->tid : 0;
}
