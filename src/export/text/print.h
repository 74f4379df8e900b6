/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What hybmon-print writes: one line for each definition, event, gap and open region. The command
 * line and the way through an experiment are in hybmon-print.c.
 */
#ifndef HYB_EXPORT_TEXT_PRINT_H
#define HYB_EXPORT_TEXT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/streams/printable.h"
#include "reader/streams/reader.h"

struct print_options {
	bool defs;
	bool events;
	bool summary;
	bool raw;   /* the words, too */
	bool times; /* and whatever else differs between two runs of the same program */
};

struct print_process {
	const struct hyb_process *process;
	struct hyb_defs *defs;	    /* NULL: it has none, numbers are shown as they are */
	struct hyb_reader *records; /* the same stream, record by record, where they are shown */
	const struct hyb_clock *clock;
	int64_t start;	/* of the experiment, in ns of that clock */
	char *label;	/* the rank, or what else tells the process */
	struct print_kernel *kernel; /* what tasks and numbers of the kernel are called; NULL: not read yet */
	size_t *counts; /* by region in defs: its place in the counts, plus 1 */
	size_t counts_room;
};

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
void print_def(const struct print_options *o, const struct print_process *p,
	       const struct hyb_event *e);
void print_stream_line(const struct print_options *o, const struct print_stream *s);
void print_event(const struct print_options *o, struct print_stream *s,
		 const struct hyb_event *e);
/* One record attached to an event, as a line. */
void print_attached(const struct print_options *o, const struct print_stream *s,
		    const struct hyb_event *e, const struct hyb_attached *a);
/* What stands in it for HYB_RMA; and how that begins: what is done, with which window and whom. */
void print_rma(const struct print_stream *s, const struct hyb_attached *a);
void print_put_rma(const struct print_process *p, const struct hyb_rma *r);
/* The same of threads, tasks and locks; false if it is none of them. */
bool print_omp(const struct print_options *o, const struct hyb_attached *a);
/* A definition that OpenMP's events need; false if it is none. */
bool print_omp_def(const struct print_options *o, const struct print_process *p,
		   const struct hyb_event *e);
/* What the program itself tells: a parameter of a region; where a region is; a definition, false if it is none. */
void print_parameter(const struct print_stream *s, const struct hyb_attached *a);
void print_put_source(const struct hyb_region *region);
bool print_told_def(const struct print_options *o, const struct print_process *p, const struct hyb_event *e);
/* Counters as the rest of a line: all of a stream are to be shown in turn. A definition, false if it is none of them. */
void print_metric(const struct print_options *o, struct print_stream *s, const struct hyb_event *e);
/* What the kernel did since the record before. */
void print_sums(const struct print_options *o, const struct hyb_event *e);
bool print_metric_definition(const struct print_options *o, const struct print_process *p, const struct hyb_event *e);
/* The shape of a communicator; false if it is none. */
bool print_topology_def(const struct print_process *p, const struct hyb_event *e);
/* What the kernel did, as the rest of a line; a definition of its streams, false if it is none. */
void print_kernel(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e);
bool print_kernel_def(const struct print_options *o, const struct print_process *p, const struct hyb_event *e);
enum print_kernel_part { PRINT_KERNEL_EVENT, PRINT_KERNEL_BEGIN, PRINT_KERNEL_END };
/* What to count the event as, and which part of it this is. */
enum print_kernel_part print_kernel_name(const struct print_stream *s, const struct hyb_event *e, char *buf,
					 size_t size);
/* A call chain: its number, and what is in it, as it was at that time of the stream. */
void print_kernel_stack(const struct print_stream *s, uint64_t id, uint64_t time);
/* What a collector's manifest has more than a program's. */
void print_kernel_line(const struct print_process *p);
/* Nanoseconds on the process's clock of an event's time in stream s. */
int64_t print_kernel_ns(const struct print_process *p, uint64_t raw);
void print_kernel_free(struct print_process *p);
/* An address of the program as @object+0x..., if the object is known; nothing for 0. The same where a region is. */
void print_put_address(const struct hyb_object *object, uint64_t address);
void print_put_place(const struct print_process *p, const struct hyb_region *region);
void print_open_regions(const struct print_options *o, const struct print_stream *s);

/* What the call waits for that the thread stands in, as lines. */
void print_standing(const struct print_stream *s, const struct hyb_standing *standing);

/* The record of MPI-IO, as the rest of a line; the word for an enum hyb_io_what. */
void print_io(const struct print_process *p, const struct hyb_attached *a);
const char *print_io_word(uint32_t what);

/* What the lines are made of: a file's or a communicator's name as one word; what each line of a stream begins with. */
void print_put_file(const struct print_process *p, uint64_t id);
void print_put_comm(const struct print_process *p, uint64_t id);
void print_put_win(const struct print_process *p, uint64_t id);
void print_put_word(const char *text);
/* World ranks as 0-3,8,9; "-" where there are none. */
void print_put_members(const uint32_t *ranks, uint32_t count);
void print_put_request(uint64_t request);
void print_put_head(const struct print_options *o, const struct print_stream *s, uint64_t time);
/* Bits as words with commas between them; those without a word as numbers. */
void print_put_bits(const char *const *names, size_t count, uint32_t bits);

/* Keeps book of the open regions. 0 or -ENOMEM. */
int print_track(struct print_stream *s, const struct hyb_event *e);
/* Counts for the summary, by region and kind. 0 or -ENOMEM. */
int print_count(struct print_stream *s, const struct hyb_event *e);
/* To be called once when a stream was read. */
void print_count_stream(const struct print_stream *s);
void print_summary(const struct print_options *o);

#endif
