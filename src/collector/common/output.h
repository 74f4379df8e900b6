/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's streams: one for each CPU, or for each task, in the raw format. Used by one thread. */
#ifndef HYB_COLLECTOR_COMMON_OUTPUT_H
#define HYB_COLLECTOR_COMMON_OUTPUT_H

#include <string.h>

#include "core/record/stream.h"

struct hyb_output {
	struct hyb_thread writer;
	struct hyb_stream stream;
	uint64_t last;		/* time of the last record: no record has an earlier one */
	uint64_t stack;		/* number of the call chain of the next record, 0: none */
	const uint64_t *copy;	/* a STACK_COPY for the next record, for which there is room */
	size_t copy_words;	/* 0: none */
	uint64_t late;		/* how many records came after a later one, and have its time */
};

/* True while a source is only tried: outputs have no files then, and what is written is dropped. */
extern bool hyb_output_none;

/*
 * Makes cpu-<number>.hyb, or task-<number>.hyb of thread tid of process pid. now: the time in nanoseconds from which on
 * the stream is complete. 0 or -errno.
 */
int hyb_output_open(struct hyb_output *o, enum hyb_stream_kind kind, uint32_t number, uint32_t pid, uint32_t tid,
		    uint64_t now);
/* Marks the stream closed, if it was opened. */
void hyb_output_close(struct hyb_output *o);
/* Slow path of hyb_output_begin: true if there is room now. A record that has no space is counted in the stream. */
bool hyb_output_make_room(struct hyb_output *o, uint64_t now) HYB_COLD;
/*
 * For records with much attached: makes room for so many words, at most hyb_output_most of them. False: there is no
 * space, which is counted as a record that was lost.
 */
bool hyb_output_reserve(struct hyb_output *o, uint64_t now, size_t words);
size_t hyb_output_most(const struct hyb_output *o);

/*
 * Begins a KERNEL record with `words` words after its first two. Returns where these words go; the caller fills them
 * and calls hyb_output_end with the place after them. NULL: there is no space.
 */
static inline uint64_t *hyb_output_begin(struct hyb_output *o, uint64_t now, enum hyb_kernel_what what,
					 uint32_t detail, uint32_t task, unsigned int words)
{
	struct hyb_thread *w = &o->writer;
	uint64_t *p;

	if (hyb_unlikely(now < o->last)) {
		now = o->last;
		o->late++;
	}
	if (hyb_unlikely(w->pos >= w->end || now >> HYB_TIME_BITS != w->epoch)) {
		if (!hyb_output_make_room(o, now))
			return NULL;
	}
	o->last = now;
	p = w->pos;
	p[0] = hyb_head(HYB_KERNEL, words + 2, now);
	p[1] = (uint64_t)what << HYB_TYPE_SHIFT | (uint64_t)(detail & 0xffffff) << 32 | task;
	return p + 2;
}

/* Publishes everything before p. The release pairs with the readers' acquire load of `used`. */
static inline void hyb_output_end(struct hyb_output *o, uint64_t *p)
{
	struct hyb_thread *w = &o->writer;

	if (hyb_unlikely(o->stack)) {
		*p++ = (uint64_t)HYB_STACK << HYB_TYPE_SHIFT | o->stack;
		o->stack = 0;
	}
	if (hyb_unlikely(o->copy_words)) {
		memcpy(p, o->copy, o->copy_words * sizeof(*p));
		p += o->copy_words;
		o->copy_words = 0;
	}
	w->pos = p;
	__atomic_store_n(&w->chunk->used, (uint64_t)(p - (uint64_t *)(w->chunk + 1)), __ATOMIC_RELEASE);
}

/* Whole records with no, one and two more words. */
static inline void hyb_output_event(struct hyb_output *o, uint64_t now, enum hyb_kernel_what what,
				    uint32_t detail, uint32_t task)
{
	uint64_t *p = hyb_output_begin(o, now, what, detail, task, 0);

	if (p)
		hyb_output_end(o, p);
}

static inline void hyb_output_event1(struct hyb_output *o, uint64_t now, enum hyb_kernel_what what,
				     uint32_t detail, uint32_t task, uint64_t a)
{
	uint64_t *p = hyb_output_begin(o, now, what, detail, task, 1);

	if (p) {
		p[0] = a;
		hyb_output_end(o, p + 1);
	}
}

static inline void hyb_output_event2(struct hyb_output *o, uint64_t now, enum hyb_kernel_what what,
				     uint32_t detail, uint32_t task, uint64_t a, uint64_t b)
{
	uint64_t *p = hyb_output_begin(o, now, what, detail, task, 2);

	if (p) {
		p[0] = a;
		p[1] = b;
		hyb_output_end(o, p + 2);
	}
}

#endif
