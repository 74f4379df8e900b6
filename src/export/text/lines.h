/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon-print writes: one line for each definition, event, gap and open region. */
#ifndef HYB_EXPORT_TEXT_LINES_H
#define HYB_EXPORT_TEXT_LINES_H

#include "export/text/names.h"

struct print_open { /* a region that was entered and not yet left */
	uint64_t region;
	uint64_t time;
};

struct print_stream {
	struct print_process *process;
	struct hyb_reader *reader;
	char *label; /* rank.thread */
	bool damaged;
	uint32_t number;	/* of a thread's stream */
	bool thread;
	size_t marks;		/* of those in the definitions, told so far */
	struct hyb_metric_reader metrics;
	struct print_open *open;
	size_t open_count;
	size_t open_room;
};

void print_process_line(const struct print_options *o, const struct print_process *p);
void print_def(const struct print_options *o, struct print_process *p, const struct hyb_event *e);
void print_stream_line(const struct print_options *o, const struct print_stream *s);
void print_event(const struct print_options *o, struct print_stream *s, const struct hyb_event *e);
void print_open_regions(const struct print_options *o, const struct print_stream *s);
/* Keeps book of the open regions. 0 or -ENOMEM. */
int print_track(struct print_stream *s, const struct hyb_event *e);

#endif
