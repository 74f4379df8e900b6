/* SPDX-License-Identifier: BSD-3-Clause */
/* See growing.h. */
#include "growing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIXED 16 /* lines of a manifest that are changed in place */

struct chunk {
	struct hyb_chunk_header header;
	uint64_t *words;
};

struct stream {
	char *path; /* of the copy */
	struct hyb_file_header header;
	struct chunk *chunks; /* by seq */
	uint64_t count;
	uint64_t words; /* of all of them */
	uint64_t at; /* chunk in which it has come to, */
	uint64_t used; /* and words of it */
};

struct process {
	char *from;
	char *to;
	bool here; /* it is made one of this machine */
};

struct growing {
	struct process *processes;
	size_t process_count;
	struct stream *streams;
	size_t stream_count;
};

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(99);
}

static void *new(size_t count, size_t size)
{
	void *made = calloc(count + 1, size);

	if (!made)
		die("calloc");
	return made;
}

static char *path_of(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		die("asprintf");
	return path;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	struct stat st;
	char *all;

	if (!f || fstat(fileno(f), &st))
		die(path);
	all = new((size_t)st.st_size, 1);
	*size = fread(all, 1, (size_t)st.st_size, f);
	fclose(f);
	return all;
}

static void write_file(const char *path, const void *what, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || (size && fwrite(what, size, 1, f) != 1) || fclose(f))
		die(path);
}

static void copy_file(const char *from, const char *to)
{
	size_t size;
	char *all = read_file(from, &size);

	write_file(to, all, size);
	free(all);
}

/* Wherever the chunk lies, in a slot or put away. */
static void load_stream(struct stream *s, const char *from)
{
	size_t size;
	char *all = read_file(from, &size);
	struct hyb_chunk_header h;

	memcpy(&s->header, all, sizeof(s->header));
	s->chunks = new(s->header.newest_seq, sizeof(*s->chunks));
	s->count = s->header.newest_seq;
	for (size_t at = s->header.header_size; at + sizeof(h) <= size; at += s->header.chunk_size) {
		memcpy(&h, all + at, sizeof(h));
		if (h.magic != HYB_CHUNK_MAGIC || !h.seq || h.seq > s->count || s->chunks[h.seq - 1].words)
			continue;
		s->words += h.used;
		s->chunks[h.seq - 1].header = h;
		s->chunks[h.seq - 1].words = new(h.used, sizeof(uint64_t));
		memcpy(s->chunks[h.seq - 1].words, all + at + sizeof(h), h.used * sizeof(uint64_t));
	}
	free(all);
}

/* Each chunk in a slot of its own, and nothing published. */
static void make_stream(struct stream *s, const char *from, const char *to)
{
	load_stream(s, from);
	s->path = strdup(to);
	s->header.slots = s->count;
	s->header.ring = 0;
	s->header.wrap = 0;
	s->header.newest_seq = 0;
	s->header.state = HYB_STREAM_OPEN;
	write_file(to, &s->header, sizeof(s->header));
}

/* That of the copy: a process that is this one, if it was on the first node, and has not ended. */
static void write_manifest(const struct process *p, bool ended)
{
	char *from = path_of(p->from, "manifest"), *to = path_of(p->to, "manifest"), host[256] = "", boot[64] = "", line[4096];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w"), *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	int count = 0;

	gethostname(host, sizeof(host) - 1);
	if (!in || !out || !f || !fgets(boot, sizeof(boot), f))
		die(to);
	fclose(f);
	boot[strcspn(boot, "\n")] = 0;
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		if (!ended && !strncmp(line, "state:", 6))
			strcpy(line, "state: running");
		else if (!ended && !strncmp(line, "ended:", 6))
			strcpy(line, "ended: -");
		else if (!p->here && !strncmp(line, "host:", 5))
			strcpy(line, "host: elsewhere");
		else if (!strncmp(line, "pid:", 4))
			snprintf(line, sizeof(line), "pid: %d", (int)getpid());
		else if (p->here && !strncmp(line, "boot:", 5))
			snprintf(line, sizeof(line), "boot: %s", boot);
		else if (p->here && !strncmp(line, "host:", 5))
			snprintf(line, sizeof(line), "host: %s", host);
		else if (!strncmp(line, "started:", 8))
			continue;
		/* Of the first ones the size is fixed. */
		fprintf(out, count++ < FIXED ? "%-63s\n" : "%s\n", line);
	}
	fclose(in);
	if (fclose(out))
		die(to);
	free(from);
	free(to);
}

static void add_process(struct growing *g, const char *to, const struct hyb_process *source, const char *node)
{
	struct process *p = &g->processes[g->process_count++];

	p->from = strdup(source->path);
	p->to = path_of(to, source->name);
	p->here = node && !strcmp(source->manifest.host, node);
	if (mkdir(p->to, 0777))
		die(p->to);
	write_manifest(p, false);
	if (source->defs) {
		char *defs = path_of(p->to, "defs.hyb");

		copy_file(source->defs, defs);
		free(defs);
	}
	for (size_t i = 0; i < source->stream_count; i++) {
		const char *path = source->streams[i].path;
		char *copy = path_of(p->to, strrchr(path, '/') + 1);

		make_stream(&g->streams[g->stream_count++], path, copy);
		free(copy);
	}
}

struct growing *growing_new(const char *from, const char *to, bool elsewhere)
{
	static const struct hyb_diag quiet;
	struct growing *g = new(1, sizeof(*g));
	struct hyb_experiment *x;
	size_t streams = 0;

	if (hyb_experiment_open(from, &quiet, &x) || mkdir(to, 0777))
		die(from);
	for (size_t i = 0; i < x->count; i++)
		streams += x->processes[i].stream_count;
	g->processes = new(x->count, sizeof(*g->processes));
	g->streams = new(streams, sizeof(*g->streams));
	for (size_t i = 0; i < x->count; i++)
		if (!x->processes[i].missing)
			add_process(g, to, &x->processes[i], elsewhere ? NULL : x->processes[0].manifest.host);
	hyb_experiment_close(x);
	return g;
}

/* Words up to the end of the record there with all that is attached to it. */
static uint64_t end_of_group(const struct chunk *c, uint64_t at)
{
	do
		at += hyb_record_words(c->words[at]);
	while (at < c->header.used && (int64_t)c->words[at] < 0);
	return at;
}

static void put(int fd, const void *what, size_t size, uint64_t at)
{
	if (pwrite(fd, what, size, (off_t)at) != (ssize_t)size)
		die("pwrite");
}

static void write_chunk(const struct stream *s, int fd, uint64_t i, uint64_t used)
{
	const uint64_t at = s->header.header_size + i * s->header.chunk_size;
	struct hyb_chunk_header header = s->chunks[i].header;

	header.used = used;
	put(fd, s->chunks[i].words, s->chunks[i].header.used * sizeof(uint64_t), at + sizeof(header));
	put(fd, &header, sizeof(header), at);
}

/* So many words more; in the last chunk all that is left belongs to the end. */
static void grow(struct stream *s, uint64_t words, bool last)
{
	int fd = open(s->path, O_WRONLY);

	if (fd < 0)
		die(s->path);
	while (s->at < s->count) {
		const struct chunk *c = &s->chunks[s->at];
		const uint64_t before = s->used;

		while (s->used < c->header.used && (last || s->used - before < words))
			s->used = end_of_group(c, s->used);
		words -= s->used - before < words ? s->used - before : words;
		write_chunk(s, fd, s->at, s->used);
		if (s->used < c->header.used || (!last && (!words || s->at + 1 == s->count)))
			break;
		s->at++;
		s->used = 0;
	}
	s->header.newest_seq = s->at < s->count ? s->at + 1 : s->count;
	if (last)
		s->header.state = HYB_STREAM_CLOSED;
	put(fd, &s->header, sizeof(s->header), 0);
	close(fd);
}

bool growing_step(struct growing *g, bool last)
{
	bool more = false;

	for (size_t i = 0; i < g->stream_count; i++) {
		struct stream *s = &g->streams[i];
		const uint64_t left = s->at < s->count ? s->chunks[s->at].header.used - s->used : 0;

		more |= left || s->at + 1 < s->count;
		/* Some by more than others, some not at all. */
		grow(s, rand() % 4 ? (uint64_t)rand() % (s->words / 16 + 2) : 0, last);
	}
	for (size_t i = 0; last && i < g->process_count; i++)
		write_manifest(&g->processes[i], true);
	return more;
}

void growing_free(struct growing *g)
{
	for (size_t i = 0; i < g->stream_count; i++) {
		for (uint64_t k = 0; k < g->streams[i].count; k++)
			free(g->streams[i].chunks[k].words);
		free(g->streams[i].chunks);
		free(g->streams[i].path);
	}
	for (size_t i = 0; i < g->process_count; i++) {
		free(g->processes[i].from);
		free(g->processes[i].to);
	}
	free(g->streams);
	free(g->processes);
	free(g);
}
