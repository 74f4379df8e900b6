/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * concurrent DIR THREADS EVENTS: THREADS threads record EVENTS calls each, flat out, while another process
 * reads their streams with the reader library. Each call carries its number; the reader checks that none is
 * missing, none comes twice and none is torn, except where it was told of a gap (HYBMON_RING). The experiment
 * is DIR, which HYBMON_TRACE_DIR has to say as well.
 */
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/process/process.h"
#include "core/record/record.h"
#include "reader/streams/reader.h"

#define REGION 7

struct writer {
	pthread_t thread;
	uint32_t number;
};

struct follower {
	struct hyb_reader *reader;
	uint64_t expected;	/* number of the next call */
	uint64_t gaps;
	bool inside;		/* an Enter came, its Leave not yet */
	bool error;		/* and what belongs to the Leave, or it has nothing */
	bool cut;		/* the Leave came without, which it may in front of a gap */
	bool after_gap;
	bool done;
	uint64_t chunk;		/* whose calls last came from: */
	uint64_t site;
};

static const char *dir;
static uint32_t threads;
static uint64_t events;

static uint32_t scramble(uint64_t n, uint32_t thread)
{
	return (uint32_t)((n * UINT64_C(0x9e3779b97f4a7c15) ^ thread) >> 32);
}

/* Where call n comes from: mostly where the one before did. In no object. */
static uint64_t site_of(uint64_t n)
{
	return 4096 + n / 5 % 3 * 16;
}

static void fail(uint32_t thread, const char *what, uint64_t expected, uint64_t got)
{
	fprintf(stderr, "thread %u: %s: expected %llu, got %llu\n", thread, what,
		(unsigned long long)expected, (unsigned long long)got);
	exit(1);
}

static void *write_events(void *arg)
{
	struct writer *w = arg;

	for (uint64_t n = 1; n <= events; n++) {
		struct hyb_frame frame;
		uint64_t *p = hyb_enter_from(&frame, REGION, (const void *)(uintptr_t)site_of(n));

		if (!p)
			fail(w->number, "not recorded", n, 0);
		/* a send to n, tagged with what belongs to n */
		*p++ = (uint64_t)HYB_SEND << HYB_TYPE_SHIFT | (uint32_t)n;
		*p++ = (uint64_t)scramble(n, 0) << 32 | scramble(n, 1);
		hyb_publish(p);
		p = hyb_leave_call(&frame, REGION, p);
		if (n % 3) {
			*p = (uint64_t)HYB_ERROR << HYB_TYPE_SHIFT | scramble(n, 2);
			p++;
		}
		hyb_end_call(&frame, p);
	}
	return NULL;
}

/* What belongs to a Leave, which may be seen before it. */
static void take_error(struct follower *f, uint32_t thread, const struct hyb_event *e, uint32_t pos)
{
	struct hyb_attached a;

	while (hyb_attached_next(e, &pos, &a)) {
		if (a.type != HYB_ERROR || f->error || (uint32_t)a.error != scramble(f->expected - 1, 2))
			fail(thread, "a Leave with something else", f->expected - 1, (uint32_t)a.error);
		f->error = true;
	}
}

static void check_leave(struct follower *f, uint32_t thread, const struct hyb_event *e)
{
	/* right behind a gap its Enter may be in the gap, and so may calls in between */
	if (!f->inside && !f->after_gap)
		fail(thread, "a Leave outside", f->expected, e->id);
	if (f->inside)
		take_error(f, thread, e, 0);
	f->cut = f->inside && !f->error && e->type == HYB_LEAVE;
	f->inside = f->inside && e->type == HYB_MORE;
}

static void check_enter(struct follower *f, uint32_t thread, const struct hyb_event *e)
{
	struct hyb_attached a;
	uint32_t pos = 0;
	uint64_t n;

	if (f->inside)
		fail(thread, "an Enter inside", f->expected, e->id);
	if (f->chunk != e->seq)
		f->site = 0;
	f->chunk = e->seq;
	if (!hyb_attached_next(e, &pos, &a))
		fail(thread, "a torn group", f->expected, e->count);
	if (a.type == HYB_SITE) {
		f->site = a.words[0] & HYB_REQUEST_MASK;
		hyb_attached_next(e, &pos, &a);
	}
	if (a.type != HYB_SEND)
		fail(thread, "a torn group", f->expected, e->count);
	n = (uint32_t)a.peer;
	if (f->site != site_of(n))
		fail(thread, "a call from elsewhere", site_of(n), f->site);
	if (f->after_gap ? n < f->expected : n != f->expected)
		fail(thread, "a call out of order", f->expected, n);
	if ((uint32_t)a.tag != scramble(n, 0) || a.bytes != scramble(n, 1))
		fail(thread, "a torn call", n, a.bytes);
	f->expected = n + 1;
	f->inside = true;
	f->after_gap = false;
	f->error = n % 3 == 0;
	take_error(f, thread, e, pos);
}

static void check_event(struct follower *f, uint32_t thread, const struct hyb_event *e)
{
	if (f->cut && e->type != HYB_EVENT_GAP)
		fail(thread, "a Leave without its end", f->expected - 1, e->type);
	f->cut = false;
	switch (e->type) {
	case HYB_EVENT_GAP:
		if (e->gap->causes != HYB_GAP_OVERWRITTEN)
			fail(thread, "a gap of another cause", HYB_GAP_OVERWRITTEN, e->gap->causes);
		f->gaps++;
		f->after_gap = true;
		f->inside = false;
		break;
	case HYB_ENTER:
		check_enter(f, thread, e);
		break;
	case HYB_LEAVE:
	case HYB_MORE:
		check_leave(f, thread, e);
		break;
	default:
		fail(thread, "a type never written", HYB_ENTER, e->type);
	}
}

/* Opens stream `number` once its file is there. */
static void try_open(struct follower *f, uint32_t number)
{
	char pattern[4096];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*/thread-%u.hyb", dir, number);
	if (glob(pattern, 0, NULL, &found) == 0) {
		/* its header may not be written yet: then at the next try */
		(void)hyb_reader_open(found.gl_pathv[0], HYB_OWNER_ANY, NULL, &f->reader);
		globfree(&found);
	}
}

/* Everything there is now. */
static void follow(struct follower *f, uint32_t number)
{
	struct hyb_event event;
	bool closed;
	int got;

	if (!f->reader)
		try_open(f, number);
	if (!f->reader)
		return;
	closed = hyb_reader_closed(f->reader);
	while ((got = hyb_reader_next(f->reader, &event)) > 0)
		check_event(f, number, &event);
	if (got < 0)
		fail(number, "an error", 0, (uint64_t)-got);
	if (!closed)
		return;
	if (f->expected != events + 1 || f->inside)
		fail(number, "an end too early", events + 1, f->expected);
	f->done = true;
}

static int read_streams(void)
{
	struct follower *f = calloc(threads + 1, sizeof(*f));
	uint64_t gaps = 0;
	uint32_t done = 0;

	for (uint32_t i = 1; i <= threads; i++)
		f[i].expected = 1;
	while (done < threads) {
		for (uint32_t i = 1; i <= threads; i++) {
			if (f[i].done)
				continue;
			follow(&f[i], i);
			done += f[i].done;
			if (f[i].done)
				gaps += f[i].gaps;
		}
	}
	for (uint32_t i = 1; i <= threads; i++)
		hyb_reader_close(f[i].reader);
	free(f);
	printf("read to the end, %s gaps\n", gaps ? "with" : "without");
	return 0;
}

int main(int argc, char **argv)
{
	struct writer *w;
	pid_t reader;
	int status;

	if (argc != 4) {
		fprintf(stderr, "usage: concurrent DIR THREADS EVENTS\n");
		return 2;
	}
	dir = argv[1];
	threads = (uint32_t)atoi(argv[2]);
	events = strtoull(argv[3], NULL, 10);
	alarm(300);
	hyb_process_load();
	reader = fork();
	if (reader == 0)
		exit(read_streams());
	w = calloc(threads, sizeof(*w));
	for (uint32_t i = 0; i < threads; i++) {
		w[i].number = i + 1;
		if (pthread_create(&w[i].thread, NULL, write_events, &w[i]))
			return 1;
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(w[i].thread, NULL);
	free(w);
	if (waitpid(reader, &status, 0) != reader || status != 0) {
		fprintf(stderr, "the reader ended with status %#x\n", status);
		return 1;
	}
	return 0;
}
