/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon-print from within: what was asked for, the experiment, and the processes that are being
 * printed.
 */
#ifndef HYB_EXPORT_TEXT_JOB_H
#define HYB_EXPORT_TEXT_JOB_H

#include "export/text/end.h"
#include "export/text/lines.h"

struct follow_stream {
	enum hyb_stream_kind kind;
	uint32_t number;
	struct print_stream *stream; /* NULL: it cannot be read, which was said */
};

struct view { /* a process that is printed */
	struct print_process print;
	char *name;
	struct follow_stream *streams; /* with --follow */
	size_t count;
	size_t room;
};

struct print_job {
	struct print_options print;
	bool follow;
	bool profile;
	bool json;
	int64_t rank; /* -1: all */
	int64_t thread;
	struct hyb_diag diag;
	bool failed;

	struct hyb_experiment *experiment;
	bool synthetic; /* made up around a single stream: there is no directory to look at again */
	bool gone;	/* it is not where it was when last looked at */
	const char *only; /* the one stream's file name that was asked for, NULL: all */
	struct hyb_clocks *clocks;
	size_t *clock_of; /* by process of the experiment */
	int64_t start;
	bool start_known;
};

extern struct print_job job;

/* The clocks of all processes of x, and when the first of them began. */
void print_survey(const struct hyb_experiment *x);

bool print_wanted_process(const struct hyb_process *p);
bool print_wanted_stream(const struct hyb_stream_file *file);

void print_open_view(struct view *v, const struct hyb_process *p, size_t clock);
void print_open_defs(struct view *v, const struct hyb_diag *diag);
void print_close_view(struct view *v);
/* NULL where it cannot be read, which was said. */
struct print_stream *print_open_stream(struct view *v, const struct hyb_stream_file *file);
/* What is published by now. The number of events, gaps included. */
uint64_t print_read_stream(struct print_stream *s);
uint64_t print_read_defs(struct view *v);

/* Prints what there is, process by process, stream by stream. */
void print_show(const struct hyb_experiment *x);
/* Prints the profiles of the kernel that collectors have made by now. */
void print_profile(const struct hyb_experiment *x);
/* Prints what comes, as it comes, until all processes have ended. */
void print_follow(void);

#endif
