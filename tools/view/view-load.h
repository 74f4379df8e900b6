/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon view shows of the jobs at one moment, and how it comes to that. */
#ifndef HYB_TOOLS_VIEW_VIEW_LOAD_H
#define HYB_TOOLS_VIEW_VIEW_LOAD_H

#include <signal.h>

#include "tools/view/kept.h"
#include "merge/merge.h"
#include "timeline/store/tail.h"

struct hyb_load_wish {
	const char *const *dirs;
	size_t count;
	bool page;	 /* one page is made of it all, and nothing is served */
	uint64_t sketch; /* of more bytes samples are shown first; 0: never */
	const char *tmp; /* what does not fit into memory waits there */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop; /* gives up when it is not 0 */
};

enum hyb_load_reading {
	HYB_LOAD_FIRST, /* what was kept, or samples if it is large, or all but messages */
	HYB_LOAD_WHOLE, /* all but messages, and with clocks of several nodes as they are */
	HYB_LOAD_ALL,
	HYB_LOAD_AGAIN, /* all, of a job that runs; says nothing */
};

struct hyb_load {
	const struct hyb_load_wish *wish;
	const volatile sig_atomic_t *stop; /* NULL: that of the wish */
	struct hyb_merge merge;
	struct hyb_view_store store;
	struct hyb_view_sink *sink;
	struct hyb_kept kept;
	struct hyb_tail *tail;	    /* of a job that runs: where the reading ended; NULL: nothing can go on there */
	struct hyb_view_tail *held; /* and what the tracks were then */
	double seconds;		    /* that the reading of all took */
};

/* NULL where that cannot be, which is said, but not when they are read again. stop: instead of the wish's; NULL: that. */
struct hyb_load *hyb_load_jobs(const struct hyb_load_wish *wish, enum hyb_load_reading reading,
			       const volatile sig_atomic_t *stop);
/*
 * What came since `before`, which has a tail, on top of it; may be served meanwhile. NULL: it cannot be had, all must be
 * read; before has no tail any more.
 */
struct hyb_load *hyb_load_more(struct hyb_load *before);
/* Messages of what is served, which has none, into `messages`, to be given to hyb_load_end_messages. 0 or -errno. */
int hyb_load_messages(const struct hyb_load *load, struct hyb_load *messages);
void hyb_load_end_messages(struct hyb_load *messages);
/* Whether files were written so lately that a job which cannot be seen from here may still run. */
bool hyb_load_is_fresh(const struct hyb_view_print *print);
void hyb_unload(struct hyb_load *load);

#endif
