/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a track that is told (selection.h), as an output of its own: what is open where it begins is begun there,
 * what is open where it ends is ended there. A message or an operation is told if all of it lies in the part, otherwise
 * only its calls are.
 *
 * An event may depend on others that come later, or on another track of the process: what became of its request, or
 * when a window was made. So each track is read once before it is told (HYB_EXCERPT_LOOK), and what must be known of
 * the process is kept. That memory goes with what is under way at one time, and a bit for each request of what is not
 * told, and for each operation on windows and files that began before.
 */
#ifndef HYB_MERGE_SINK_EXCERPT_H
#define HYB_MERGE_SINK_EXCERPT_H

#include "reader/containers/numbers.h"
#include "merge/sink/selection.h"

/* What is known of a process; all zero at first. */
struct hyb_excerpt_process {
	struct hyb_numbers half;    /* requests of which the begin or the end lies outside */
	struct hyb_numbers dropped; /* requests of what is not told */
	struct hyb_numbers rma;     /* one-sided operations that began before */
	struct hyb_numbers io;      /* operations on files that did */
	/* What is there where the part begins, by its number: */
	struct hyb_numbers windows;
	struct hyb_numbers handles;
	struct hyb_numbers window_locks;
	struct hyb_numbers locks;
	struct hyb_numbers tasks;
};

void hyb_excerpt_process_free(struct hyb_excerpt_process *p);

enum hyb_excerpt_use {
	HYB_EXCERPT_LOOK, /* what is there: nothing is told */
	HYB_EXCERPT_TELL,
};

struct hyb_excerpt_to {
	void (*tell)(void *arg, const struct hyb_merge_event *e);
	void *arg;
};

struct hyb_excerpt;

/* process: NULL of CPUs. 0 or -ENOMEM. The selection and the process must outlive it. */
int hyb_excerpt_open(const struct hyb_selection *s, struct hyb_excerpt_process *process, enum hyb_excerpt_use use,
		     const struct hyb_excerpt_to *to, struct hyb_excerpt **x);
/* As of struct hyb_sink_ops. */
int hyb_excerpt_event(void *x, const struct hyb_merge_event *e);
void hyb_excerpt_close(struct hyb_excerpt *x);

#endif
