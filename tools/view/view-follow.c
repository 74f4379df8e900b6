/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of a job that runs, what is new is put on top of what is there, twice a second, which takes as long as there is
 * something new. That has regions only, so all is read again, by another thread, in a tenth of the time. A recording
 * that is read in no time is read again as a whole instead; one that has other threads than before by the other thread.
 */
#include "tools/view/view-follow.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NO_TIME	   0.1 /* s */
#define REST	   10  /* times as long as all took to be read it is not read again, */
#define REST_LEAST 2   /* or so many times, where nothing else shows what is new, or there are no messages so far */
#define NICE_BEHIND 9 /* more than all else */
#define WASTE_MOST (UINT64_C(256) << 20) /* bytes of the file; then it is made anew */

/* All is read again meanwhile. */
struct behind {
	pthread_t thread;
	bool begun;
	bool ended; /* set last, by the thread */
	volatile sig_atomic_t stop; /* nobody wants it any more */
	const struct hyb_load_wish *wish;
	struct hyb_load *load; /* what it has read; NULL: nothing */
	double last;	       /* when the last one ended */
};

struct follow {
	struct hyb_html_server *server;
	struct hyb_load **load;
	const sigset_t *before;
	struct behind behind;
	struct hyb_view_print seen; /* of a job on other machines: its files when they were read; none if that failed */
};

static double seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static double now(void)
{
	return seconds(CLOCK_MONOTONIC);
}

/* That is served from now on. False: what was there is. */
static bool serve(struct follow *f, struct hyb_load *next)
{
	bool served = next && !hyb_html_serve_another(f->server, &next->store);

	hyb_unload(served ? *f->load : next);
	if (served)
		*f->load = next;
	return served;
}

/* All is read again, or for good. */
static bool read_all(struct follow *f, enum hyb_load_reading reading)
{
	struct hyb_load *next;
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, f->before, &blocked);
	next = hyb_load_jobs((*f->load)->wish, reading, NULL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	f->behind.last = now();
	return serve(f, next);
}

/* What came since, on top of that. */
static struct hyb_load *read_more(struct follow *f, struct hyb_load *load)
{
	struct hyb_load *next;
	sigset_t blocked;

	sigprocmask(SIG_SETMASK, f->before, &blocked);
	next = hyb_load_more(load);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	return next;
}

/* The second reading, of what is served: its messages. False: there is no space for them where the rest is kept. */
static bool add_messages(struct follow *f)
{
	struct hyb_load *load = *f->load, messages;
	const struct hyb_load_wish *wish = load->wish;
	bool full;
	int err;

	err = hyb_load_messages(load, &messages);
	if (!err)
		err = hyb_html_serve_messages(f->server, &load->store, &messages.store);
	if (!err)
		hyb_kept_keep(&load->kept, wish->dirs, wish->count, &load->store);
	hyb_load_end_messages(&messages);
	full = load->kept.path && hyb_kept_is_full(err);
	if (err && !full && !*wish->stop)
		fprintf(stderr, "hybmon view: the messages cannot be found: %s\n", strerror(-err));
	return !full;
}

static void add_what_is_left(struct follow *f)
{
	sigset_t blocked;
	bool has_space;

	if ((*f->load)->store.sketch && !read_all(f, HYB_LOAD_WHOLE))
		return;
	if ((*f->load)->store.rough)
		read_all(f, HYB_LOAD_ALL);
	if ((*f->load)->store.running || (*f->load)->store.rough || !(*f->load)->store.pairing)
		return;
	sigprocmask(SIG_SETMASK, f->before, &blocked);
	has_space = add_messages(f);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (!has_space)
		read_all(f, HYB_LOAD_ALL);
}

static void *run_behind(void *arg)
{
	struct behind *b = arg;

	/* Of this thread, and of those that it makes: nobody waits for it. */
	if (nice(NICE_BEHIND) < 0)
		errno = 0;
	b->load = hyb_load_jobs(b->wish, HYB_LOAD_AGAIN, &b->stop);
	__atomic_store_n(&b->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

/* If it is time for that. False: it reads already, or does not begin. */
static bool begin_behind(struct follow *f)
{
	struct behind *b = &f->behind;
	const struct hyb_load *load = *f->load;
	const bool soon = !load->tail || load->store.pairing || load->held->waste >= WASTE_MOST;

	if (b->begun || now() - b->last < (soon ? REST_LEAST : REST) * load->seconds)
		return false;
	b->ended = false;
	b->stop = 0;
	b->load = NULL;
	b->wish = load->wish;
	b->begun = !pthread_create(&b->thread, NULL, run_behind, b);
	b->last = now();
	return b->begun;
}

/* What it has read, which is the caller's. */
static struct hyb_load *end_behind(struct follow *f)
{
	struct behind *b = &f->behind;

	pthread_join(b->thread, NULL);
	b->begun = false;
	b->last = now();
	return b->load;
}

static void drop_behind(struct follow *f)
{
	if (!f->behind.begun)
		return;
	f->behind.stop = 1;
	hyb_unload(end_behind(f));
}

/* What could not be read is read again, also where nothing more is written. */
static void forget_seen(struct follow *f)
{
	memset(&f->seen, 0, sizeof(f->seen));
}

/* Once all was read again: that, and on top of it what came meanwhile, so that no picture shows less than the one before. */
static void take_behind(struct follow *f)
{
	struct hyb_load *load, *more;

	if (!f->behind.begun || !__atomic_load_n(&f->behind.ended, __ATOMIC_ACQUIRE))
		return;
	load = end_behind(f);
	more = load && load->tail ? read_more(f, load) : NULL;
	if (more)
		hyb_unload(load);
	if (!serve(f, more ? more : load))
		forget_seen(f);
}

/* Of a job on other machines: whether to read it again, since something was written, or it is taken for gone. */
static bool is_changed(struct follow *f)
{
	const struct hyb_load_wish *wish = (*f->load)->wish;
	struct hyb_view_print now;

	if (hyb_view_fingerprint(wish->dirs, wish->count, &now) ||
	    (!memcmp(now.is, f->seen.is, sizeof(now.is)) && hyb_load_is_fresh(&now)))
		return false;
	f->seen = now;
	return true;
}

/* A job that runs, or has just ended. */
static void read_new(struct follow *f)
{
	struct hyb_load *load = *f->load;
	bool is_read;

	if (load->store.running && load->store.elsewhere && !is_changed(f))
		return;
	if (!load->store.running) {
		/* Of what came last there are regions only. */
		drop_behind(f);
		is_read = read_all(f, HYB_LOAD_ALL);
	} else if (load->seconds <= NO_TIME) {
		drop_behind(f);
		is_read = read_all(f, HYB_LOAD_AGAIN);
	} else if (load->tail) {
		is_read = serve(f, read_more(f, load));
		begin_behind(f);
	} else {
		is_read = begin_behind(f);
	}
	if (!is_read)
		forget_seen(f);
}

void hyb_follow(struct hyb_html_server *server, struct hyb_load **load, const sigset_t *before)
{
	struct follow f = { .server = server, .load = load, .before = before };
	const volatile sig_atomic_t *stop = (*load)->wish->stop;
	double took = 0, rest;
	struct timespec pause;

	add_what_is_left(&f);
	/* Messages that are not there so far come at once. */
	f.behind.last = (*load)->store.pairing ? 0 : now();
	while (!*stop) {
		if (!(*load)->store.running && !(*load)->store.whole) {
			sigsuspend(before);
			continue;
		}
		/* At work a fifth of the time at most. */
		rest = (*load)->tail ? 0.5 : 1;
		rest = 4 * took > rest ? 4 * took : rest;
		pause.tv_sec = (time_t)rest;
		pause.tv_nsec = (long)(1e9 * (rest - (double)pause.tv_sec));
		if (ppoll(NULL, 0, &pause, before) && errno == EINTR)
			continue;
		/* Of CPUs: where others have them, it is at work for longer than it takes anything from them. */
		took = seconds(CLOCK_PROCESS_CPUTIME_ID);
		take_behind(&f);
		read_new(&f);
		took = seconds(CLOCK_PROCESS_CPUTIME_ID) - took;
	}
	drop_behind(&f);
}
