/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of one output: any number of tracks at once, told by several threads, put together in the tracks' order. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "merge/merge.h"
#include "merge/sink/parts.h"
#include "../lib/tap.h"

#define TRACKS 500u
#define FILES 32u /* descriptors that may be open */
#define THREADS 4u
#define LARGE (3 * HYB_PART_SIZE + 17)

static struct hyb_merge merge;
static volatile sig_atomic_t stop;
static struct hyb_sink *sink;
static void *parts[TRACKS];

/* How much a track writes: nothing, little, more than waits in memory, and much at once. */
static size_t size_of(size_t track)
{
	static const size_t sizes[] = { 0, 1, 100, HYB_PART_SIZE, HYB_PART_SIZE + 1, LARGE };

	return sizes[track % (sizeof(sizes) / sizeof(sizes[0]))];
}

static char letter(size_t track, size_t at)
{
	return (char)('a' + (track * 7 + at / 1000) % 26);
}

static bool write_part(size_t track)
{
	size_t size = size_of(track), at, step = track % 2 ? size : 999, n;
	char *text = malloc(size + 1);
	int ret = 0;

	for (at = 0; at < size; at++)
		text[at] = letter(track, at);
	for (at = 0; !ret && at < size; at += n) {
		n = size - at < step ? size - at : step;
		ret = hyb_part_write(parts[track], text + at, n);
	}
	free(text);
	return !ret;
}

static int close_part(size_t track)
{
	struct hyb_track_part *part = parts[track];
	uint64_t events;
	int ret;

	part->info.events = track;
	ret = hyb_part_close(part, &events);
	return ret ? ret : events != track;
}

/* Those of one thread, the last one first. */
static void *write_some(void *arg)
{
	size_t first = (size_t)arg, i;

	for (i = TRACKS; i-- > 0;)
		if (i % THREADS == first && !write_part(i))
			return &merge;
	for (i = 0; i < TRACKS; i++)
		if (i % THREADS == first && close_part(i))
			return &merge;
	return NULL;
}

static bool write_all(void)
{
	struct hyb_track track = { .kind = HYB_TRACK_CPU };
	pthread_t threads[THREADS];
	void *failed;
	bool ok = true;
	size_t i;

	for (i = 0; i < TRACKS; i++) {
		track.index = i;
		ok = ok && !hyb_part_open(sink, &track, sizeof(struct hyb_track_part), &parts[i]);
	}
	for (i = 0; i < THREADS; i++)
		ok = ok && !pthread_create(&threads[i], NULL, write_some, (void *)i);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		ok = ok && !failed;
	}
	return ok;
}

static int define(const struct hyb_sink *s, FILE *to)
{
	fprintf(to, "%zu parts from %lld\n", s->count, (long long)s->start);
	return 0;
}

static const char *const names[] = { "out", NULL };
static const struct hyb_sink_ops ops = { .parts = names, .define = define };

static int refuse(const struct hyb_sink *s, FILE *to)
{
	(void)s;
	(void)to;
	return -ENOMEM;
}

static const struct hyb_sink_ops refusing = { .parts = names, .define = refuse };

static bool is_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[64] = "";
	size_t i, at;
	bool ok = file && fgets(line, sizeof(line), file) && !strcmp(line, "500 parts from 4711\n");

	for (i = 0; ok && i < TRACKS; i++)
		for (at = 0; ok && at < size_of(i); at++)
			ok = getc(file) == letter(i, at);
	ok = ok && getc(file) == EOF;
	if (file)
		fclose(file);
	return ok;
}

static size_t count_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t count = 0;

	while (dir && (entry = readdir(dir)))
		count += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void whole(const char *dir, const char *file)
{
	const struct rlimit few = { FILES, FILES };
	bool ok = true;
	size_t i;

	setrlimit(RLIMIT_NOFILE, &few);
	tap(!hyb_parts_begin(&ops, &merge, &sink) && write_all(), "more tracks at once than may be open files");
	tap(!hyb_parts_end(sink), "put together");
	tap(is_whole(file), "definitions first, then each track whole, in their order");
	for (i = 0; ok && i < TRACKS; i++)
		ok = sink->infos[i].track.index == i && sink->infos[i].events == i;
	tap(ok, "with what is known of each");
	tap_equal((long long)count_files(dir), 1, "nothing else is left");
	hyb_parts_free(sink);
	unlink(file);
}

static void errors(const char *dir, const char *file)
{
	struct hyb_track track = { .index = 0 };
	uint64_t events;

	tap(!hyb_parts_begin(&refusing, &merge, &sink) && write_all() && hyb_parts_end(sink) == -ENOMEM,
	    "definitions that cannot be written");
	sink->ops = &ops;
	stop = 1;
	tap_equal(hyb_parts_end(sink), -EINTR, "given up in between");
	stop = 0;
	hyb_parts_free(sink);
	unlink(file);
	merge.output.tmp = (char *)"/nowhere/at/all";
	tap(!hyb_parts_begin(&ops, &merge, &sink) &&
		    !hyb_part_open(sink, &track, sizeof(struct hyb_track_part), &parts[0]) && write_part(0) &&
		    !hyb_part_write(parts[0], "x", 1) && hyb_part_close(parts[0], &events) == -ENOENT,
	    "a place that is not there: said at the end at the latest");
	tap_equal(hyb_parts_end(sink), -ENOENT, "and by the output");
	hyb_parts_free(sink);
	merge.output.tmp = (char *)dir;
}

int main(void)
{
	char dir[] = "/tmp/hybmon-unit-XXXXXX", command[64], *file;

	if (!mkdtemp(dir) || asprintf(&file, "%s/out", dir) < 0)
		return 1;
	merge.output.tmp = dir;
	merge.options.stop = &stop;
	merge.start = 4711;
	whole(dir, file);
	errors(dir, file);
	free(file);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	tap(!system(command), "tidied");
	return tap_done();
}
