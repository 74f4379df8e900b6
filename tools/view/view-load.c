/* SPDX-License-Identifier: BSD-3-Clause */
/* See view-load.h. */
#include "tools/view/view-load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "timeline/web/timeline.h"
#include "reader/streams/printable.h"
#include "tools/view/view-place.h"

#define QUIET 600 /* s: who writes nothing for so long is taken for gone */

static void free_tail(struct hyb_load *load)
{
	hyb_tail_free(load->tail);
	hyb_view_tail_free(load->held);
	load->tail = NULL;
	load->held = NULL;
}

void hyb_unload(struct hyb_load *load)
{
	if (!load)
		return;
	hyb_merge_free(&load->merge);
	hyb_view_store_free(&load->store);
	hyb_view_sink_free(load->sink);
	free_tail(load);
	free(load);
}

static int say_why(const char *dir, int err)
{
	if (err == -ENOMEM)
		fputs("hybmon view: out of memory\n", stderr);
	else if (err)
		hyb_show(stderr, "hybmon view: %s: %s\n", dir, err == -ENODATA ? "no thread has any event" :
			err == -EIO	? "what hybmon view kept is damaged: remove view.cache, and start it again" :
					  strerror(-err));
	return err;
}

static void say_nothing(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	(void)severity;
	(void)text;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* One reading of the recording for a sink of the view's. samples: struct hyb_merge_options has them. */
static int run_merge(struct hyb_load *load, const struct hyb_sink_ops *ops, const char *place,
		     enum hyb_load_reading reading, uint64_t samples)
{
	static const struct hyb_diag quiet = { say_nothing, NULL };
	const struct hyb_load_wish *wish = load->wish;
	struct hyb_merge_options o = {
		.dirs = wish->dirs, .dir_count = wish->count, .out = place, .force = true,
		.sinks = &ops, .sink_count = 1,
		/* The order in which threads find texts would make each page another one. */
		.jobs = wish->page ? 1 : (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		.kernel = HYB_MERGE_KERNEL_THREAD | HYB_MERGE_KERNEL_CPU,
		.diag = reading == HYB_LOAD_AGAIN ? &quiet : wish->diag,
		.stop = load->stop ? load->stop : wish->stop,
		.samples = samples,
		.clocks_as_are = reading == HYB_LOAD_WHOLE,
		.tail = load->tail,
	};

	return ops ? hyb_merge_run(&load->merge, &o) : -ENOMEM;
}

bool hyb_load_is_fresh(const struct hyb_view_print *print)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec - print->written.tv_sec < QUIET;
}

/* Of a job whose processes are on other machines its files say whether it runs. */
static void judge(struct hyb_load *load)
{
	const struct hyb_load_wish *wish = load->wish;
	struct hyb_view_print print;

	if (!load->store.elsewhere)
		return;
	load->store.running = !hyb_view_fingerprint(wish->dirs, wish->count, &print) && hyb_load_is_fresh(&print);
	load->store.elsewhere = load->store.running;
}

/* The next reading can go on where this one ended. */
static void keep_tail(struct hyb_load *load)
{
	if (!load->tail)
		return;
	if (!load->store.running || load->store.sketch) {
		free_tail(load);
		return;
	}
	hyb_tail_keep(load->tail, &load->merge);
	hyb_view_tail_turn(load->held);
	if (!load->held->count)
		free_tail(load);
}

static void forget_merge(struct hyb_load *load)
{
	hyb_merge_free(&load->merge);
	memset(&load->merge, 0, sizeof(load->merge));
	load->store.merge = NULL;
}

/* Reads the recording into the file `fd`, which is the load's then. */
static int read_into(struct hyb_load *load, int fd, const char *place, enum hyb_load_reading reading)
{
	const struct hyb_load_wish *wish = load->wish;
	/* What is served can wait for its messages. */
	const uint32_t wanted = HYB_VIEW_RECORDS | (reading >= HYB_LOAD_ALL || wish->page ? HYB_VIEW_MESSAGES : 0);
	const uint64_t samples = reading == HYB_LOAD_FIRST && !wish->page ? wish->sketch : 0;
	const struct hyb_sink_ops *ops = hyb_view_sink(&load->store, fd, HYB_VIEW_HEAD, wanted, &load->sink);
	const double begin = now();
	int err;

	load->tail = wish->page ? NULL : hyb_tail_new();
	load->held = load->tail ? hyb_view_tail_new() : NULL;
	if (!load->held)
		free_tail(load);
	else if (ops)
		hyb_view_sink_goes_on(load->sink, load->held, NULL);
	err = run_merge(load, ops, place, reading, samples);
	if (err && err != -ENOMEM) /* which it has said */
		return err;
	if (!err)
		err = hyb_view_complete(&load->store);
	if (!err)
		judge(load);
	load->store.rough = !err && reading == HYB_LOAD_WHOLE && hyb_nodes_several(&load->merge);
	if (!err)
		err = hyb_html_timeline_describe(&load->store);
	if (!err)
		keep_tail(load);
	forget_merge(load);
	load->seconds = now() - begin;
	return reading == HYB_LOAD_AGAIN || hyb_kept_is_full(err) ? err : say_why(wish->dirs[0], err);
}

static struct hyb_load *new_load(const struct hyb_load_wish *wish)
{
	struct hyb_load *load = calloc(1, sizeof(*load));

	if (!load)
		return NULL;
	load->wish = wish;
	load->store.fd = -1;
	return load;
}

/* What was read of it was read in vain: begins again. */
static int begin_anew(struct hyb_load **load)
{
	struct hyb_load *fresh = new_load((*load)->wish);

	if (!fresh)
		return -ENOMEM;
	fresh->stop = (*load)->stop;
	fresh->kept = (*load)->kept;
	hyb_unload(*load);
	*load = fresh;
	return 0;
}

/* Into a file beside the recording, or where else there is space. */
static int read_somewhere(struct hyb_load **load, const char *place, enum hyb_load_reading reading)
{
	int fd, err;

	do {
		fd = hyb_kept_make(&(*load)->kept, place);
		if (fd < 0)
			return say_why(place, fd);
		err = read_into(*load, fd, place, reading);
	} while (hyb_kept_full(&(*load)->kept, err) && !(err = begin_anew(load)));
	if (hyb_kept_is_full(err))
		say_why(place, err);
	return err;
}

struct hyb_load *hyb_load_jobs(const struct hyb_load_wish *wish, enum hyb_load_reading reading,
			       const volatile sig_atomic_t *stop)
{
	struct hyb_place_of_view place;
	struct hyb_load *load = hyb_view_place_make(&place, wish->tmp) ? new_load(wish) : NULL;
	int err = -ENOMEM;

	if (load)
		load->stop = stop;
	if (load)
		err = reading == HYB_LOAD_AGAIN ? -ENOENT : hyb_kept_find(&load->kept, wish->dirs, wish->count, &load->store);
	if (load && err) {
		err = read_somewhere(&load, place.path, reading);
		if (!err && !load->store.running && !load->store.pairing && !load->store.sketch && !load->store.rough)
			hyb_kept_keep(&load->kept, wish->dirs, wish->count, &load->store);
	}
	hyb_view_place_remove(&place);
	if (!err)
		return load;
	hyb_unload(load);
	return NULL;
}

/* The reading has what `before` had to go on with, and gives it to `load` if it is of use. */
static int read_more(struct hyb_load *load, struct hyb_load *before, const char *place)
{
	const struct hyb_sink_ops *ops;
	int fd = fcntl(before->store.fd, F_DUPFD_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	load->tail = before->tail;
	load->held = before->held;
	before->tail = NULL;
	before->held = NULL;
	ops = hyb_view_sink(&load->store, fd, before->store.size, HYB_VIEW_RECORDS, &load->sink);
	if (ops)
		hyb_view_sink_goes_on(load->sink, load->held, &before->store);
	err = run_merge(load, ops, place, HYB_LOAD_AGAIN, 0);
	load->store.lost = before->store.lost;
	load->store.comms = before->store.comms ? strdup(before->store.comms) : NULL;
	if (!err)
		err = hyb_view_complete(&load->store);
	if (!err)
		judge(load);
	load->store.rough = before->store.rough;
	load->store.pairing = before->store.pairing;
	load->store.whole = before->store.whole ? before->store.whole : before->store.length;
	if (!err)
		err = hyb_html_timeline_describe(&load->store);
	if (!err) {
		hyb_tail_keep(load->tail, &load->merge);
		hyb_view_tail_turn(load->held);
	}
	forget_merge(load);
	return err;
}

struct hyb_load *hyb_load_more(struct hyb_load *before)
{
	struct hyb_place_of_view place;
	struct hyb_load *load = hyb_view_place_make(&place, before->wish->tmp) ? new_load(before->wish) : NULL;
	int err = load ? read_more(load, before, place.path) : -ENOMEM;

	hyb_view_place_remove(&place);
	if (err) {
		free_tail(before);
		hyb_unload(load);
		return NULL;
	}
	load->seconds = before->seconds;
	return load;
}

int hyb_load_messages(const struct hyb_load *load, struct hyb_load *messages)
{
	struct hyb_place_of_view place;
	int err = hyb_view_place_make(&place, load->wish->tmp) ? 0 : -EIO;

	memset(messages, 0, sizeof(*messages));
	messages->wish = load->wish;
	if (!err)
		err = run_merge(messages, hyb_view_sink(&messages->store, load->store.fd, load->store.size, HYB_VIEW_MESSAGES,
							&messages->sink), place.path, HYB_LOAD_AGAIN, 0);
	hyb_view_place_remove(&place);
	return err;
}

void hyb_load_end_messages(struct hyb_load *messages)
{
	messages->store.fd = -1;
	hyb_merge_free(&messages->merge);
	hyb_view_store_free(&messages->store);
	hyb_view_sink_free(messages->sink);
}
