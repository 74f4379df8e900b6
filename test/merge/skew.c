/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the clocks of nodes wrong after they were recorded: in an experiment of several "nodes" that were one machine,
 * and so had one clock, each node's times become those of a clock with an offset, a drift and a step. What the merge
 * makes of that is compared with what it makes of the experiment as it was.
 *
 *	skew EXPERIMENT NODE:OFFSET:DRIFT[:AT:STEP]...
 *
 * OFFSET: seconds that CLOCK_REALTIME is wrong; DRIFT: parts per million by which the counter and the monotonic clocks
 * run too fast; AT: the part of the experiment, between 0 and 1, after which they jump forward by STEP seconds.
 * Kernel events are left as they are, which is right where only OFFSET is wrong: their clock is then. Runs of some minutes,
 * since the counter's upper bits stay the same in all streams.
 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/format.h"

#define LOW (UINT64_C(1) << 31) /* where in the counter's 40 lower bits the experiment begins */

struct node {
	char name[256];
	double offset; /* s */
	double drift;  /* 1e-6 */
	double at;     /* of the whole */
	double step;   /* s */
};

/* What all nodes had in common: the counter at the begin, and its rate. */
static struct {
	uint64_t begin;
	uint64_t end;
	struct hyb_def_clock first; /* tuples far apart */
	struct hyb_def_clock last;
	double ticks; /* a nanosecond */
	uint64_t bias;
} machine = { .begin = UINT64_MAX };

#define RANKS 64
static char hosts[RANKS][256]; /* by rank */

static void die(const char *what, const char *path)
{
	fprintf(stderr, "skew: %s: %s\n", path, what);
	exit(1);
}

/* Nanoseconds that the node's clock is ahead at that counter value. */
static double ahead(const struct node *n, uint64_t counter)
{
	double ns = ((double)counter - (double)machine.begin) / machine.ticks;

	return ns * n->drift * 1e-6 + (n->step != 0 && (double)counter >= (double)machine.begin + n->at * (double)(machine.end - machine.begin) ? n->step * 1e9 : 0);
}

static uint64_t changed(const struct node *n, uint64_t counter)
{
	return counter + machine.bias + (uint64_t)llround(ahead(n, counter) * machine.ticks);
}

static void change_tuple(const struct node *n, struct hyb_def_clock *t)
{
	uint64_t ns = (uint64_t)llround(ahead(n, t->counter));

	t->monotonic_raw += ns;
	t->monotonic += ns;
	t->realtime += (uint64_t)llround(n->offset * 1e9);
	t->counter = changed(n, t->counter);
}

static size_t words_of(uint64_t word)
{
	size_t size = word >> (HYB_TYPE_SHIFT + 5) & 3;

	return size == HYB_SIZE_VAR ? word >> HYB_ID_SHIFT & HYB_ID_MASK : size + 1;
}

static void change_definition(const struct node *n, uint64_t *w)
{
	struct hyb_def_mark *mark = (void *)(w + 1);
	struct hyb_def_meeting *meeting = (void *)(w + 1);
	struct hyb_def_sync *sync = (void *)(w + 1);

	if (*w >> HYB_TYPE_SHIFT == HYB_DEF_CLOCK)
		change_tuple(n, (void *)(w + 1));
	else if (*w >> HYB_TYPE_SHIFT == HYB_DEF_MARK)
		mark->counter = changed(n, mark->counter);
	else if (*w >> HYB_TYPE_SHIFT == HYB_DEF_MEETING)
		meeting->counter = changed(n, meeting->counter);
	if (*w >> HYB_TYPE_SHIFT != HYB_DEF_SYNC)
		return;
	sync->out = changed(n, sync->out);
	sync->back = changed(n, sync->back);
}

/* Puts a time into the lower bits of a word. */
static void put(uint64_t *word, uint64_t time, unsigned int bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	*word = (*word & ~mask) | (time & mask);
}

/* A CALL: its begin, as the reader finds it, and how long it took. *last: the time before it, then its end. */
static void change_call(const struct node *n, uint64_t *w, uint64_t *last, const char *path)
{
	uint64_t begin = *last + (uint64_t)(int64_t)(int32_t)((uint32_t)*w - (uint32_t)*last);
	uint64_t end = begin + (*w >> HYB_CALL_SPAN_SHIFT & HYB_CALL_SPAN_MASK);
	uint64_t span = changed(n, end) - changed(n, begin);

	if (changed(n, begin) - changed(n, *last) >= HYB_CALL_NEAR)
		die("the step makes a pause too long for the record after it: a smaller one, or a shorter pause",
		    path);
	put(w, changed(n, begin), HYB_CALL_SPAN_SHIFT);
	*w &= ~((uint64_t)HYB_CALL_SPAN_MASK << HYB_CALL_SPAN_SHIFT);
	*w |= (span < HYB_CALL_SPAN_MASK ? span : HYB_CALL_SPAN_MASK) << HYB_CALL_SPAN_SHIFT;
	*last = end;
}

static void change_chunk(const struct node *n, struct hyb_chunk_header *chunk, bool defs, size_t room,
			 const char *path)
{
	uint64_t *w = (void *)(chunk + 1);
	uint64_t last = chunk->first_time, epoch = last >> HYB_TIME_BITS << HYB_TIME_BITS;
	size_t used = chunk->used < room ? chunk->used : room;

	for (size_t at = 0, words; at < used; at += words) {
		uint32_t type = w[at] >> HYB_TYPE_SHIFT;

		words = words_of(w[at]);
		if (!type || !words || words > used - at)
			return;
		if (defs) {
			change_definition(n, w + at);
		} else if (type == HYB_EPOCH) {
			epoch = w[at] << HYB_TIME_BITS;
			w[at] = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | changed(n, machine.begin) >> HYB_TIME_BITS;
		} else if (type == HYB_CALL) {
			change_call(n, w + at, &last, path);
		} else if (!(type & 0x80)) {
			last = epoch | (w[at] & HYB_TIME_MASK);
			put(w + at, changed(n, last), HYB_TIME_BITS);
			if (type == HYB_POLL)
				w[at + 4] = changed(n, w[at + 4]);
		}
	}
	chunk->first_time = changed(n, chunk->first_time);
}

static void change_stream(const struct node *n, struct hyb_file_header *h, size_t size, const char *path)
{
	for (uint64_t at = h->header_size; at + sizeof(struct hyb_chunk_header) <= size; at += h->chunk_size) {
		struct hyb_chunk_header *chunk = (void *)((char *)h + at);
		size_t room = (size - at < h->chunk_size ? size - at : h->chunk_size) - sizeof(*chunk);

		if (chunk->magic == HYB_CHUNK_MAGIC)
			change_chunk(n, chunk, h->kind == HYB_STREAM_DEFS, room / sizeof(uint64_t), path);
	}
	h->start_time = changed(n, h->start_time);
	if (h->end_time)
		h->end_time = changed(n, h->end_time);
	if (h->lost) {
		h->lost_first = changed(n, h->lost_first);
		h->lost_last = changed(n, h->lost_last);
	}
}

/* Of round trips from any node, the time on the other one, if that is this node. */
static void change_syncs(const struct node *n, struct hyb_file_header *h, size_t size, const char *path)
{
	(void)path;
	for (uint64_t at = h->header_size; h->kind == HYB_STREAM_DEFS && at + sizeof(struct hyb_chunk_header) <= size;
	     at += h->chunk_size) {
		struct hyb_chunk_header *chunk = (void *)((char *)h + at);
		uint64_t *w = (void *)(chunk + 1), *end = w + chunk->used;

		for (; chunk->magic == HYB_CHUNK_MAGIC && w < end && words_of(*w); w += words_of(*w)) {
			struct hyb_def_sync *sync = (void *)(w + 1);

			if (*w >> HYB_TYPE_SHIFT == HYB_DEF_SYNC && sync->rank < RANKS &&
			    !strcmp(hosts[sync->rank], n->name))
				sync->there = changed(n, sync->there);
		}
	}
}

/* What the streams say of the machine's clock. */
static void survey_stream(const struct node *n, struct hyb_file_header *h, size_t size, const char *path)
{
	struct hyb_chunk_header *chunk = (void *)((char *)h + h->header_size);
	uint64_t *w = (void *)(chunk + 1);

	(void)n;
	(void)path;
	if (h->start_time < machine.begin)
		machine.begin = h->start_time;
	if (h->end_time > machine.end)
		machine.end = h->end_time;
	if (h->kind != HYB_STREAM_DEFS || size < h->header_size + sizeof(*chunk))
		return;
	for (size_t at = 0, words; at < chunk->used; at += words) {
		struct hyb_def_clock *t = (void *)(w + at + 1);

		words = words_of(w[at]);
		if (!words)
			die("damaged", path);
		if (w[at] >> HYB_TYPE_SHIFT != HYB_DEF_CLOCK)
			continue;
		if (!machine.first.counter || t->counter < machine.first.counter)
			machine.first = *t;
		if (t->counter > machine.last.counter)
			machine.last = *t;
	}
}

typedef void (*hyb_visit)(const struct node *n, struct hyb_file_header *h, size_t size, const char *path);

/* Calls `visit` with each stream in the folder, mapped. */
static void each_stream(const struct node *n, const char *folder, hyb_visit visit)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[4096];
	struct stat st;
	void *map;
	int fd;

	if (!dir)
		die("cannot be read", folder);
	while ((e = readdir(dir))) {
		/* What collectors wrote down of CPUs is by another clock, its definitions are not. */
		if (!strstr(e->d_name, ".hyb") || (strstr(folder, ".kernel") && strcmp(e->d_name, "defs.hyb")))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		fd = open(path, O_RDWR);
		if (fd < 0 || fstat(fd, &st) || st.st_size < HYB_FILE_HEADER_SIZE)
			die("cannot be read", path);
		map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED)
			die("cannot be mapped", path);
		visit(n, map, (size_t)st.st_size, path);
		munmap(map, (size_t)st.st_size);
		close(fd);
	}
	closedir(dir);
}

/* The same for each process of a node, or of all: `name` is NULL. */
static void each_process(const char *experiment, const char *name, const struct node *n, hyb_visit visit)
{
	size_t length = name ? strlen(name) : 0;
	DIR *dir = opendir(experiment);
	struct dirent *e;
	char path[2048];

	if (!dir)
		die("cannot be read", experiment);
	while ((e = readdir(dir))) {
		if (*e->d_name == '.' || !strchr(e->d_name, '.') || strstr(e->d_name, "traces"))
			continue;
		if (name && (strncmp(e->d_name, name, length) || e->d_name[length] != '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", experiment, e->d_name);
		if (name && strstr(e->d_name, ".kernel") && (n->drift != 0 || n->step != 0))
			die("kernel events cannot drift", path);
		each_stream(n, path, visit);
	}
	closedir(dir);
}

/* Where each rank was, as the manifests say. */
static void read_hosts(const char *experiment)
{
	DIR *dir = opendir(experiment);
	struct dirent *e;
	char path[2048], line[512], host[256];
	FILE *f;
	int rank;

	if (!dir)
		die("cannot be read", experiment);
	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/manifest", experiment, e->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		rank = RANKS;
		while (fgets(line, sizeof(line), f)) {
			sscanf(line, "host: %255s", host);
			sscanf(line, "rank: %d", &rank);
		}
		if (rank >= 0 && rank < RANKS)
			strcpy(hosts[rank], host);
		fclose(f);
	}
	closedir(dir);
}

static struct node parse(const char *text)
{
	struct node n = { .name = "" };

	if (sscanf(text, "%255[^:]:%lf:%lf:%lf:%lf", n.name, &n.offset, &n.drift, &n.at, &n.step) < 3)
		die("not NODE:OFFSET:DRIFT[:AT:STEP]", text);
	return n;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("usage: skew EXPERIMENT NODE:OFFSET:DRIFT[:AT:STEP]...", "");
	each_process(argv[1], NULL, NULL, survey_stream);
	read_hosts(argv[1]);
	if (machine.last.monotonic_raw <= machine.first.monotonic_raw)
		die("too short: a process needs two clock tuples", argv[1]);
	machine.ticks = (double)(machine.last.counter - machine.first.counter) /
			(double)(machine.last.monotonic_raw - machine.first.monotonic_raw);
	machine.bias = (LOW - machine.begin) & HYB_TIME_MASK;
	if (machine.end > machine.begin && machine.end - machine.begin > HYB_TIME_MASK / 2)
		die("too long", argv[1]);
	for (int i = 2; i < argc; i++) {
		struct node n = parse(argv[i]);

		each_process(argv[1], n.name, &n, change_stream);
		each_process(argv[1], NULL, &n, change_syncs);
	}
	return 0;
}
